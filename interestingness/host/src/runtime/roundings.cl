// Explicit conversions that say how to round, and those of floating-point numbers that saturate.

// The host's libm, by the names that clang knows it by.
#define RINT(X) __builtin_rint((double)(X))
#define CEIL(X) __builtin_ceil((double)(X))
#define FLOOR(X) __builtin_floor((double)(X))
#define TRUNC(X) __builtin_trunc((double)(X))
static float OVER clreduce_nextafter(float x, float y) { return __builtin_nextafterf(x, y); }
static double OVER clreduce_nextafter(double x, double y) { return __builtin_nextafter(x, y); }

#define EACH_N(N, NAME, R, T) \
    R##N OVER convert_##R##N##NAME(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = convert_##R##NAME(a[i]); return r; }
#define ONE(NAME, R, T, VALUE) R OVER convert_##R##NAME(T a) { return VALUE; } WIDTHS(EACH_N, NAME, R, T)

// From integers to integers there is nothing to round.
#define CLIP_WHOLE(R, MIN, MAX) ((__int128)a > (__int128)MAX ? MAX : (__int128)a < (__int128)MIN ? MIN : (R)a)
#define WHOLE(R, T, MIN, MAX) \
    ONE(_rte, R, T, (R)a) ONE(_rtz, R, T, (R)a) ONE(_rtp, R, T, (R)a) ONE(_rtn, R, T, (R)a) \
    ONE(_sat_rte, R, T, CLIP_WHOLE(R, MIN, MAX)) ONE(_sat_rtz, R, T, CLIP_WHOLE(R, MIN, MAX)) \
    ONE(_sat_rtp, R, T, CLIP_WHOLE(R, MIN, MAX)) ONE(_sat_rtn, R, T, CLIP_WHOLE(R, MIN, MAX))
// The limits are powers of two, which floating-point numbers hold; not a number becomes 0.
#define CLIP(R, X, LOW, ABOVE, MIN, MAX) ((X) != (X) ? 0 : (X) < (LOW) ? MIN : (X) >= (ABOVE) ? MAX : (R)(X))
#define TO_WHOLE(R, T, BITS, LOW, ABOVE, MIN, MAX) \
    ONE(_rte, R, T, TO_INTEGER(R, BITS, RINT(a), LOW, ABOVE)) ONE(_rtz, R, T, TO_INTEGER(R, BITS, TRUNC(a), LOW, ABOVE)) \
    ONE(_rtp, R, T, TO_INTEGER(R, BITS, CEIL(a), LOW, ABOVE)) ONE(_rtn, R, T, TO_INTEGER(R, BITS, FLOOR(a), LOW, ABOVE)) \
    ONE(_sat, R, T, CLIP(R, a, LOW, ABOVE, MIN, MAX)) ONE(_sat_rtz, R, T, CLIP(R, a, LOW, ABOVE, MIN, MAX)) \
    ONE(_sat_rte, R, T, CLIP(R, RINT(a), LOW, ABOVE, MIN, MAX)) \
    ONE(_sat_rtp, R, T, CLIP(R, CEIL(a), LOW, ABOVE, MIN, MAX)) \
    ONE(_sat_rtn, R, T, CLIP(R, FLOOR(a), LOW, ABOVE, MIN, MAX))

#define TO(R, BITS, LOW, ABOVE, MIN, MAX) \
    WHOLE(R, char, MIN, MAX) WHOLE(R, uchar, MIN, MAX) WHOLE(R, short, MIN, MAX) WHOLE(R, ushort, MIN, MAX) \
    WHOLE(R, int, MIN, MAX) WHOLE(R, uint, MIN, MAX) WHOLE(R, long, MIN, MAX) WHOLE(R, ulong, MIN, MAX) \
    TO_WHOLE(R, float, BITS, LOW, ABOVE, MIN, MAX) TO_WHOLE(R, double, BITS, LOW, ABOVE, MIN, MAX)
TO(char, 8, -0x1p7, 0x1p7, CHAR_MIN, CHAR_MAX) TO(uchar, 8, 0.0, 0x1p8, 0, UCHAR_MAX)
TO(short, 16, -0x1p15, 0x1p15, SHRT_MIN, SHRT_MAX) TO(ushort, 16, 0.0, 0x1p16, 0, USHRT_MAX)
TO(int, 32, -0x1p31, 0x1p31, INT_MIN, INT_MAX) TO(uint, 32, 0.0, 0x1p32, 0, UINT_MAX)
TO(long, 64, -0x1p63, 0x1p63, LONG_MIN, LONG_MAX) TO(ulong, 64, 0.0, 0x1p64, 0, ULONG_MAX)

// To the nearest, and from there one further where that went the wrong way. Whether it did is seen in a type that
// holds both.
#define NEXT(R, T, WRONG, TOWARDS) ((WRONG) ? clreduce_nextafter((R)a, (R)(TOWARDS)) : (R)a)
#define DIRECTED(R, T, IS_ABOVE, IS_BELOW) \
    ONE(_rte, R, T, (R)a) \
    ONE(_rtp, R, T, NEXT(R, T, IS_BELOW, INFINITY)) ONE(_rtn, R, T, NEXT(R, T, IS_ABOVE, -INFINITY)) \
    ONE(_rtz, R, T, NEXT(R, T, a < 0 ? (IS_BELOW) : (IS_ABOVE), 0))
// A `__int128` holds every whole number that a `long` or an `ulong` can be rounded to.
#define FROM_WHOLE(R, T) DIRECTED(R, T, (__int128)(R)a > (__int128)a, (__int128)(R)a < (__int128)a)
#define FROM_ALL(R) \
    FROM_WHOLE(R, char) FROM_WHOLE(R, uchar) FROM_WHOLE(R, short) FROM_WHOLE(R, ushort) FROM_WHOLE(R, int) \
    FROM_WHOLE(R, uint) FROM_WHOLE(R, long) FROM_WHOLE(R, ulong) \
    DIRECTED(R, float, (double)(R)a > (double)a, (double)(R)a < (double)a) \
    DIRECTED(R, double, (double)(R)a > a, (double)(R)a < a)
FROM_ALL(float) FROM_ALL(double)
