// ---- cuda_fp16.h: numbers of 16 bits; results are rounded from those of 32 ----

#pragma clang force_cuda_host_device begin
static inline float clreduce_of_half(unsigned short bits)
{
    unsigned sign = (unsigned)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    if (exponent == 0) {
        float small = (float)fraction * 0x1p-24f;
        return sign ? -small : small;
    }
    exponent = exponent == 31 ? 255 : exponent + 112;
    return __builtin_bit_cast(float, sign | exponent << 23 | fraction << 13);
}
// To the nearest number, and to the even one of two.
static inline unsigned short clreduce_to_half(float value)
{
    unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
    if (rest > 0x7f800000)
        return (unsigned short)0x7fff;
    if (rest >= 0x477ff000)
        return (unsigned short)(sign | 0x7c00);
    if (rest < 0x38800000) {
        float shifted = __builtin_bit_cast(float, rest) * 0x1p24f;
        return (unsigned short)(sign | (unsigned)__builtin_rintf(shifted));
    }
    unsigned rounded = rest + 0xfff + (rest >> 13 & 1);
    return (unsigned short)(sign | (rounded - 0x38000000) >> 13);
}
struct __align__(2) __half {
    unsigned short __x;
    __half() = default;
    __half(float a) : __x(clreduce_to_half(a)) {}
    __half(double a) : __x(clreduce_to_half((float)a)) {}
    __half(int a) : __x(clreduce_to_half((float)a)) {}
    __half(unsigned a) : __x(clreduce_to_half((float)a)) {}
    operator float() const { return clreduce_of_half(__x); }
};
typedef __half half;
typedef __half __nv_half;
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half2 half2;
static inline float __half2float(__half a) { return clreduce_of_half(a.__x); }
static inline __half __float2half(float a) { return __half(a); }
static inline __half __double2half(double a) { return __half(a); }
static inline unsigned short __half_as_ushort(__half a) { return a.__x; }
static inline short __half_as_short(__half a) { return (short)a.__x; }
static inline __half __ushort_as_half(unsigned short a) { __half h; h.__x = a; return h; }
static inline __half __short_as_half(short a) { return __ushort_as_half((unsigned short)a); }
// Out of range, conversions give the nearest number.
static inline double clreduce_within(float a, double low, double high) { return a != a ? 0 : a < low ? low : a > high ? high : a; }
#define HALF_ROUNDED(mode, round) \
    static inline __half __float2half_##mode(float a) { return __half(a); } \
    static inline __half __int2half_##mode(int a) { return __half((float)a); } \
    static inline __half __uint2half_##mode(unsigned a) { return __half((float)a); } \
    static inline __half __short2half_##mode(short a) { return __half((float)a); } \
    static inline __half __ushort2half_##mode(unsigned short a) { return __half((float)a); } \
    static inline int __half2int_##mode(__half a) { return (int)clreduce_within(__builtin_##round(a), -0x1p31, 0x1p31 - 1); } \
    static inline unsigned __half2uint_##mode(__half a) { return (unsigned)clreduce_within(__builtin_##round(a), 0, 0x1p32 - 1); } \
    static inline short __half2short_##mode(__half a) { return (short)clreduce_within(__builtin_##round(a), -32768, 32767); } \
    static inline unsigned short __half2ushort_##mode(__half a) { return (unsigned short)clreduce_within(__builtin_##round(a), 0, 65535); }
HALF_ROUNDED(rn, rintf) HALF_ROUNDED(rz, truncf) HALF_ROUNDED(ru, ceilf) HALF_ROUNDED(rd, floorf)
#undef HALF_ROUNDED
static inline __half2 make_half2(__half x, __half y) { return __half2(x, y); }
static inline __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
static inline __half2 __half2half2(__half a) { return __half2(a, a); }
static inline __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static inline __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static inline __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
static inline float2 __half22float2(__half2 a) { return make_float2(a.x, a.y); }
static inline __half __low2half(__half2 a) { return a.x; }
static inline __half __high2half(__half2 a) { return a.y; }
static inline float __low2float(__half2 a) { return a.x; }
static inline float __high2float(__half2 a) { return a.y; }
static inline __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
static inline __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static inline __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
// The same of one number and of both of a pair.
#define HALF_UNARY(one, both, value) \
    static inline __half one(__half h) { float a = h; return __half((float)(value)); } \
    static inline __half2 both(__half2 a) { return __half2(one(a.x), one(a.y)); }
#define HALF_BINARY(one, both, value) \
    static inline __half one(__half h, __half i) { float a = h, b = i; return __half((float)(value)); } \
    static inline __half2 both(__half2 a, __half2 b) { return __half2(one(a.x, b.x), one(a.y, b.y)); }
#define HALF_COMPARE(name, value) \
    static inline bool __h##name(__half h, __half i) { float a = h, b = i; return value; } \
    static inline __half2 __h##name##2(__half2 a, __half2 b) \
    { return __half2(__half((float)__h##name(a.x, b.x)), __half((float)__h##name(a.y, b.y))); } \
    static inline bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }
HALF_UNARY(__hneg, __hneg2, -a) HALF_UNARY(__habs, __habs2, __builtin_fabsf(a)) HALF_UNARY(hsqrt, h2sqrt, __builtin_sqrtf(a))
HALF_UNARY(hrsqrt, h2rsqrt, 1 / __builtin_sqrtf(a)) HALF_UNARY(hrcp, h2rcp, 1 / a) HALF_UNARY(hexp, h2exp, __builtin_expf(a))
HALF_UNARY(hexp2, h2exp2, __builtin_exp2f(a)) HALF_UNARY(hlog, h2log, __builtin_logf(a)) HALF_UNARY(hlog2, h2log2, __builtin_log2f(a))
HALF_UNARY(hsin, h2sin, __builtin_sinf(a)) HALF_UNARY(hcos, h2cos, __builtin_cosf(a)) HALF_UNARY(hfloor, h2floor, __builtin_floorf(a))
HALF_UNARY(hceil, h2ceil, __builtin_ceilf(a)) HALF_UNARY(htrunc, h2trunc, __builtin_truncf(a)) HALF_UNARY(hrint, h2rint, __builtin_rintf(a))
HALF_BINARY(__hadd, __hadd2, a + b) HALF_BINARY(__hsub, __hsub2, a - b) HALF_BINARY(__hmul, __hmul2, a * b)
HALF_BINARY(__hadd_rn, __hadd2_rn, a + b) HALF_BINARY(__hsub_rn, __hsub2_rn, a - b) HALF_BINARY(__hmul_rn, __hmul2_rn, a * b)
HALF_BINARY(__hadd_sat, __hadd2_sat, __builtin_fminf(__builtin_fmaxf(a + b, 0), 1))
HALF_BINARY(__hmul_sat, __hmul2_sat, __builtin_fminf(__builtin_fmaxf(a * b, 0), 1))
HALF_BINARY(__hdiv, __h2div, a / b) HALF_BINARY(__hmax, __hmax2, __builtin_fmaxf(a, b)) HALF_BINARY(__hmin, __hmin2, __builtin_fminf(a, b))
HALF_COMPARE(eq, a == b) HALF_COMPARE(ne, a < b || a > b) HALF_COMPARE(lt, a < b) HALF_COMPARE(le, a <= b)
HALF_COMPARE(gt, a > b) HALF_COMPARE(ge, a >= b)
#undef HALF_UNARY
#undef HALF_BINARY
#undef HALF_COMPARE
static inline __half __hfma(__half a, __half b, __half c) { return __half(__builtin_fmaf(a, b, c)); }
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
static inline bool __hisnan(__half a) { return __builtin_isnan((float)a); }
static inline int __hisinf(__half a) { return __builtin_isinf((float)a) ? (float)a < 0 ? -1 : 1 : 0; }
#define HALF_OPERATOR(operation, one, both) \
    static inline __half operator operation(const __half &a, const __half &b) { return one(a, b); } \
    static inline __half2 operator operation(const __half2 &a, const __half2 &b) { return both(a, b); } \
    static inline __half &operator operation##=(__half &a, const __half &b) { return a = one(a, b); } \
    static inline __half2 &operator operation##=(__half2 &a, const __half2 &b) { return a = both(a, b); }
HALF_OPERATOR(+, __hadd, __hadd2) HALF_OPERATOR(-, __hsub, __hsub2) HALF_OPERATOR(*, __hmul, __hmul2) HALF_OPERATOR(/, __hdiv, __h2div)
#undef HALF_OPERATOR
#define HALF_COMPARE(operation, name) \
    static inline bool operator operation(const __half &a, const __half &b) { return name(a, b); }
HALF_COMPARE(==, __heq) HALF_COMPARE(!=, __hne) HALF_COMPARE(<, __hlt) HALF_COMPARE(<=, __hle) HALF_COMPARE(>, __hgt) HALF_COMPARE(>=, __hge)
#undef HALF_COMPARE
static inline __half operator-(const __half &a) { return __hneg(a); }
static inline __half2 operator-(const __half2 &a) { return __hneg2(a); }
#define HALF_SHUFFLE(name, type) \
    static inline __half name(unsigned mask, __half value, type by, int width = 32) \
    { return __ushort_as_half((unsigned short)name(mask, (unsigned)__half_as_ushort(value), by, width)); } \
    static inline __half2 name(unsigned mask, __half2 value, type by, int width = 32) \
    { return __builtin_bit_cast(__half2, name(mask, __builtin_bit_cast(unsigned, value), by, width)); }
HALF_SHUFFLE(__shfl_sync, int) HALF_SHUFFLE(__shfl_up_sync, unsigned) HALF_SHUFFLE(__shfl_down_sync, unsigned) HALF_SHUFFLE(__shfl_xor_sync, int)
#undef HALF_SHUFFLE
static inline __attribute__((no_sanitize("address"))) __half atomicAdd(__half *place, __half value)
{ CLREDUCE_ATOMIC(place, add, value); __half old = *place; *place = old + value; return old; }
static inline __attribute__((no_sanitize("address"))) __half2 atomicAdd(__half2 *place, __half2 value)
{ CLREDUCE_ATOMIC(place, add, value); __half2 old = *place; *place = old + value; return old; }
#pragma clang force_cuda_host_device end
