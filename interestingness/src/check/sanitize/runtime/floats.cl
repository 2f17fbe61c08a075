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
LIBM1(erf, erff, erf) LIBM1(erfc, erfcf, erfc) LIBM1(tgamma, tgammaf, tgamma)
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
    T OVER mix(T x, T y, T a) { return x + (y - x) * a; } MAP3(mix, T, T) \
    T OVER step(T edge, T x) { return x < edge ? 0 : ONE; } MAP2(step, T, T) \
    T OVER sign(T x) { return x > 0 ? ONE : x < 0 ? -ONE : x == 0 ? x : 0; } MAP1(sign, T, T) \
    T OVER rsqrt(T x) { return ONE / sqrt(x); } MAP1(rsqrt, T, T) \
    T OVER degrees(T x) { return x * (T)57.295779513082320877; } MAP1(degrees, T, T) \
    T OVER radians(T x) { return x * (T)0.017453292519943295769; } MAP1(radians, T, T) \
    T OVER dot(T a, T b) { return a * b; } DOT(2, T) DOT(3, T) DOT(4, T) \
    T OVER length(T a) { return fabs(a); } LENGTH(2, T) LENGTH(3, T) LENGTH(4, T)
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
#define CLASSIFY_N(N, NAME, T, R) \
    R##N OVER NAME(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = (R)-NAME(a[i]); return r; }
#define CLASSIFY(NAME) \
    int OVER NAME(float a) { return __builtin_##NAME(a) != 0; } int OVER NAME(double a) { return __builtin_##NAME(a) != 0; } \
    WIDTHS(CLASSIFY_N, NAME, float, int) WIDTHS(CLASSIFY_N, NAME, double, long)
CLASSIFY(isnan) CLASSIFY(isinf) CLASSIFY(isfinite) CLASSIFY(isnormal) CLASSIFY(signbit)

#define NATIVE(NAME) float OVER native_##NAME(float x) { return NAME(x); } float OVER half_##NAME(float x) { return NAME(x); } \
    MAP1(native_##NAME, float, float) MAP1(half_##NAME, float, float)
NATIVE(sqrt) NATIVE(rsqrt) NATIVE(sin) NATIVE(cos) NATIVE(tan) NATIVE(exp) NATIVE(exp2) NATIVE(log) NATIVE(log2)

SELECT(float, int, int) SELECT(float, uint, int)
SELECT(double, long, long) SELECT(double, ulong, long)
