// Explicit conversions.

#define CONVERT_N(N, R, T) \
    R##N OVER convert_##R##N(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = (R)a[i]; return r; }
#define CONVERT(R, T) R OVER convert_##R(T a) { return (R)a; } WIDTHS(CONVERT_N, R, T)
#define CONVERT_TO(R) \
    CONVERT(R, char) CONVERT(R, uchar) CONVERT(R, short) CONVERT(R, ushort) CONVERT(R, int) \
    CONVERT(R, uint) CONVERT(R, long) CONVERT(R, ulong) CONVERT(R, float) CONVERT(R, double)
CONVERT_TO(char) CONVERT_TO(uchar) CONVERT_TO(short) CONVERT_TO(ushort) CONVERT_TO(int)
CONVERT_TO(uint) CONVERT_TO(long) CONVERT_TO(ulong) CONVERT_TO(float) CONVERT_TO(double)

#define SATURATE_N(N, R, T, WIDE, MIN, MAX) \
    R##N OVER convert_##R##N##_sat(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = convert_##R##_sat(a[i]); return r; }
#define SATURATE(R, T, WIDE, MIN, MAX) \
    R OVER convert_##R##_sat(T a) { return (WIDE)a > (WIDE)MAX ? MAX : (WIDE)a < (WIDE)MIN ? MIN : (R)a; } \
    WIDTHS(SATURATE_N, R, T, WIDE, MIN, MAX)
#define SATURATE_TO(R, MIN, MAX) \
    SATURATE(R, char, __int128, MIN, MAX) SATURATE(R, uchar, __int128, MIN, MAX) \
    SATURATE(R, short, __int128, MIN, MAX) SATURATE(R, ushort, __int128, MIN, MAX) \
    SATURATE(R, int, __int128, MIN, MAX) SATURATE(R, uint, __int128, MIN, MAX) \
    SATURATE(R, long, __int128, MIN, MAX) SATURATE(R, ulong, __int128, MIN, MAX)
SATURATE_TO(char, CHAR_MIN, CHAR_MAX) SATURATE_TO(uchar, 0, UCHAR_MAX)
SATURATE_TO(short, SHRT_MIN, SHRT_MAX) SATURATE_TO(ushort, 0, USHRT_MAX)
SATURATE_TO(int, INT_MIN, INT_MAX) SATURATE_TO(uint, 0, UINT_MAX)
SATURATE_TO(long, LONG_MIN, LONG_MAX) SATURATE_TO(ulong, 0, ULONG_MAX)
