// Functions of numbers of 16 bits, by way of those of 32, whose text stands before this one.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define HALF1(NAME) half OVER NAME(half x) { return (half)NAME((float)x); } MAP1(NAME, half, half)
#define HALF2(NAME) half OVER NAME(half x, half y) { return (half)NAME((float)x, (float)y); } MAP2(NAME, half, half)
#define HALF3(NAME) half OVER NAME(half x, half y, half z) { return (half)NAME((float)x, (float)y, (float)z); } MAP3(NAME, half, half)
HALF1(sqrt) HALF1(cbrt) HALF1(fabs) HALF1(floor) HALF1(ceil) HALF1(trunc) HALF1(round) HALF1(rint) HALF1(sin) HALF1(cos)
HALF1(tan) HALF1(asin) HALF1(acos) HALF1(atan) HALF1(sinh) HALF1(cosh) HALF1(tanh) HALF1(exp) HALF1(exp2) HALF1(exp10)
HALF1(expm1) HALF1(log) HALF1(log2) HALF1(log10) HALF1(log1p) HALF1(erf) HALF1(erfc) HALF1(tgamma) HALF1(lgamma)
HALF1(asinh) HALF1(acosh) HALF1(atanh) HALF1(logb) HALF1(sinpi) HALF1(cospi) HALF1(tanpi) HALF1(sign) HALF1(rsqrt)
HALF1(degrees) HALF1(radians)
HALF2(pow) HALF2(powr) HALF2(fmod) HALF2(remainder) HALF2(atan2) HALF2(hypot) HALF2(fmin) HALF2(fmax) HALF2(fdim)
HALF2(copysign) HALF2(max) HALF2(min) HALF2(maxmag) HALF2(minmag) HALF2(step)
HALF3(fma) HALF3(mad) HALF3(mix) HALF3(clamp) HALF3(smoothstep)
MAP2S(fmin, half, half) MAP2S(fmax, half, half) MAP2S(max, half, half) MAP2S(min, half, half) MAP3S(clamp, half, half)
WIDTHS(MIX_N, half) WIDTHS(STEP_N, half) WIDTHS(SMOOTHSTEP_N, half)
half OVER pown(half x, int y) { return (half)pown((float)x, y); } WIDTHS(WITH_INT_N, pown, half)
half OVER rootn(half x, int y) { return (half)rootn((float)x, y); } WIDTHS(WITH_INT_N, rootn, half)
half OVER ldexp(half x, int y) { return (half)ldexp((float)x, y); } WIDTHS(WITH_INT_N, ldexp, half)
half OVER dot(half a, half b) { return a * b; } DOT(2, half) DOT(3, half) DOT(4, half)
half OVER length(half a) { return fabs(a); } half OVER distance(half a, half b) { return fabs(a - b); }
half OVER normalize(half a) { return sign(a); } LENGTH(2, half) LENGTH(3, half) LENGTH(4, half)
half3 OVER cross(half3 a, half3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

#define COMPARE_HALF(NAME) \
    int OVER NAME(half a, half b) { return NAME((float)a, (float)b); } WIDTHS(COMPARE_N, NAME, half, short)
COMPARE_HALF(isequal) COMPARE_HALF(isnotequal) COMPARE_HALF(isgreater) COMPARE_HALF(isgreaterequal) COMPARE_HALF(isless)
COMPARE_HALF(islessequal) COMPARE_HALF(islessgreater) COMPARE_HALF(isordered) COMPARE_HALF(isunordered)
#define CLASSIFY_HALF(NAME) \
    int OVER NAME(half a) { return NAME((float)a); } WIDTHS(CLASSIFY_N, NAME, half, short)
CLASSIFY_HALF(isnan) CLASSIFY_HALF(isinf) CLASSIFY_HALF(isfinite) CLASSIFY_HALF(signbit)
SELECT(half, short, short) SELECT(half, ushort, short)

#define FROM_HALF_N(N, R, T) \
    R##N OVER convert_##R##N(T##N a) { R##N r; for (int i = 0; i < N; i++) r[i] = convert_##R(a[i]); return r; }
#define FROM_HALF(R) R OVER convert_##R(half a) { return convert_##R((float)a); } WIDTHS(FROM_HALF_N, R, half)
FROM_HALF(char) FROM_HALF(uchar) FROM_HALF(short) FROM_HALF(ushort) FROM_HALF(int) FROM_HALF(uint) FROM_HALF(long)
FROM_HALF(ulong) FROM_HALF(float) FROM_HALF(double)
CONVERT_WHOLE(half) CONVERT(half, half) CONVERT(half, float) CONVERT(half, double)
VMEMORY(half)
