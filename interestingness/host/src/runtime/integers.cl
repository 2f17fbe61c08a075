// Integer functions and selection.

// `long` has 64 bits here, and `long long` 128. What depends on the sign comes as arguments: type, its unsigned type, bits, one twice as wide.
#define INTEGER(T, U, BITS, WIDE, MIN, MAX) \
    U OVER abs(T x) { return x < 0 ? (U)0 - (U)x : (U)x; } \
    U OVER abs_diff(T x, T y) { return x > y ? (U)x - (U)y : (U)y - (U)x; } \
    T OVER add_sat(T x, T y) { WIDE r = (WIDE)x + (WIDE)y; return r > (WIDE)MAX ? MAX : r < (WIDE)MIN ? MIN : (T)r; } \
    T OVER sub_sat(T x, T y) { return clreduce_sub_sat(x, y); } \
    T OVER hadd(T x, T y) { return (x >> 1) + (y >> 1) + (x & y & 1); } \
    T OVER rhadd(T x, T y) { return (x >> 1) + (y >> 1) + ((x | y) & 1); } \
    T OVER max(T x, T y) { return x < y ? y : x; } \
    T OVER min(T x, T y) { return y < x ? y : x; } \
    T OVER clamp(T x, T low, T high) { if (low > high) clreduce_clamp_range(); return min(max(x, low), high); } \
    T OVER rotate(T x, T y) { uint s = (uint)y & (BITS - 1); return (T)(U)(((U)x << s) | (U)((U)x >> ((BITS - s) & (BITS - 1)))); } \
    T OVER popcount(T x) { return (T)__builtin_popcountl((ulong)(U)x); } \
    T OVER clz(T x) { return (T)((U)x == 0 ? BITS : __builtin_clzl((ulong)(U)x) - (64 - BITS)); } \
    T OVER ctz(T x) { return (T)((U)x == 0 ? BITS : __builtin_ctzl((ulong)(U)x)); } \
    T OVER mad_hi(T a, T b, T c) { return (T)((U)mul_hi(a, b) + (U)c); } \
    MAP1(abs, U, T) MAP1(popcount, T, T) MAP1(clz, T, T) MAP1(ctz, T, T) \
    MAP2(abs_diff, U, T) MAP2(add_sat, T, T) MAP2(sub_sat, T, T) MAP2(hadd, T, T) MAP2(rhadd, T, T) \
    MAP2(max, T, T) MAP2(min, T, T) MAP2(rotate, T, T) MAP2(mul_hi, T, T) \
    MAP2S(max, T, T) MAP2S(min, T, T) \
    static T OVER clreduce_lane(T x, T low, T high) { return low > high ? (T)clreduce_undefined_clamp_i##BITS() : min(max(x, low), high); } \
    WIDTHS(CLAMP_N, T) MAP3(mad_hi, T, T) MAP3(mad_sat, T, T)

// Zero, with the bits unset that are unset in a number: MemorySanitizer does not follow what a product carries into its upper half.
#if __has_feature(memory_sanitizer)
void __msan_unpoison(const volatile void *place, ulong bytes);
#define UNSET(T) static T OVER clreduce_unset(T x) { T set = x; __msan_unpoison(&set, sizeof set); return x ^ set; }
#else
#define UNSET(T) static T OVER clreduce_unset(T x) { return 0; }
#endif

// The products that need twice the width; 128 bits are the host compiler's.
#define PRODUCTS(T, WIDE, BITS, MIN, MAX) \
    UNSET(T) \
    T OVER mul_hi(T x, T y) { return (T)(((WIDE)x * (WIDE)y) >> BITS) ^ clreduce_unset(x) ^ clreduce_unset(y); } \
    static T OVER clreduce_sub_sat(T x, T y) { WIDE r = (WIDE)x - (WIDE)y; return r > (WIDE)MAX ? MAX : r < (WIDE)MIN ? MIN : (T)r; } \
    T OVER mad_sat(T a, T b, T c) { WIDE r = (WIDE)a * (WIDE)b + (WIDE)c; return r > (WIDE)MAX ? MAX : r < (WIDE)MIN ? MIN : (T)r; }

// An unsigned difference must be allowed to go below zero: `long` and `__int128` hold all of them.
PRODUCTS(char, long, 8, CHAR_MIN, CHAR_MAX)
PRODUCTS(uchar, long, 8, 0, UCHAR_MAX)
PRODUCTS(short, long, 16, SHRT_MIN, SHRT_MAX)
PRODUCTS(ushort, long, 16, 0, USHRT_MAX)
PRODUCTS(int, long, 32, INT_MIN, INT_MAX)
PRODUCTS(uint, __int128, 32, 0, UINT_MAX)
PRODUCTS(long, __int128, 64, LONG_MIN, LONG_MAX)

UNSET(ulong)
ulong OVER mul_hi(ulong x, ulong y)
{
    return (ulong)(((unsigned __int128)x * y) >> 64) ^ clreduce_unset(x) ^ clreduce_unset(y);
}
static ulong OVER clreduce_sub_sat(ulong x, ulong y) { return x < y ? 0 : x - y; }
ulong OVER mad_sat(ulong a, ulong b, ulong c)
{
    // The largest product plus the largest addend is just below 2^128.
    unsigned __int128 r = (unsigned __int128)a * b + c;
    return r >> 64 ? ULONG_MAX : (ulong)r;
}

INTEGER(char, uchar, 8, int, CHAR_MIN, CHAR_MAX)
INTEGER(uchar, uchar, 8, int, 0, UCHAR_MAX)
INTEGER(short, ushort, 16, int, SHRT_MIN, SHRT_MAX)
INTEGER(ushort, ushort, 16, int, 0, USHRT_MAX)
INTEGER(int, uint, 32, long, INT_MIN, INT_MAX)
INTEGER(uint, uint, 32, long, 0, UINT_MAX)
INTEGER(long, ulong, 64, __int128, LONG_MIN, LONG_MAX)
INTEGER(ulong, ulong, 64, __int128, 0, ULONG_MAX)

#define MUL24(T, WIDE, MIN, MAX) \
    T OVER mul24(T x, T y) \
    { \
        int fits = x >= MIN && x <= MAX && y >= MIN && y <= MAX; \
        return fits ? (T)((WIDE)x * (WIDE)y) : (T)clreduce_undefined_factor_i32(); \
    } \
    T OVER mad24(T x, T y, T z) { return (T)((uint)mul24(x, y) + (uint)z); } \
    MAP2(mul24, T, T) MAP3(mad24, T, T)
MUL24(int, long, -0x800000, 0x7fffff)
MUL24(uint, ulong, 0, 0xffffff)

#define UPSAMPLE_N(N, R, T, L, BITS) \
    R##N OVER upsample(T##N h, L##N l) { R##N r; for (int i = 0; i < N; i++) r[i] = upsample(h[i], l[i]); return r; }
#define UPSAMPLE(R, UR, T, L, BITS) \
    R OVER upsample(T h, L l) { return (R)(((UR)h << BITS) | (UR)l); } \
    WIDTHS(UPSAMPLE_N, R, T, L, BITS)
UPSAMPLE(short, ushort, char, uchar, 8)
UPSAMPLE(ushort, ushort, uchar, uchar, 8)
UPSAMPLE(int, uint, short, ushort, 16)
UPSAMPLE(uint, uint, ushort, ushort, 16)
UPSAMPLE(long, ulong, int, uint, 32)
UPSAMPLE(ulong, ulong, uint, uint, 32)

#define TRUTH_N(N, T) \
    int OVER any(T##N a) { int r = 0; for (int i = 0; i < N; i++) r |= a[i] < 0; return r; } \
    int OVER all(T##N a) { int r = 1; for (int i = 0; i < N; i++) r &= a[i] < 0; return r; }
#define TRUTH(T) int OVER any(T a) { return a < 0; } int OVER all(T a) { return a < 0; } WIDTHS(TRUTH_N, T)
TRUTH(char) TRUTH(short) TRUTH(int) TRUTH(long)

SELECT(char, char, char) SELECT(char, uchar, char) SELECT(uchar, char, char) SELECT(uchar, uchar, char)
SELECT(short, short, short) SELECT(short, ushort, short) SELECT(ushort, short, short) SELECT(ushort, ushort, short)
SELECT(int, int, int) SELECT(int, uint, int) SELECT(uint, int, int) SELECT(uint, uint, int)
SELECT(long, long, long) SELECT(long, ulong, long) SELECT(ulong, long, long) SELECT(ulong, ulong, long)

#define BITSELECT(T) \
    T OVER bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); } MAP3(bitselect, T, T)
BITSELECT(char) BITSELECT(uchar) BITSELECT(short) BITSELECT(ushort)
BITSELECT(int) BITSELECT(uint) BITSELECT(long) BITSELECT(ulong)
