// Floating point; the host's libm computes, which is at least as exact as OpenCL asks for.

#define LIBM1(NAME, F, D) \
    float clreduce_##F(float) __asm__(#F); double clreduce_##D(double) __asm__(#D); \
    float OVER NAME(float x) { return clreduce_##F(x); } double OVER NAME(double x) { return clreduce_##D(x); } \
    MAP1(NAME, float, float) MAP1(NAME, double, double)
#define LIBM2(NAME, F, D) \
    float clreduce_##F(float, float) __asm__(#F); double clreduce_##D(double, double) __asm__(#D); \
    float OVER NAME(float x, float y) { return clreduce_##F(x, y); } \
    double OVER NAME(double x, double y) { return clreduce_##D(x, y); } \
    MAP2(NAME, float, float) MAP2(NAME, double, double)
#define LIBM3(NAME, F, D) \
    float clreduce_##F(float, float, float) __asm__(#F); double clreduce_##D(double, double, double) __asm__(#D); \
    float OVER NAME(float x, float y, float z) { return clreduce_##F(x, y, z); } \
    double OVER NAME(double x, double y, double z) { return clreduce_##D(x, y, z); } \
    MAP3(NAME, float, float) MAP3(NAME, double, double)
LIBM1(sqrt, sqrtf, sqrt) LIBM1(cbrt, cbrtf, cbrt) LIBM1(fabs, fabsf, fabs) LIBM1(floor, floorf, floor)
LIBM1(ceil, ceilf, ceil) LIBM1(trunc, truncf, trunc) LIBM1(round, roundf, round) LIBM1(rint, rintf, rint)
LIBM1(sin, sinf, sin) LIBM1(cos, cosf, cos) LIBM1(tan, tanf, tan) LIBM1(asin, asinf, asin)
LIBM1(acos, acosf, acos) LIBM1(atan, atanf, atan) LIBM1(sinh, sinhf, sinh) LIBM1(cosh, coshf, cosh)
LIBM1(tanh, tanhf, tanh) LIBM1(exp, expf, exp) LIBM1(exp2, exp2f, exp2) LIBM1(expm1, expm1f, expm1)
LIBM1(log, logf, log) LIBM1(log2, log2f, log2) LIBM1(log10, log10f, log10) LIBM1(log1p, log1pf, log1p)
LIBM1(erf, erff, erf) LIBM1(erfc, erfcf, erfc) LIBM1(tgamma, tgammaf, tgamma) LIBM1(lgamma, lgammaf, lgamma)
LIBM1(asinh, asinhf, asinh) LIBM1(acosh, acoshf, acosh) LIBM1(atanh, atanhf, atanh) LIBM1(exp10, exp10f, exp10)
LIBM1(logb, logbf, logb)
LIBM2(pow, powf, pow) LIBM2(powr, powf, pow) LIBM2(fmod, fmodf, fmod) LIBM2(remainder, remainderf, remainder)
LIBM2(atan2, atan2f, atan2) LIBM2(hypot, hypotf, hypot) LIBM2(fmin, fminf, fmin) LIBM2(fmax, fmaxf, fmax)
LIBM2(fdim, fdimf, fdim) LIBM2(copysign, copysignf, copysign) LIBM2(nextafter, nextafterf, nextafter)
LIBM3(fma, fmaf, fma)

#define FLOATING(T, ONE, BITS) \
    T OVER mad(T a, T b, T c) { return a * b + c; } MAP3(mad, T, T) \
    T OVER max(T x, T y) { return x < y ? y : x; } MAP2(max, T, T) MAP2S(max, T, T) \
    T OVER min(T x, T y) { return y < x ? y : x; } MAP2(min, T, T) MAP2S(min, T, T) \
    T OVER clamp(T x, T low, T high) { if (low > high) clreduce_clamp_range(); return fmin(fmax(x, low), high); } \
    static T OVER clreduce_lane(T x, T low, T high) { return low > high ? (T)clreduce_undefined_clamp_i##BITS() : fmin(fmax(x, low), high); } \
    WIDTHS(CLAMP_N, T) MAP2S(fmin, T, T) MAP2S(fmax, T, T) \
    T OVER mix(T x, T y, T a) { return x + (y - x) * a; } MAP3(mix, T, T) WIDTHS(MIX_N, T) \
    T OVER step(T edge, T x) { return x < edge ? 0 : ONE; } MAP2(step, T, T) WIDTHS(STEP_N, T) \
    T OVER smoothstep(T low, T high, T x) { T t = clreduce_unit((x - low) / (high - low)); return t * t * (3 - 2 * t); } \
    MAP3(smoothstep, T, T) WIDTHS(SMOOTHSTEP_N, T) \
    T OVER maxmag(T x, T y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); } MAP2(maxmag, T, T) \
    T OVER minmag(T x, T y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); } MAP2(minmag, T, T) \
    T OVER sinpi(T x) { return sin(clreduce_turn(x) * (T)M_PI); } MAP1(sinpi, T, T) \
    T OVER cospi(T x) { return cos(clreduce_turn(x) * (T)M_PI); } MAP1(cospi, T, T) \
    T OVER tanpi(T x) { return tan(clreduce_turn(x) * (T)M_PI); } MAP1(tanpi, T, T) \
    T OVER asinpi(T x) { return asin(x) / (T)M_PI; } MAP1(asinpi, T, T) \
    T OVER acospi(T x) { return acos(x) / (T)M_PI; } MAP1(acospi, T, T) \
    T OVER atanpi(T x) { return atan(x) / (T)M_PI; } MAP1(atanpi, T, T) \
    T OVER atan2pi(T y, T x) { return atan2(y, x) / (T)M_PI; } MAP2(atan2pi, T, T) \
    T OVER pown(T x, int y) { return (T)pow((double)x, (double)y); } WIDTHS(WITH_INT_N, pown, T) \
    T OVER rootn(T x, int n) { return clreduce_rootn(x, n); } WIDTHS(WITH_INT_N, rootn, T) \
    T OVER ldexp(T x, int n) { return (T)__builtin_ldexp((double)x, n); } WIDTHS(WITH_INT_N, ldexp, T) \
    WIDTHS(WITH_SCALAR_INT_N, ldexp, T) \
    int OVER ilogb(T x) { return __builtin_ilogb((double)x); } WIDTHS(TO_INT_N, ilogb, T) \
    POINTERS(T, __private) POINTERS(T, __global) POINTERS(T, __local) \
    T OVER sign(T x) { return x > 0 ? ONE : x < 0 ? -ONE : x == 0 ? x : 0; } MAP1(sign, T, T) \
    T OVER rsqrt(T x) { return ONE / sqrt(x); } MAP1(rsqrt, T, T) \
    T OVER degrees(T x) { return x * (T)57.295779513082320877; } MAP1(degrees, T, T) \
    T OVER radians(T x) { return x * (T)0.017453292519943295769; } MAP1(radians, T, T) \
    T OVER dot(T a, T b) { return a * b; } DOT(2, T) DOT(3, T) DOT(4, T) \
    T OVER length(T a) { return fabs(a); } LENGTH(2, T) LENGTH(3, T) LENGTH(4, T)
#define MIX_N(N, T) T##N OVER mix(T##N x, T##N y, T a) { return mix(x, y, (T##N)a); }
#define STEP_N(N, T) T##N OVER step(T edge, T##N x) { return step((T##N)edge, x); }
#define SMOOTHSTEP_N(N, T) T##N OVER smoothstep(T low, T high, T##N x) { return smoothstep((T##N)low, (T##N)high, x); }
#define WITH_INT_N(N, NAME, T) T##N OVER NAME(T##N x, int##N y) { T##N r; for (int i = 0; i < N; i++) r[i] = NAME(x[i], y[i]); return r; }
#define WITH_SCALAR_INT_N(N, NAME, T) T##N OVER NAME(T##N x, int y) { return NAME(x, (int##N)y); }
#define TO_INT_N(N, NAME, T) int##N OVER NAME(T##N x) { int##N r; for (int i = 0; i < N; i++) r[i] = NAME(x[i]); return r; }
// A part of a turn that has the same sine.
static float OVER clreduce_turn(float x) { return fmod(x, 2.0f); }
static double OVER clreduce_turn(double x) { return fmod(x, 2.0); }
static float OVER clreduce_unit(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double OVER clreduce_unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
static double clreduce_rootn(double x, int n) { return x < 0 && n % 2 ? -pow(-x, 1.0 / n) : pow(x, 1.0 / n); }
// What gives a second result through a pointer.
#define POINTER_N(N, NAME, T, P, SPACE) \
    T##N OVER NAME(T##N x, SPACE P##N *p) { T##N r; P##N q; for (int i = 0; i < N; i++) { P one; r[i] = NAME(x[i], &one); q[i] = one; } *p = q; return r; }
#define POINTERS(T, SPACE) \
    T OVER fract(T x, SPACE T *p) { T below = floor(x); *p = below; return fmin(x - below, clreduce_below_one(x)); } \
    T OVER modf(T x, SPACE T *p) { T whole = trunc(x); *p = whole; return copysign(fabs(x) == INFINITY ? 0 : x - whole, x); } \
    T OVER sincos(T x, SPACE T *p) { *p = cos(x); return sin(x); } \
    T OVER frexp(T x, SPACE int *p) { int n; T r = (T)__builtin_frexp((double)x, &n); *p = n; return r; } \
    T OVER lgamma_r(T x, SPACE int *p) { int n = clreduce_sign_of_gamma(x); *p = n; return lgamma(x); } \
    T OVER remquo(T x, T y, SPACE int *p) { int n; T r = (T)__builtin_remquo((double)x, (double)y, &n); *p = n; return r; } \
    WIDTHS(POINTER_N, fract, T, T, SPACE) WIDTHS(POINTER_N, modf, T, T, SPACE) WIDTHS(POINTER_N, sincos, T, T, SPACE) \
    WIDTHS(POINTER_N, frexp, T, int, SPACE) WIDTHS(POINTER_N, lgamma_r, T, int, SPACE) WIDTHS(REMQUO_N, T, SPACE)
#define REMQUO_N(N, T, SPACE) \
    T##N OVER remquo(T##N x, T##N y, SPACE int##N *p) \
    { T##N r; int##N q; for (int i = 0; i < N; i++) { int one; r[i] = remquo(x[i], y[i], &one); q[i] = one; } *p = q; return r; }
static float OVER clreduce_below_one(float x) { return 0x1.fffffep-1f; }
static double OVER clreduce_below_one(double x) { return 0x1.fffffffffffffp-1; }
static int clreduce_sign_of_gamma(double x)
{
    return x < 0 && x != __builtin_floor(x) && __builtin_fmod(__builtin_floor(x), 2.0) != 0 ? -1 : 1;
}
#define DOT(N, T) T OVER dot(T##N a, T##N b) { T r = 0; for (int i = 0; i < N; i++) r += a[i] * b[i]; return r; }
#define LENGTH(N, T) \
    T OVER length(T##N a) { return sqrt(dot(a, a)); } \
    T OVER distance(T##N a, T##N b) { return length(a - b); } \
    T##N OVER normalize(T##N a) { return a / length(a); }
FLOATING(float, 1.0f, 32)
FLOATING(double, 1.0, 64)

#define COMPARE_N(N, NAME, T, R) \
    R##N OVER NAME(T##N a, T##N b) { R##N r; for (int i = 0; i < N; i++) r[i] = (R)-NAME(a[i], b[i]); return r; }
#define COMPARE(NAME, OP) \
    int OVER NAME(float a, float b) { return a OP b; } int OVER NAME(double a, double b) { return a OP b; } \
    WIDTHS(COMPARE_N, NAME, float, int) WIDTHS(COMPARE_N, NAME, double, long)
COMPARE(isequal, ==) COMPARE(isnotequal, !=) COMPARE(isgreater, >) COMPARE(isgreaterequal, >=)
COMPARE(isless, <) COMPARE(islessequal, <=)
#define COMPARE_BY(NAME, VALUE) \
    int OVER NAME(float a, float b) { return VALUE; } int OVER NAME(double a, double b) { return VALUE; } \
    WIDTHS(COMPARE_N, NAME, float, int) WIDTHS(COMPARE_N, NAME, double, long)
COMPARE_BY(islessgreater, a < b || a > b) COMPARE_BY(isordered, a == a && b == b) COMPARE_BY(isunordered, a != a || b != b)
#define CLASSIFY_N(N, NAME, T, R) \
    R##N OVER NAME(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = (R)-NAME(a[i]); return r; }
#define CLASSIFY(NAME) \
    int OVER NAME(float a) { return __builtin_##NAME(a) != 0; } int OVER NAME(double a) { return __builtin_##NAME(a) != 0; } \
    WIDTHS(CLASSIFY_N, NAME, float, int) WIDTHS(CLASSIFY_N, NAME, double, long)
CLASSIFY(isnan) CLASSIFY(isinf) CLASSIFY(isfinite) CLASSIFY(isnormal) CLASSIFY(signbit)

#define NATIVE(NAME) float OVER native_##NAME(float x) { return NAME(x); } float OVER half_##NAME(float x) { return NAME(x); } \
    MAP1(native_##NAME, float, float) MAP1(half_##NAME, float, float)
NATIVE(sqrt) NATIVE(rsqrt) NATIVE(sin) NATIVE(cos) NATIVE(tan) NATIVE(exp) NATIVE(exp2) NATIVE(exp10)
NATIVE(log) NATIVE(log2) NATIVE(log10)
#define NATIVE1(NAME, VALUE) float OVER NAME(float x) { return VALUE; } MAP1(NAME, float, float)
#define NATIVE2(NAME, VALUE) float OVER NAME(float x, float y) { return VALUE; } MAP2(NAME, float, float)
NATIVE1(native_recip, 1 / x) NATIVE1(half_recip, 1 / x)
NATIVE2(native_divide, x / y) NATIVE2(half_divide, x / y) NATIVE2(native_powr, pow(x, y)) NATIVE2(half_powr, pow(x, y))

#define NAN_N(N, R, T) R##N OVER nan(T##N code) { return as_##R##N(code | clreduce_nan((T)0)); }
static uint OVER clreduce_nan(uint code) { return 0x7fc00000; }
static ulong OVER clreduce_nan(ulong code) { return 0x7ff8000000000000; }
float OVER nan(uint code) { return as_float(code | 0x7fc00000); } WIDTHS(NAN_N, float, uint)
double OVER nan(ulong code) { return as_double(code | 0x7ff8000000000000); } WIDTHS(NAN_N, double, ulong)

#define FLOAT_BITSELECT_N(N, T, U) \
    T##N OVER bitselect(T##N a, T##N b, T##N c) { U##N m = as_##U##N(c); return as_##T##N((U##N)((as_##U##N(a) & ~m) | (as_##U##N(b) & m))); }
#define FLOAT_BITSELECT(T, U) \
    T OVER bitselect(T a, T b, T c) { U m = as_##U(c); return as_##T((U)((as_##U(a) & ~m) | (as_##U(b) & m))); } \
    WIDTHS(FLOAT_BITSELECT_N, T, U)
FLOAT_BITSELECT(float, uint) FLOAT_BITSELECT(double, ulong)

#define GEOMETRY(T) \
    T##3 OVER cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; } \
    T##4 OVER cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); } \
    T OVER distance(T a, T b) { return fabs(a - b); } \
    T OVER normalize(T a) { return sign(a); }
GEOMETRY(float) GEOMETRY(double)
#define FAST(T) \
    float OVER fast_length(T a) { return length(a); } float OVER fast_distance(T a, T b) { return distance(a, b); } \
    T OVER fast_normalize(T a) { return normalize(a); }
FAST(float) FAST(float2) FAST(float3) FAST(float4)

SELECT(float, int, int) SELECT(float, uint, int)
SELECT(double, long, long) SELECT(double, ulong, long)
