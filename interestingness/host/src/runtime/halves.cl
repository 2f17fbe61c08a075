// Numbers of 16 bits in memory, which kernels load and store as larger ones.

static double clreduce_from_half(ushort bits)
{
    double value = bits & 0x3ff;
    int exponent = bits >> 10 & 31;
    if (exponent == 31)
        value = value != 0 ? NAN : INFINITY;
    else
        value = exponent ? (value + 1024) * as_double((ulong)(exponent - 25 + 1023) << 52) : value * 0x1p-24;
    return bits >> 15 ? -value : value;
}

// How to round: to the nearest, towards zero, up, down.
enum { RTE, RTZ, RTP, RTN };

static ushort clreduce_to_half(double value, int mode)
{
    ushort sign = as_ulong(value) >> 48 & 0x8000;
    double size = __builtin_fabs(value);
    if (value != value)
        return sign | 0x7e00;
    bool away = mode == RTP ? !sign : mode == RTN && sign;
    if (size > 65504) {
        bool infinite = size == INFINITY || away || mode == RTE && size >= 65520;
        return sign | (infinite ? 0x7c00 : 0x7bff);
    }
    // In units of the last place.
    int exponent = (int)(as_ulong(size) >> 52) - 1023;
    int unit = (exponent < -14 ? -14 : exponent) - 10;
    double units = size * as_double((ulong)(1023 - unit) << 52);
    double rounded = mode == RTE ? __builtin_rint(units) : away ? __builtin_ceil(units) : __builtin_floor(units);
    // One more unit than fits goes over into the exponent, as it should.
    ushort whole = (ushort)rounded;
    return sign | (exponent < -14 ? whole : (ushort)((exponent + 14) << 10) + whole);
}

#define LOAD_N(N, SPACE) \
    float##N OVER vload_half##N(size_t o, const SPACE half *p) \
    { float##N r; for (int i = 0; i < N; i++) r[i] = (float)clreduce_from_half(((const SPACE ushort *)p)[o * N + i]); return r; } \
    float##N OVER vloada_half##N(size_t o, const SPACE half *p) \
    { int step = N == 3 ? 4 : N; float##N r; for (int i = 0; i < N; i++) r[i] = (float)clreduce_from_half(((const SPACE ushort *)p)[o * step + i]); return r; }
#define LOAD(SPACE) \
    float OVER vload_half(size_t o, const SPACE half *p) { return (float)clreduce_from_half(((const SPACE ushort *)p)[o]); } \
    float OVER vloada_half(size_t o, const SPACE half *p) { return vload_half(o, p); } \
    WIDTHS(LOAD_N, SPACE)
LOAD(__global) LOAD(__local) LOAD(__constant) LOAD(__private)

#define STORE_N(N, T, SPACE, NAME, MODE) \
    void OVER vstore_half##N##NAME(T##N v, size_t o, SPACE half *p) \
    { for (int i = 0; i < N; i++) ((SPACE ushort *)p)[o * N + i] = clreduce_to_half(v[i], MODE); } \
    void OVER vstorea_half##N##NAME(T##N v, size_t o, SPACE half *p) \
    { int step = N == 3 ? 4 : N; for (int i = 0; i < N; i++) ((SPACE ushort *)p)[o * step + i] = clreduce_to_half(v[i], MODE); }
#define STORE(T, SPACE, NAME, MODE) \
    void OVER vstore_half##NAME(T v, size_t o, SPACE half *p) { ((SPACE ushort *)p)[o] = clreduce_to_half(v, MODE); } \
    void OVER vstorea_half##NAME(T v, size_t o, SPACE half *p) { vstore_half##NAME(v, o, p); } \
    WIDTHS(STORE_N, T, SPACE, NAME, MODE)
#define STORES(T, SPACE) \
    STORE(T, SPACE, , RTE) STORE(T, SPACE, _rte, RTE) STORE(T, SPACE, _rtz, RTZ) STORE(T, SPACE, _rtp, RTP) STORE(T, SPACE, _rtn, RTN)
#define STORES_OF(T) STORES(T, __global) STORES(T, __local) STORES(T, __private)
STORES_OF(float) STORES_OF(double)
