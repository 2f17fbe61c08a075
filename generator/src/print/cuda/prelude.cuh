// The declarations that kernels in CUDA C++ can need. A line that begins with a colon in a comment begins a part, and names it.
// A kernel gets a part where it, or a later part, uses one of the names; the generator itself asks for those with a point.
// Vectors of three have the size and alignment of vectors of four, as in OpenCL C.

//: int8
typedef signed char int8;
//: uint8
typedef unsigned char uint8;
//: int16
typedef short int16;
//: uint16
typedef unsigned short uint16;
//: int32
typedef int int32;
//: uint32
typedef unsigned int uint32;
//: int64
typedef long long int64;
//: uint64
typedef unsigned long long uint64;
//: vec
template <class T, int N> struct alignas((N == 3 ? 4 : N) * sizeof(T)) vec { typedef T type; T s[N]; };
//: sig uns
template <int> struct of_size;
template <> struct of_size<1> { typedef int8 i; typedef uint8 u; };
template <> struct of_size<2> { typedef int16 i; typedef uint16 u; };
template <> struct of_size<4> { typedef int32 i; typedef uint32 u; };
template <> struct of_size<8> { typedef int64 i; typedef uint64 u; };
template <class T> using sig = typename of_size<sizeof(T)>::i;
template <class T> using uns = typename of_size<sizeof(T)>::u;
//: splat
template <class V> __device__ V splat(typename V::type x) { V v; for (auto &lane : v.s) lane = x; return v; }
//: join
template <class V> __device__ int put(V &v, int at, typename V::type x) { v.s[at] = x; return at + 1; }
template <class V, int N> __device__ int put(V &v, int at, vec<typename V::type, N> x) { for (int i = 0; i < N; i++) v.s[at + i] = x.s[i]; return at + N; }
template <class V, class... P> __device__ V join(P... parts) { V v; int at = 0, ends[] = {(at = put(v, at, parts))...}; (void)ends; return v; }
//: pick
template <int... I, class T, int N> __device__ vec<T, sizeof...(I)> pick(vec<T, N> v) { return {{v.s[I]...}}; }
//: assign
template <int... I, class T, int N> __device__ void assign(vec<T, N> &v, vec<T, sizeof...(I)> x) { int at = 0; T lanes[] = {(v.s[I] = x.s[at++])...}; (void)lanes; }
//: vload
template <class V> __device__ V vload(int64 at, const typename V::type *p) { V v; p += at * (int64)(sizeof v.s / sizeof *p); for (auto &lane : v.s) lane = *p++; return v; }
//: vstore
template <class T, int N> __device__ void vstore(vec<T, N> v, int64 at, T *p) { p += at * N; for (T lane : v.s) *p++ = lane; }
//: convert
template <class V, class T, int N> __device__ V convert(vec<T, N> x) { V v; for (int i = 0; i < N; i++) v.s[i] = (typename V::type)x.s[i]; return v; }
//: as
template <class R, class T> __device__ R as(T x) { R r; memcpy(&r, &x, sizeof r); return r; }
//: vec.add
template <class T, int N> __device__ vec<T, N> operator+(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] + b.s[i]); return a; }
//: vec.subtract
template <class T, int N> __device__ vec<T, N> operator-(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] - b.s[i]); return a; }
//: vec.multiply
template <class T, int N> __device__ vec<T, N> operator*(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] * b.s[i]); return a; }
//: vec.multiply.ushort
// The product of two would overflow as `int`.
template <int N> __device__ vec<uint16, N> operator*(vec<uint16, N> a, vec<uint16, N> b) { for (int i = 0; i < N; i++) a.s[i] = (uint16)(1U * a.s[i] * b.s[i]); return a; }
//: vec.divide
template <class T, int N> __device__ vec<T, N> operator/(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] / b.s[i]); return a; }
//: divide
// The options for fast arithmetic make `/` inexact.
static __device__ float divide(float a, float b) {
#ifdef __CUDA_ARCH__
    return __fdiv_rn(a, b);
#else
    return a / b;
#endif
}
//: vec.divide.float
template <int N> __device__ vec<float, N> divide(vec<float, N> a, vec<float, N> b) { for (int i = 0; i < N; i++) a.s[i] = divide(a.s[i], b.s[i]); return a; }
//: vec.remainder
template <class T, int N> __device__ vec<T, N> operator%(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] % b.s[i]); return a; }
//: vec.and
template <class T, int N> __device__ vec<T, N> operator&(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] & b.s[i]); return a; }
//: vec.or
template <class T, int N> __device__ vec<T, N> operator|(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] | b.s[i]); return a; }
//: vec.xor
template <class T, int N> __device__ vec<T, N> operator^(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] ^ b.s[i]); return a; }
//: vec.shift_left
template <class T, int N> __device__ vec<T, N> operator<<(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)((uns<T>)a.s[i] << (b.s[i] & (int)(sizeof(T) * 8 - 1))); return a; }
//: vec.shift_right
template <class T, int N> __device__ vec<T, N> operator>>(vec<T, N> a, vec<T, N> b) { for (int i = 0; i < N; i++) a.s[i] = (T)(a.s[i] >> (b.s[i] & (int)(sizeof(T) * 8 - 1))); return a; }
//: vec.less
template <class T, int N> __device__ vec<sig<T>, N> operator<(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] < b.s[i]); return r; }
//: vec.less_equal
template <class T, int N> __device__ vec<sig<T>, N> operator<=(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] <= b.s[i]); return r; }
//: vec.greater
template <class T, int N> __device__ vec<sig<T>, N> operator>(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] > b.s[i]); return r; }
//: vec.greater_equal
template <class T, int N> __device__ vec<sig<T>, N> operator>=(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] >= b.s[i]); return r; }
//: vec.equal
template <class T, int N> __device__ vec<sig<T>, N> operator==(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] == b.s[i]); return r; }
//: vec.not_equal
template <class T, int N> __device__ vec<sig<T>, N> operator!=(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] != b.s[i]); return r; }
//: vec.logical_and
template <class T, int N> __device__ vec<sig<T>, N> operator&&(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] && b.s[i]); return r; }
//: vec.logical_or
template <class T, int N> __device__ vec<sig<T>, N> operator||(vec<T, N> a, vec<T, N> b) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-(a.s[i] || b.s[i]); return r; }
//: vec.minus
template <class T, int N> __device__ vec<T, N> operator-(vec<T, N> a) { for (T &lane : a.s) lane = (T)-lane; return a; }
//: vec.complement
template <class T, int N> __device__ vec<T, N> operator~(vec<T, N> a) { for (T &lane : a.s) lane = (T)~lane; return a; }
//: vec.not
template <class T, int N> __device__ vec<sig<T>, N> operator!(vec<T, N> a) { vec<sig<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = (sig<T>)-!a.s[i]; return r; }
//: least
template <class T> __device__ T least() { return (T)(T(-1) < T(0) ? 1ULL << (sizeof(T) * 8 - 1) : 0); }
//: convert_sat
template <class R, class T> __device__ R convert_sat(T x) {
    R low = least<R>(), high = (R)~low;
    if (x < T(0)) return R(-1) < R(0) ? (int64)x < (int64)low ? low : (R)x : (R)0;
    return (uint64)x > (uint64)high ? high : (R)x;
}
//: vec.convert_sat
template <class V, class T, int N> __device__ V convert_sat(vec<T, N> x) { V v; for (int i = 0; i < N; i++) v.s[i] = convert_sat<typename V::type>(x.s[i]); return v; }
//: cl_abs
template <class T> __device__ uns<T> cl_abs(T a) { return (uns<T>)(a < T(0) ? -(uns<T>)a : (uns<T>)a); }
//: vec.abs
template <class T, int N> __device__ vec<uns<T>, N> cl_abs(vec<T, N> a) { vec<uns<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_abs(a.s[i]); return r; }
//: cl_abs_diff
template <class T> __device__ uns<T> cl_abs_diff(T a, T b) { return (uns<T>)(a < b ? (uns<T>)b - (uns<T>)a : (uns<T>)a - (uns<T>)b); }
//: vec.abs_diff
template <class T, int N> __device__ vec<uns<T>, N> cl_abs_diff(vec<T, N> a, vec<T, N> b) { vec<uns<T>, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_abs_diff(a.s[i], b.s[i]); return r; }
//: cl_add_sat
template <class T> __device__ T cl_add_sat(T a, T b) {
    T sum = (T)((uns<T>)a + (uns<T>)b);
    if (T(-1) < T(0)) return (T)((a ^ sum) & (b ^ sum)) < T(0) ? a < T(0) ? least<T>() : (T)~least<T>() : sum;
    return sum < a ? T(-1) : sum;
}
//: vec.add_sat
template <class T, int N> __device__ vec<T, N> cl_add_sat(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_add_sat(a.s[i], b.s[i]); return r; }
//: cl_sub_sat
template <class T> __device__ T cl_sub_sat(T a, T b) {
    T rest = (T)((uns<T>)a - (uns<T>)b);
    if (T(-1) < T(0)) return (T)((a ^ b) & (a ^ rest)) < T(0) ? a < T(0) ? least<T>() : (T)~least<T>() : rest;
    return a < b ? T(0) : rest;
}
//: vec.sub_sat
template <class T, int N> __device__ vec<T, N> cl_sub_sat(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_sub_sat(a.s[i], b.s[i]); return r; }
//: cl_all
template <class T> __device__ int32 cl_all(T a) { return a < T(0); }
//: vec.all
template <class T, int N> __device__ int32 cl_all(vec<T, N> a) { for (T lane : a.s) if (lane >= 0) return 0; return 1; }
//: cl_any
template <class T> __device__ int32 cl_any(T a) { return a < T(0); }
//: vec.any
template <class T, int N> __device__ int32 cl_any(vec<T, N> a) { for (T lane : a.s) if (lane < 0) return 1; return 0; }
//: cl_bitselect
template <class T> __device__ T cl_bitselect(T a, T b, T c) { return (T)((a & ~c) | (b & c)); }
//: vec.bitselect
template <class T, int N> __device__ vec<T, N> cl_bitselect(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_bitselect(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_clamp
template <class T> __device__ T cl_clamp(T a, T low, T high) { return a < low ? low : high < a ? high : a; }
//: vec.clamp
template <class T, int N> __device__ vec<T, N> cl_clamp(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_clamp(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_clz
template <class T> __device__ T cl_clz(T a) { return (T)(sizeof(T) == 8 ? __clzll((int64)a) : __clz((int32)(uns<T>)a) - (32 - (int32)sizeof(T) * 8)); }
//: vec.clz
template <class T, int N> __device__ vec<T, N> cl_clz(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_clz(a.s[i]); return r; }
//: cl_ctz
template <class T> __device__ T cl_ctz(T a) { return (T)(a == T(0) ? (int32)sizeof(T) * 8 : __ffsll((int64)a) - 1); }
//: vec.ctz
template <class T, int N> __device__ vec<T, N> cl_ctz(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_ctz(a.s[i]); return r; }
//: cl_hadd
template <class T> __device__ T cl_hadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + (a & b & 1)); }
//: vec.hadd
template <class T, int N> __device__ vec<T, N> cl_hadd(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_hadd(a.s[i], b.s[i]); return r; }
//: cl_rhadd
template <class T> __device__ T cl_rhadd(T a, T b) { return (T)((a >> 1) + (b >> 1) + ((a | b) & 1)); }
//: vec.rhadd
template <class T, int N> __device__ vec<T, N> cl_rhadd(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_rhadd(a.s[i], b.s[i]); return r; }
//: cl_mul24
static __device__ int32 cl_mul24(int32 a, int32 b) { return __mul24(a, b); }
static __device__ uint32 cl_mul24(uint32 a, uint32 b) { return __umul24(a, b); }
//: vec.mul24
template <class T, int N> __device__ vec<T, N> cl_mul24(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mul24(a.s[i], b.s[i]); return r; }
//: cl_mad24
static __device__ int32 cl_mad24(int32 a, int32 b, int32 c) { return __mul24(a, b) + c; }
static __device__ uint32 cl_mad24(uint32 a, uint32 b, uint32 c) { return __umul24(a, b) + c; }
//: vec.mad24
template <class T, int N> __device__ vec<T, N> cl_mad24(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mad24(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_mul_hi
template <class T> __device__ T cl_mul_hi(T a, T b) { return (T)((int64)a * (int64)b >> sizeof(T) * 8); }
static __device__ int32 cl_mul_hi(int32 a, int32 b) { return __mulhi(a, b); }
static __device__ uint32 cl_mul_hi(uint32 a, uint32 b) { return __umulhi(a, b); }
static __device__ int64 cl_mul_hi(int64 a, int64 b) { return __mul64hi(a, b); }
static __device__ uint64 cl_mul_hi(uint64 a, uint64 b) { return __umul64hi(a, b); }
//: vec.mul_hi
template <class T, int N> __device__ vec<T, N> cl_mul_hi(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mul_hi(a.s[i], b.s[i]); return r; }
//: cl_mad_hi
template <class T> __device__ T cl_mad_hi(T a, T b, T c) { return (T)(cl_mul_hi(a, b) + c); }
//: vec.mad_hi
template <class T, int N> __device__ vec<T, N> cl_mad_hi(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mad_hi(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_mad_sat
template <class T, bool> struct widest { typedef uint64 type; };
template <class T> struct widest<T, true> { typedef int64 type; };
template <class T> __device__ T cl_mad_sat(T a, T b, T c) { typedef typename widest<T, (T(-1) < T(0))>::type W; return convert_sat<T>((W)a * (W)b + (W)c); }
static __device__ int64 cl_mad_sat(int64 a, int64 b, int64 c) {
    uint64 low = (uint64)a * (uint64)b, sum = low + (uint64)c;
    int64 high = __mul64hi(a, b) + (c >> 63) + (sum < low);
    return high == (int64)sum >> 63 ? (int64)sum : high < 0 ? least<int64>() : ~least<int64>();
}
static __device__ uint64 cl_mad_sat(uint64 a, uint64 b, uint64 c) {
    uint64 low = a * b, sum = low + c;
    return __umul64hi(a, b) + (sum < low) != 0 ? ~0ULL : sum;
}
//: vec.mad_sat
template <class T, int N> __device__ vec<T, N> cl_mad_sat(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mad_sat(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_max
template <class T> __device__ T cl_max(T a, T b) { return a < b ? b : a; }
//: vec.max
template <class T, int N> __device__ vec<T, N> cl_max(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_max(a.s[i], b.s[i]); return r; }
//: cl_min
template <class T> __device__ T cl_min(T a, T b) { return b < a ? b : a; }
//: vec.min
template <class T, int N> __device__ vec<T, N> cl_min(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_min(a.s[i], b.s[i]); return r; }
//: cl_popcount
template <class T> __device__ T cl_popcount(T a) { return (T)(sizeof(T) == 8 ? __popcll((uint64)a) : __popc((uns<T>)a)); }
//: vec.popcount
template <class T, int N> __device__ vec<T, N> cl_popcount(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_popcount(a.s[i]); return r; }
//: cl_rotate
template <class T> __device__ T cl_rotate(T a, T b) { int32 bits = (int32)sizeof(T) * 8, by = (int32)(b & (T)(bits - 1)); return (T)((uns<T>)a << by | (uns<T>)a >> (-by & (bits - 1))); }
//: vec.rotate
template <class T, int N> __device__ vec<T, N> cl_rotate(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_rotate(a.s[i], b.s[i]); return r; }
//: cl_select
template <class T, class C> __device__ T cl_select(T a, T b, C c) { return c ? b : a; }
//: vec.select
template <class T, class C, int N> __device__ vec<T, N> cl_select(vec<T, N> a, vec<T, N> b, vec<C, N> c) { for (int i = 0; i < N; i++) if ((sig<C>)c.s[i] < 0) a.s[i] = b.s[i]; return a; }
//: vec.shuffle
template <class T, int N, class M, int K> __device__ vec<T, K> cl_shuffle(vec<T, N> a, vec<M, K> mask) { vec<T, K> r; for (int i = 0; i < K; i++) r.s[i] = a.s[mask.s[i] & (M)(N - 1)]; return r; }
//: vec.shuffle2
template <class T, int N, class M, int K> __device__ vec<T, K> cl_shuffle2(vec<T, N> a, vec<T, N> b, vec<M, K> mask) { vec<T, K> r; for (int i = 0; i < K; i++) { int at = (int)(mask.s[i] & (M)(2 * N - 1)); r.s[i] = at < N ? a.s[at] : b.s[at - N]; } return r; }
//: cl_upsample
template <class R, class H, class L> __device__ R cl_upsample(H high, L low) { return (R)((uns<R>)high << sizeof(L) * 8 | low); }
//: vec.upsample
template <class R, class H, class L, int N> __device__ R cl_upsample(vec<H, N> high, vec<L, N> low) { R r; for (int i = 0; i < N; i++) r.s[i] = cl_upsample<typename R::type>(high.s[i], low.s[i]); return r; }
//: cl_ceil
static __device__ float cl_ceil(float a) { return ceilf(a); }
static __device__ double cl_ceil(double a) { return ceil(a); }
//: vec.ceil
template <class T, int N> __device__ vec<T, N> cl_ceil(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_ceil(a.s[i]); return r; }
//: cl_fabs
static __device__ float cl_fabs(float a) { return fabsf(a); }
static __device__ double cl_fabs(double a) { return fabs(a); }
//: vec.fabs
template <class T, int N> __device__ vec<T, N> cl_fabs(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_fabs(a.s[i]); return r; }
//: cl_floor
static __device__ float cl_floor(float a) { return floorf(a); }
static __device__ double cl_floor(double a) { return floor(a); }
//: vec.floor
template <class T, int N> __device__ vec<T, N> cl_floor(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_floor(a.s[i]); return r; }
//: cl_rint
static __device__ float cl_rint(float a) { return rintf(a); }
static __device__ double cl_rint(double a) { return rint(a); }
//: vec.rint
template <class T, int N> __device__ vec<T, N> cl_rint(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_rint(a.s[i]); return r; }
//: cl_round
static __device__ float cl_round(float a) { return roundf(a); }
static __device__ double cl_round(double a) { return round(a); }
//: vec.round
template <class T, int N> __device__ vec<T, N> cl_round(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_round(a.s[i]); return r; }
//: cl_trunc
static __device__ float cl_trunc(float a) { return truncf(a); }
static __device__ double cl_trunc(double a) { return trunc(a); }
//: vec.trunc
template <class T, int N> __device__ vec<T, N> cl_trunc(vec<T, N> a) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_trunc(a.s[i]); return r; }
//: cl_copysign
static __device__ float cl_copysign(float a, float b) { return copysignf(a, b); }
static __device__ double cl_copysign(double a, double b) { return copysign(a, b); }
//: vec.copysign
template <class T, int N> __device__ vec<T, N> cl_copysign(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_copysign(a.s[i], b.s[i]); return r; }
//: cl_fdim
static __device__ float cl_fdim(float a, float b) { return fdimf(a, b); }
static __device__ double cl_fdim(double a, double b) { return fdim(a, b); }
//: vec.fdim
template <class T, int N> __device__ vec<T, N> cl_fdim(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_fdim(a.s[i], b.s[i]); return r; }
//: cl_fmax
static __device__ float cl_fmax(float a, float b) { return fmaxf(a, b); }
static __device__ double cl_fmax(double a, double b) { return fmax(a, b); }
//: vec.fmax
template <class T, int N> __device__ vec<T, N> cl_fmax(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_fmax(a.s[i], b.s[i]); return r; }
//: cl_fmin
static __device__ float cl_fmin(float a, float b) { return fminf(a, b); }
static __device__ double cl_fmin(double a, double b) { return fmin(a, b); }
//: vec.fmin
template <class T, int N> __device__ vec<T, N> cl_fmin(vec<T, N> a, vec<T, N> b) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_fmin(a.s[i], b.s[i]); return r; }
//: cl_fma
static __device__ float cl_fma(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ double cl_fma(double a, double b, double c) { return fma(a, b, c); }
//: vec.fma
template <class T, int N> __device__ vec<T, N> cl_fma(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_fma(a.s[i], b.s[i], c.s[i]); return r; }
//: cl_mad
static __device__ float cl_mad(float a, float b, float c) { return a * b + c; }
static __device__ double cl_mad(double a, double b, double c) { return a * b + c; }
//: vec.mad
template <class T, int N> __device__ vec<T, N> cl_mad(vec<T, N> a, vec<T, N> b, vec<T, N> c) { vec<T, N> r; for (int i = 0; i < N; i++) r.s[i] = cl_mad(a.s[i], b.s[i], c.s[i]); return r; }
//: cp_async
template <int bytes, class T> __device__ void cp_async(T *into, const T *from) {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"((uint32)__cvta_generic_to_shared(into)), "l"(from), "n"(bytes) : "memory");
#else
    for (int i = 0; i < bytes / (int)sizeof(T); i++) into[i] = from[i];
#endif
}
//: cp_async_wait
static __device__ void cp_async_wait() {
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
}
//: ptx_prmt
static __device__ uint32 ptx_prmt(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    uint64 both = (uint64)b << 32 | a;
    uint32 r = 0;
    for (int i = 0; i < 4; i++) {
        uint32 byte = (uint32)(both >> (c >> i * 4 & 7) * 8) & 255;
        r |= (c >> i * 4 & 8 ? byte & 128 ? 255 : 0 : byte) << i * 8;
    }
    return r;
#endif
}
//: ptx_shf_l
static __device__ uint32 ptx_shf_l(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return (uint32)(((uint64)b << 32 | a) << (c & 31) >> 32);
#endif
}
//: ptx_bfe_u32
static __device__ uint32 ptx_bfe_u32(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    uint32 from = b & 255, count = c & 255;
    uint64 mask = count < 32 ? (1ULL << count) - 1 : ~0ULL;
    return from < 32 ? (uint32)(a >> from & mask) : 0;
#endif
}
//: ptx_bfe_s32
static __device__ int32 ptx_bfe_s32(int32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    int32 r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    uint32 from = b & 255, count = c & 255;
    if (count == 0) return 0;
    if (from > 31) return a < 0 ? -1 : 0;
    int32 rest = a >> from;
    return count > 31 - from ? rest : (int32)((uint32)rest << (32 - count)) >> (32 - count);
#endif
}
//: ptx_bfi
static __device__ uint32 ptx_bfi(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("bfi.b32 %0, %1, %2, %3, 8;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    uint32 from = c & 255;
    if (from > 31) return b;
    uint32 mask = 255U << from;
    return (b & ~mask) | (a << from & mask);
#endif
}
//: ptx_bfind
static __device__ uint32 ptx_bfind(uint32 a) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(a));
    return r;
#else
    return a ? 31U - (uint32)__clz((int32)a) : ~0U;
#endif
}
//: ptx_lop3_e8
static __device__ uint32 ptx_lop3_e8(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return (a & b) | (a & c) | (b & c);
#endif
}
//: ptx_lop3_96
static __device__ uint32 ptx_lop3_96(uint32 a, uint32 b, uint32 c) {
#ifdef __CUDA_ARCH__
    uint32 r;
    asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return a ^ b ^ c;
#endif
}
//: ptx_mad_hi
static __device__ int32 ptx_mad_hi(int32 a, int32 b, int32 c) {
#ifdef __CUDA_ARCH__
    int32 r;
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
#else
    return (int32)((uint32)__mulhi(a, b) + (uint32)c);
#endif
}
//: ptx_add_cc
static __device__ uint64 ptx_add_cc(uint64 a, uint64 b) {
#ifdef __CUDA_ARCH__
    uint32 low, high;
    asm("add.cc.u32 %0, %2, %4; addc.u32 %1, %3, %5;" : "=&r"(low), "=r"(high) : "r"((uint32)a), "r"((uint32)(a >> 32)), "r"((uint32)b), "r"((uint32)(b >> 32)));
    return (uint64)high << 32 | low;
#else
    return a + b;
#endif
}
//: ptx_sub_cc
static __device__ uint64 ptx_sub_cc(uint64 a, uint64 b) {
#ifdef __CUDA_ARCH__
    uint32 low, high;
    asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;" : "=&r"(low), "=r"(high) : "r"((uint32)a), "r"((uint32)(a >> 32)), "r"((uint32)b), "r"((uint32)(b >> 32)));
    return (uint64)high << 32 | low;
#else
    return a - b;
#endif
}
//: note
static __device__ uint64 note(uint64 hash, uint64 value) { hash ^= value; return (hash ^ (hash >> 29)) * 0x100000001b3ULL; }
//: vec.note
template <class T, int N> __device__ uint64 note(uint64 hash, vec<T, N> v) { for (T lane : v.s) hash = note(hash, (uint64)lane); return hash; }
