// Explicit conversions.

#define CONVERT_N(N, R, T) \
    R##N OVER convert_##R##N(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = (R)a[i]; return r; }
#define CONVERT(R, T) R OVER convert_##R(T a) { return (R)a; } WIDTHS(CONVERT_N, R, T)
#define CONVERT_WHOLE(R) \
    CONVERT(R, char) CONVERT(R, uchar) CONVERT(R, short) CONVERT(R, ushort) CONVERT(R, int) \
    CONVERT(R, uint) CONVERT(R, long) CONVERT(R, ulong)
#define CONVERT_REAL_N(N, R, T) \
    R##N OVER convert_##R##N(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = convert_##R(a[i]); return r; }
#define CONVERT_REAL(R, T, BITS, LOW, ABOVE) \
    R OVER convert_##R(T a) { return TO_INTEGER(R, BITS, __builtin_trunc((double)a), LOW, ABOVE); } \
    WIDTHS(CONVERT_REAL_N, R, T)
#define CONVERT_TO(R, ...) CONVERT_WHOLE(R) CONVERT_REAL(R, float, __VA_ARGS__) CONVERT_REAL(R, double, __VA_ARGS__)
CONVERT_TO(char, 8, -0x1p7, 0x1p7) CONVERT_TO(uchar, 8, 0.0, 0x1p8)
CONVERT_TO(short, 16, -0x1p15, 0x1p15) CONVERT_TO(ushort, 16, 0.0, 0x1p16)
CONVERT_TO(int, 32, -0x1p31, 0x1p31) CONVERT_TO(uint, 32, 0.0, 0x1p32)
CONVERT_TO(long, 64, -0x1p63, 0x1p63) CONVERT_TO(ulong, 64, 0.0, 0x1p64)
CONVERT_WHOLE(float) CONVERT(float, float) CONVERT(float, double)
CONVERT_WHOLE(double) CONVERT(double, float) CONVERT(double, double)

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
