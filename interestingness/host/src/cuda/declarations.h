// What CUDA declares, as far as programs that are tested commonly use it: for clang to read them where CUDA is not
// installed. All of it may be called from everywhere; where it may not, nvcc knows.

#define __CUDACC__ 1
#define __NVCC__ 1
#ifdef CLREDUCE_HOST
// Bare kernels as C++: groups run one after another, so that what a group shares is one variable.
#define __global__
#define __device__
#define __host__
#define __shared__ static __attribute__((section(".bss.clreduce_shared")))
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif
#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))

#ifdef CLREDUCE_PROGRAM

// nvcc includes these unasked.
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#else

// NVRTC has no headers, and a kernel may give their types its own names.
typedef decltype(sizeof 0) size_t;
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())

#endif

// ---- What devices have of the C library ----

extern "C" {
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t) noexcept;
__device__ void free(void *) noexcept;
__device__ void *memcpy(void *, const void *, size_t);
__device__ void *memmove(void *, const void *, size_t);
__device__ void *memset(void *, int, size_t);
}
static inline __device__ constexpr int abs(int a) { return a < 0 ? -a : a; }
static inline __device__ constexpr long abs(long a) { return a < 0 ? -a : a; }
static inline __device__ constexpr long long abs(long long a) { return a < 0 ? -a : a; }
static inline __device__ float abs(float a) { return __builtin_fabsf(a); }
static inline __device__ double abs(double a) { return __builtin_fabs(a); }
#define UNARY(name) \
    static inline __device__ float name##f(float a) { return __builtin_##name##f(a); } \
    static inline __device__ float name(float a) { return __builtin_##name##f(a); } \
    static inline __device__ double name(double a) { return __builtin_##name(a); }
#define BINARY(name) \
    static inline __device__ float name##f(float a, float b) { return __builtin_##name##f(a, b); } \
    static inline __device__ float name(float a, float b) { return __builtin_##name##f(a, b); } \
    static inline __device__ double name(double a, double b) { return __builtin_##name(a, b); }
UNARY(fabs) UNARY(sqrt) UNARY(cbrt) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log10)
UNARY(log1p) UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh)
UNARY(tanh) UNARY(asinh) UNARY(acosh) UNARY(atanh) UNARY(erf) UNARY(erfc) UNARY(tgamma) UNARY(lgamma)
UNARY(floor) UNARY(ceil) UNARY(trunc) UNARY(round) UNARY(rint) UNARY(nearbyint)
BINARY(pow) BINARY(fmod) BINARY(fmin) BINARY(fmax) BINARY(fdim) BINARY(atan2) BINARY(hypot) BINARY(copysign)
BINARY(remainder) BINARY(nextafter)
#undef UNARY
#undef BINARY
static inline __device__ float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline __device__ float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline __device__ double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline __device__ float ldexpf(float a, int n) { return __builtin_ldexpf(a, n); }
static inline __device__ double ldexp(double a, int n) { return __builtin_ldexp(a, n); }
#define KIND(name) \
    static inline __device__ bool name(float a) { return __builtin_##name(a); } \
    static inline __device__ bool name(double a) { return __builtin_##name(a); }
KIND(isnan) KIND(isinf) KIND(isfinite) KIND(signbit)
#undef KIND
#ifndef CLREDUCE_PROGRAM
#define OF_BOTH(type, name, parameters, arguments, letter) \
    static inline __device__ type name##letter parameters { return __builtin_##name##letter arguments; }
OF_BOTH(float, frexp, (float a, int *n), (a, n), f) OF_BOTH(double, frexp, (double a, int *n), (a, n), )
OF_BOTH(float, modf, (float a, float *n), (a, n), f) OF_BOTH(double, modf, (double a, double *n), (a, n), )
OF_BOTH(float, remquo, (float a, float b, int *n), (a, b, n), f) OF_BOTH(double, remquo, (double a, double b, int *n), (a, b, n), )
OF_BOTH(float, scalbn, (float a, int n), (a, n), f) OF_BOTH(double, scalbn, (double a, int n), (a, n), )
OF_BOTH(float, logb, (float a), (a), f) OF_BOTH(double, logb, (double a), (a), )
OF_BOTH(int, ilogb, (float a), (a), f) OF_BOTH(int, ilogb, (double a), (a), )
OF_BOTH(long, lrint, (float a), (a), f) OF_BOTH(long, lrint, (double a), (a), )
OF_BOTH(long, lround, (float a), (a), f) OF_BOTH(long, lround, (double a), (a), )
OF_BOTH(long long, llrint, (float a), (a), f) OF_BOTH(long long, llrint, (double a), (a), )
OF_BOTH(long long, llround, (float a), (a), f) OF_BOTH(long long, llround, (double a), (a), )
#undef OF_BOTH
static inline __device__ void sincosf(float a, float *s, float *c) { *s = sinf(a); *c = cosf(a); }
static inline __device__ void sincos(double a, double *s, double *c) { *s = sin(a); *c = cos(a); }
static inline __device__ float exp10f(float a) { return powf(10, a); }
static inline __device__ double exp10(double a) { return pow(10.0, a); }
static inline __device__ float sinpif(float a) { return sinf(fmodf(a, 2) * 3.14159265f); }
static inline __device__ float cospif(float a) { return cosf(fmodf(a, 2) * 3.14159265f); }
static inline __device__ double sinpi(double a) { return sin(fmod(a, 2.0) * 3.14159265358979323846); }
static inline __device__ double cospi(double a) { return cos(fmod(a, 2.0) * 3.14159265358979323846); }
static inline __device__ float rcbrtf(float a) { return 1 / cbrtf(a); }
static inline __device__ float rhypotf(float a, float b) { return 1 / hypotf(a, b); }
static inline __device__ float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
static inline __device__ float norm4df(float a, float b, float c, float d) { return sqrtf(a * a + b * b + c * c + d * d); }
static inline __device__ float fdividef(float a, float b) { return a / b; }
// What <cmath> and its like declare once more.
namespace std {
using ::abs; using ::fabs; using ::sqrt; using ::cbrt; using ::exp; using ::exp2; using ::log; using ::log2; using ::log10;
using ::sin; using ::cos; using ::tan; using ::asin; using ::acos; using ::atan; using ::atan2; using ::tanh; using ::pow;
using ::floor; using ::ceil; using ::trunc; using ::round; using ::fmod; using ::fmin; using ::fmax; using ::hypot;
using ::fma; using ::isnan; using ::isinf; using ::isfinite; using ::memcpy; using ::memset; using ::printf; using ::malloc; using ::free;
}
#ifdef CLREDUCE_HOST
// Devices have a heap of their own.
void *operator new(size_t bytes) { return malloc(bytes); }
void *operator new[](size_t bytes) { return malloc(bytes); }
void operator delete(void *place) noexcept { free(place); }
void operator delete[](void *place) noexcept { free(place); }
void operator delete(void *place, size_t) noexcept { free(place); }
void operator delete[](void *place, size_t) noexcept { free(place); }
#endif
inline __device__ void *operator new(size_t, void *place) noexcept { return place; }
inline __device__ void *operator new[](size_t, void *place) noexcept { return place; }
#endif

#ifndef CLREDUCE_HOST
// The C library of the host may have functions of these names.
__device__ float __expf(float);
__device__ float __exp10f(float);
__device__ float __logf(float);
__device__ float __log2f(float);
__device__ float __log10f(float);
__device__ float __powf(float, float);
__device__ float __sinf(float);
__device__ float __cosf(float);
__device__ float __tanf(float);
#endif

#pragma clang force_cuda_host_device begin

// ---- Vectors ----

#define VECTOR1(name, scalar) \
    struct name##1 { scalar x; }; \
    static inline name##1 make_##name##1(scalar x) { name##1 v = {x}; return v; }
#define VECTOR2(name, scalar) \
    struct __align__(2 * sizeof(scalar)) name##2 { scalar x, y; }; \
    static inline name##2 make_##name##2(scalar x, scalar y) { name##2 v = {x, y}; return v; }
#define VECTOR3(name, scalar) \
    struct name##3 { scalar x, y, z; }; \
    static inline name##3 make_##name##3(scalar x, scalar y, scalar z) { name##3 v = {x, y, z}; return v; }
#define VECTOR4(name, scalar) \
    struct __align__(sizeof(scalar) < 8 ? 4 * sizeof(scalar) : 16) name##4 { scalar x, y, z, w; }; \
    static inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) \
    { name##4 v = {x, y, z, w}; return v; }
#define VECTORS(name, scalar) \
    VECTOR1(name, scalar) VECTOR2(name, scalar) VECTOR3(name, scalar) VECTOR4(name, scalar)
VECTORS(char, signed char)
VECTORS(uchar, unsigned char)
VECTORS(short, short)
VECTORS(ushort, unsigned short)
VECTORS(int, int)
VECTORS(uint, unsigned)
VECTORS(long, long)
VECTORS(ulong, unsigned long)
VECTORS(longlong, long long)
VECTORS(ulonglong, unsigned long long)
VECTORS(float, float)
VECTORS(double, double)
#undef VECTOR1
#undef VECTOR2
#undef VECTOR3
#undef VECTOR4
#undef VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

// ---- Where a thread is ----

#ifdef CLREDUCE_HOST
extern "C" {
void *clreduce_global(unsigned);
unsigned long clreduce_local_id(unsigned), clreduce_group_id(unsigned);
unsigned long clreduce_local_size(unsigned), clreduce_global_size(unsigned);
// In C++, the optimiser would copy a barrier into both branches before it.
__attribute__((convergent)) void clreduce_barrier(unsigned);
void clreduce_atomic(unsigned long, unsigned long, unsigned, unsigned long);
void clreduce_compare(unsigned long, unsigned long, unsigned long);
unsigned clreduce_meet_warp(unsigned, unsigned long);
unsigned clreduce_answering(unsigned), clreduce_active();
unsigned long clreduce_value_of_lane(unsigned, unsigned);
void clreduce_sync_warp(unsigned);
void clreduce_fence();
__attribute__((convergent)) unsigned long clreduce_meet_group(unsigned long);
unsigned long clreduce_value_of(unsigned long), clreduce_group_size();
}
#define CLREDUCE_PART(name, dimension) static_cast<unsigned>(clreduce_##name(dimension))
#define CLREDUCE_TRIPLE(name) CLREDUCE_PART(name, 0), CLREDUCE_PART(name, 1), CLREDUCE_PART(name, 2)
#define threadIdx (uint3{CLREDUCE_TRIPLE(local_id)})
#define blockIdx (uint3{CLREDUCE_TRIPLE(group_id)})
#define blockDim (dim3{CLREDUCE_TRIPLE(local_size)})
static inline dim3 clreduce_groups()
{
    dim3 all{CLREDUCE_TRIPLE(global_size)}, group = blockDim;
    return {all.x / group.x, all.y / group.y, all.z / group.z};
}
#define gridDim (clreduce_groups())
static const int warpSize = 32;
// Orders local memory, 1, and global memory, 2.
static inline __attribute__((convergent)) void __syncthreads() { clreduce_barrier(3); }
// The numbers of functions as in accesses.c.
enum {
    clreduce_add = 1, clreduce_and, clreduce_or, clreduce_xor, clreduce_min, clreduce_max, clreduce_exchange,
    clreduce_increment, clreduce_decrement
};
template <class T> static inline __attribute__((no_sanitize("address"))) unsigned long clreduce_bits(T value)
{
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}
#define CLREDUCE_ATOMIC(place, function, value) \
    clreduce_atomic((unsigned long)(place), sizeof *(place), clreduce_##function, clreduce_bits(value))
#define CLREDUCE_COMPARE(place, value) \
    clreduce_compare((unsigned long)(place), (unsigned long)&(value), sizeof *(place))
#else
#define CLREDUCE_ATOMIC(place, function, value) (void)0
#define CLREDUCE_COMPARE(place, value) (void)0
// clang itself knows __syncthreads.
#ifdef __CUDA_ARCH__
#define CLREDUCE_OF_DEVICE __device__
#else
#define CLREDUCE_OF_DEVICE
#endif
extern CLREDUCE_OF_DEVICE const uint3 threadIdx, blockIdx;
extern CLREDUCE_OF_DEVICE const dim3 blockDim, gridDim;
extern CLREDUCE_OF_DEVICE const int warpSize;
#endif

// ---- Order ----

#ifdef CLREDUCE_HOST
static inline __attribute__((convergent)) int __syncthreads_count(int value)
{
    clreduce_meet_group(value != 0);
    int count = 0;
    for (unsigned long i = 0; i < clreduce_group_size(); i++)
        count += (int)clreduce_value_of(i);
    clreduce_barrier(3);
    return count;
}
static inline __attribute__((convergent)) int __syncthreads_or(int value) { return __syncthreads_count(value) != 0; }
static inline __attribute__((convergent)) int __syncthreads_and(int value) { return __syncthreads_count(!value) == 0; }
#else
int __syncthreads_count(int);
int __syncthreads_and(int);
int __syncthreads_or(int);
#endif
#ifdef CLREDUCE_HOST
static inline void __threadfence() { clreduce_fence(); }
static inline void __threadfence_system() { clreduce_fence(); }
#else
static inline void __threadfence() {}
static inline void __threadfence_system() {}
#endif
static inline void __threadfence_block() {}

// ---- Atomics; on the host, work-items take turns, and the run-time checks the access ----

#define ATOMICALLY static inline __attribute__((no_sanitize("address")))
#define ATOMIC(name, function, type, after) \
    ATOMICALLY type name(type *place, type value) \
    { CLREDUCE_ATOMIC(place, function, value); type old = *place; *place = after; return old; } \
    static inline type name##_block(type *place, type value) { return name(place, value); } \
    static inline type name##_system(type *place, type value) { return name(place, value); }
#define ATOMIC_INTEGERS(name, function, after) \
    ATOMIC(name, function, int, after) ATOMIC(name, function, unsigned, after) \
    ATOMIC(name, function, unsigned long long, after)
static inline int clreduce_sum(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static inline unsigned clreduce_sum(unsigned a, unsigned b) { return a + b; }
static inline unsigned long long clreduce_sum(unsigned long long a, unsigned long long b) { return a + b; }
static inline float clreduce_sum(float a, float b) { return a + b; }
static inline double clreduce_sum(double a, double b) { return a + b; }
ATOMIC_INTEGERS(atomicAdd, add, clreduce_sum(old, value))
ATOMIC(atomicAdd, add, float, clreduce_sum(old, value))
ATOMIC(atomicAdd, add, double, clreduce_sum(old, value))
ATOMIC(atomicSub, add, int, (int)((unsigned)old - (unsigned)value))
ATOMIC(atomicSub, add, unsigned, old - value)
ATOMIC_INTEGERS(atomicExch, exchange, value)
ATOMIC(atomicExch, exchange, float, value)
ATOMIC_INTEGERS(atomicMin, min, old < value ? old : value)
ATOMIC(atomicMin, min, long long, old < value ? old : value)
ATOMIC_INTEGERS(atomicMax, max, old > value ? old : value)
ATOMIC(atomicMax, max, long long, old > value ? old : value)
ATOMIC_INTEGERS(atomicAnd, and, old & value)
ATOMIC_INTEGERS(atomicOr, or, old | value)
ATOMIC_INTEGERS(atomicXor, xor, old ^ value)
ATOMIC(atomicInc, increment, unsigned, old >= value ? 0 : old + 1)
ATOMIC(atomicDec, decrement, unsigned, old == 0 || old > value ? value : old - 1)
#undef ATOMIC
#undef ATOMIC_INTEGERS
#define COMPARE_AND_SWAP(type) \
    ATOMICALLY type atomicCAS(type *place, type expected, type value) \
    { CLREDUCE_COMPARE(place, expected); type old = *place; if (old == expected) *place = value; return old; } \
    static inline type atomicCAS_block(type *place, type e, type value) { return atomicCAS(place, e, value); } \
    static inline type atomicCAS_system(type *place, type e, type value) { return atomicCAS(place, e, value); }
COMPARE_AND_SWAP(unsigned short)
COMPARE_AND_SWAP(int)
COMPARE_AND_SWAP(unsigned)
COMPARE_AND_SWAP(unsigned long long)
#undef COMPARE_AND_SWAP
#undef ATOMICALLY

// ---- Warps ----

#ifdef CLREDUCE_HOST
// The lanes of a warp give each other values: see exchanges.c. A lane reads from itself where the other one is outside of its
// segment of `width` lanes.
static inline void __syncwarp(unsigned mask = 0xffffffff) { clreduce_sync_warp(mask); }
template <class T> static inline unsigned clreduce_give(unsigned mask, T value)
{
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return clreduce_meet_warp(mask, bits);
}
template <class T> static inline T clreduce_take(unsigned mask, unsigned lane)
{
    unsigned long bits = clreduce_value_of_lane(mask, lane);
    T value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
#define SHUFFLE(type) \
    static inline type __shfl_sync(unsigned mask, type value, int from, int width = 32) \
    { \
        unsigned lane = clreduce_give(mask, value), in = (unsigned)width - 1; \
        return clreduce_take<type>(mask, (lane & ~in) | ((unsigned)from & in)); \
    } \
    static inline type __shfl_up_sync(unsigned mask, type value, unsigned by, int width = 32) \
    { \
        unsigned lane = clreduce_give(mask, value), first = lane & ~((unsigned)width - 1); \
        return clreduce_take<type>(mask, lane - first >= by ? lane - by : lane); \
    } \
    static inline type __shfl_down_sync(unsigned mask, type value, unsigned by, int width = 32) \
    { \
        unsigned lane = clreduce_give(mask, value), last = lane | ((unsigned)width - 1); \
        return clreduce_take<type>(mask, last - lane >= by ? lane + by : lane); \
    } \
    static inline type __shfl_xor_sync(unsigned mask, type value, int by, int width = 32) \
    { \
        unsigned lane = clreduce_give(mask, value), last = lane | ((unsigned)width - 1); \
        unsigned other = (lane ^ (unsigned)by) & 31; \
        return clreduce_take<type>(mask, other <= last ? other : lane); \
    }
#define OF_LANES(mask, value, lane, type, own, what) \
    clreduce_give(mask, value); \
    for (unsigned lane = 0; lane < 32; lane++) \
        if (clreduce_answering(mask) >> lane & 1) { \
            type own = clreduce_take<type>(mask, lane); \
            what; \
        }
static inline unsigned __ballot_sync(unsigned mask, int value)
{ unsigned votes = 0; OF_LANES(mask, value, lane, int, vote, votes |= (unsigned)(vote != 0) << lane) return votes; }
static inline int __all_sync(unsigned mask, int value) { return __ballot_sync(mask, !value) == 0; }
static inline int __any_sync(unsigned mask, int value) { return __ballot_sync(mask, value) != 0; }
template <class T> static inline unsigned __match_any_sync(unsigned mask, T value)
{ unsigned same = 0; OF_LANES(mask, value, lane, T, other, same |= (unsigned)(other == value) << lane) return same; }
template <class T> static inline unsigned __match_all_sync(unsigned mask, T value, int *is_same)
{
    unsigned same = __match_any_sync(mask, value);
    *is_same = same == clreduce_answering(mask);
    return *is_same ? mask : 0;
}
#define REDUCE(name, type, first, both) \
    static inline type __reduce_##name##_sync(unsigned mask, type value) \
    { type a = first; OF_LANES(mask, value, lane, type, b, a = both) return a; }
REDUCE(add, unsigned, 0, a + b)
REDUCE(add, int, 0, (int)((unsigned)a + (unsigned)b))
REDUCE(min, unsigned, value, b < a ? b : a)
REDUCE(min, int, value, b < a ? b : a)
REDUCE(max, unsigned, value, b > a ? b : a)
REDUCE(max, int, value, b > a ? b : a)
REDUCE(and, unsigned, value, a & b)
REDUCE(or, unsigned, 0, a | b)
REDUCE(xor, unsigned, 0, a ^ b)
#undef REDUCE
#undef OF_LANES
#else
void __syncwarp(unsigned = 0xffffffff);
int __all_sync(unsigned, int);
int __any_sync(unsigned, int);
unsigned __ballot_sync(unsigned, int);
template <class T> unsigned __match_any_sync(unsigned, T);
template <class T> unsigned __match_all_sync(unsigned, T, int *);
unsigned __reduce_add_sync(unsigned, unsigned);
int __reduce_add_sync(unsigned, int);
unsigned __reduce_min_sync(unsigned, unsigned);
int __reduce_min_sync(unsigned, int);
unsigned __reduce_max_sync(unsigned, unsigned);
int __reduce_max_sync(unsigned, int);
unsigned __reduce_and_sync(unsigned, unsigned);
unsigned __reduce_or_sync(unsigned, unsigned);
unsigned __reduce_xor_sync(unsigned, unsigned);
#define SHUFFLE(type) \
    type __shfl_sync(unsigned, type, int, int = 32); \
    type __shfl_up_sync(unsigned, type, unsigned, int = 32); \
    type __shfl_down_sync(unsigned, type, unsigned, int = 32); \
    type __shfl_xor_sync(unsigned, type, int, int = 32);
#endif
SHUFFLE(int)
SHUFFLE(unsigned)
SHUFFLE(long)
SHUFFLE(unsigned long)
SHUFFLE(long long)
SHUFFLE(unsigned long long)
SHUFFLE(float)
SHUFFLE(double)
#undef SHUFFLE
#ifdef CLREDUCE_HOST
// Shared memory whose size the launch decides: see dynamic.rs.
__shared__ __attribute__((aligned(1024))) unsigned char clreduce_dynamic[48 << 10];
static inline unsigned __activemask() { return clreduce_active(); }
#else
unsigned __activemask();
#endif

// ---- Integers ----

#define LARGER_AND_SMALLER(type) \
    static inline constexpr type min(type a, type b) { return a < b ? a : b; } \
    static inline constexpr type max(type a, type b) { return a < b ? b : a; }
LARGER_AND_SMALLER(int)
LARGER_AND_SMALLER(unsigned)
LARGER_AND_SMALLER(long)
LARGER_AND_SMALLER(unsigned long)
LARGER_AND_SMALLER(long long)
LARGER_AND_SMALLER(unsigned long long)
LARGER_AND_SMALLER(float)
LARGER_AND_SMALLER(double)
#undef LARGER_AND_SMALLER
static inline int __clz(int a) { return a ? __builtin_clz(a) : 32; }
static inline int __clzll(long long a) { return a ? __builtin_clzll(a) : 64; }
static inline int __ffs(int a) { return __builtin_ffs(a); }
static inline int __ffsll(long long a) { return __builtin_ffsll(a); }
static inline int __popc(unsigned a) { return __builtin_popcount(a); }
static inline int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
static inline unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
static inline unsigned long long __brevll(unsigned long long a) { return __builtin_bitreverse64(a); }
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector)
{
    unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned result = 0;
    for (int i = 0; i < 4; i++)
        result |= (unsigned)(both >> (selector >> i * 4 & 7) * 8 & 255) << i * 8;
    return result;
}
static inline unsigned long long clreduce_both(unsigned low, unsigned high) { return (unsigned long long)high << 32 | low; }
static inline unsigned clreduce_at_most_32(unsigned by) { return by < 32 ? by : 32; }
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by)
{ return (unsigned)(clreduce_both(low, high) << (by & 31) >> 32); }
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned by)
{ return (unsigned)(clreduce_both(low, high) << clreduce_at_most_32(by) >> 32); }
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by)
{ return (unsigned)(clreduce_both(low, high) >> (by & 31)); }
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned by)
{ return (unsigned)(clreduce_both(low, high) >> clreduce_at_most_32(by)); }
// The low 32 bits of the product of the low 24 bits.
static inline int __mul24(int a, int b)
{
    long long low_a = (int)((unsigned)a << 8) >> 8, low_b = (int)((unsigned)b << 8) >> 8;
    return (int)(low_a * low_b);
}
static inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
// Zero, with the bits unset that are unset in a number: MemorySanitizer does not follow what a product carries into its upper half.
#if defined(CLREDUCE_HOST) && __has_feature(memory_sanitizer)
extern "C" void __msan_unpoison(const volatile void *place, size_t bytes);
template <typename T> static inline T clreduce_unset(T x) { T set = x; __msan_unpoison(&set, sizeof set); return x ^ set; }
#else
#define clreduce_unset(x) 0
#endif
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32) ^ clreduce_unset(a) ^ clreduce_unset(b); }
static inline unsigned __umulhi(unsigned a, unsigned b)
{ return (unsigned)((unsigned long long)a * b >> 32) ^ clreduce_unset(a) ^ clreduce_unset(b); }
static inline long long __mul64hi(long long a, long long b)
{ return (long long)((__int128)a * b >> 64) ^ clreduce_unset(a) ^ clreduce_unset(b); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{ return (unsigned long long)((unsigned __int128)a * b >> 64) ^ clreduce_unset(a) ^ clreduce_unset(b); }
static inline int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
static inline int __rhadd(int a, int b) { return (int)(((long long)a + b + 1) >> 1); }
static inline unsigned __uhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b) >> 1); }
static inline unsigned __urhadd(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a + b + 1) >> 1); }
static inline unsigned __sad(int a, int b, unsigned c) { return (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b) + c; }
static inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a < b ? b - a : a - b) + c; }
// Sums of products of bytes.
static inline int __dp4a(int a, int b, int c)
{
    unsigned sum = (unsigned)c;
    for (int i = 0; i < 32; i += 8)
        sum += (unsigned)((signed char)(a >> i) * (signed char)(b >> i));
    return (int)sum;
}
static inline unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}
// The same on each part of a word: bytes for 4, halves for 2. Part by part, `a` and `b` are of the type.
#define PARTS(name, type, value) \
    static inline unsigned name(unsigned words_a, unsigned words_b) \
    { \
        const int bits = sizeof(type) * 8; \
        unsigned result = 0; \
        for (int i = 0; i < 32; i += bits) { \
            int a = (type)(words_a >> i), b = (type)(words_b >> i); \
            result |= ((unsigned)(value) & (0xffffffffu >> (32 - bits))) << i; \
        } \
        return result; \
    }
#define PARTS_OF(width, with_sign, without) \
    PARTS(__vadd##width, without, a + b) PARTS(__vsub##width, without, a - b) \
    PARTS(__vavgu##width, without, (a + b + 1) >> 1) \
    PARTS(__vhaddu##width, without, (a + b) >> 1) \
    PARTS(__vabsdiffs##width, with_sign, a < b ? b - a : a - b) PARTS(__vabsdiffu##width, without, a < b ? b - a : a - b) \
    PARTS(__vmaxs##width, with_sign, a < b ? b : a) PARTS(__vmaxu##width, without, a < b ? b : a) \
    PARTS(__vmins##width, with_sign, b < a ? b : a) PARTS(__vminu##width, without, b < a ? b : a) \
    PARTS(__vcmpeq##width, without, -(a == b)) PARTS(__vcmpne##width, without, -(a != b)) \
    PARTS(__vcmpgts##width, with_sign, -(a > b)) PARTS(__vcmpgtu##width, without, -(a > b)) \
    PARTS(__vcmplts##width, with_sign, -(a < b)) PARTS(__vcmpltu##width, without, -(a < b)) \
    PARTS(__vseteq##width, without, a == b) PARTS(__vsetltu##width, without, a < b)
PARTS_OF(2, short, unsigned short)
PARTS_OF(4, signed char, unsigned char)
#undef PARTS
#undef PARTS_OF

// ---- Floating point ----

#ifdef CLREDUCE_HOST
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __saturatef(float a) { return a > 0 ? a < 1 ? a : 1 : 0; }
static inline float rsqrtf(float a) { return 1 / __builtin_sqrtf(a); }
static inline double rsqrt(double a) { return 1 / __builtin_sqrt(a); }
static inline float __expf(float a) { return __builtin_expf(a); }
static inline float __exp10f(float a) { return __builtin_powf(10, a); }
static inline float __logf(float a) { return __builtin_logf(a); }
static inline float __log2f(float a) { return __builtin_log2f(a); }
static inline float __log10f(float a) { return __builtin_log10f(a); }
static inline float __powf(float a, float b) { return __builtin_powf(a, b); }
static inline float __sinf(float a) { return __builtin_sinf(a); }
static inline float __cosf(float a) { return __builtin_cosf(a); }
static inline float __tanf(float a) { return __builtin_tanf(a); }
static inline void __sincosf(float a, float *s, float *c) { sincosf(a, s, c); }
static inline float __frcp_rn(float a) { return 1 / a; }
static inline float __frsqrt_rn(float a) { return 1 / __builtin_sqrtf(a); }
// Values are about right; whether a kernel is valid does not depend on their last bits. Out of range, CUDA's conversions
// give the nearest number.
static inline int clreduce_to_int(double a)
{ return a != a ? 0 : a >= 0x1p31 ? 0x7fffffff : a < -0x1p31 ? -0x7fffffff - 1 : (int)a; }
static inline unsigned clreduce_to_unsigned(double a)
{ return a >= 0x1p32 ? 0xffffffffu : a >= 0 ? (unsigned)a : 0; }
#define ROUNDED(mode, round) \
    static inline float __fadd_##mode(float a, float b) { return a + b; } \
    static inline float __fsub_##mode(float a, float b) { return a - b; } \
    static inline float __fmul_##mode(float a, float b) { return a * b; } \
    static inline float __fdiv_##mode(float a, float b) { return a / b; } \
    static inline float __fsqrt_##mode(float a) { return __builtin_sqrtf(a); } \
    static inline float __fmaf_##mode(float a, float b, float c) { return __builtin_fmaf(a, b, c); } \
    static inline double __dadd_##mode(double a, double b) { return a + b; } \
    static inline double __dsub_##mode(double a, double b) { return a - b; } \
    static inline double __dmul_##mode(double a, double b) { return a * b; } \
    static inline double __ddiv_##mode(double a, double b) { return a / b; } \
    static inline double __dsqrt_##mode(double a) { return __builtin_sqrt(a); } \
    static inline double __fma_##mode(double a, double b, double c) { return __builtin_fma(a, b, c); } \
    static inline int __float2int_##mode(float a) { return clreduce_to_int(__builtin_##round(a)); } \
    static inline unsigned __float2uint_##mode(float a) { return clreduce_to_unsigned(__builtin_##round(a)); } \
    static inline float __int2float_##mode(int a) { return (float)a; } \
    static inline float __uint2float_##mode(unsigned a) { return (float)a; } \
    static inline int __double2int_##mode(double a) { return clreduce_to_int(__builtin_##round(a)); }
ROUNDED(rn, rint)
ROUNDED(rz, trunc)
ROUNDED(ru, ceil)
ROUNDED(rd, floor)
#else
float __fdividef(float, float);
float __saturatef(float);
float rsqrtf(float);
double rsqrt(double);
#define ROUNDED(mode) \
    float __fadd_##mode(float, float); \
    float __fmul_##mode(float, float); \
    float __fdiv_##mode(float, float); \
    float __fsqrt_##mode(float); \
    float __fmaf_##mode(float, float, float); \
    double __dadd_##mode(double, double); \
    double __dmul_##mode(double, double); \
    double __ddiv_##mode(double, double); \
    double __dsqrt_##mode(double); \
    double __fma_##mode(double, double, double); \
    int __float2int_##mode(float); \
    unsigned __float2uint_##mode(float); \
    float __int2float_##mode(int); \
    float __uint2float_##mode(unsigned); \
    int __double2int_##mode(double);
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(ru)
ROUNDED(rd)
#endif
#undef ROUNDED
static inline int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
static inline unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
static inline float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
static inline float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
static inline long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
static inline double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }

// ---- Memory and time ----

size_t __cvta_generic_to_shared(const void *);
size_t __cvta_generic_to_global(const void *);
template <class T> static inline T __ldg(const T *place) { return *place; }
template <class T> static inline T __ldcg(const T *place) { return *place; }
template <class T> static inline T __ldca(const T *place) { return *place; }
template <class T> static inline T __ldcs(const T *place) { return *place; }
template <class T> static inline T __ldcv(const T *place) { return *place; }
template <class T> static inline void __stwb(T *place, T value) { *place = value; }
template <class T> static inline void __stwt(T *place, T value) { *place = value; }
template <class T> static inline void __stcg(T *place, T value) { *place = value; }
template <class T> static inline void __stcs(T *place, T value) { *place = value; }
static inline void __nanosleep(unsigned) {}
long long clock64();
void __trap();
void __brkpt();

// ---- What the host calls ----

enum cudaError { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorUnknown = 999 };
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor, multiProcessorCount, maxThreadsPerMultiProcessor;
};
enum { cudaMemAttachGlobal = 1, cudaHostAllocDefault = 0, cudaHostAllocMapped = 2, cudaEventDefault = 0 };
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };

// What `<<<...>>>` stands for.
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);

const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
cudaError_t cudaDeviceReset();
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
template <class T> cudaError_t cudaMalloc(T **, size_t);
template <class T> cudaError_t cudaMallocHost(T **, size_t, unsigned = 0);
template <class T> cudaError_t cudaMallocManaged(T **, size_t, unsigned = cudaMemAttachGlobal);
template <class T> cudaError_t cudaHostAlloc(T **, size_t, unsigned);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind, cudaStream_t = 0);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &, const void *, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyHostToDevice);
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *, const T &, size_t, size_t = 0, cudaMemcpyKind = cudaMemcpyDeviceToHost);
template <class T> cudaError_t cudaGetSymbolAddress(void **, const T &);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
template <class T> cudaError_t cudaLaunchKernel(T *, dim3, dim3, void **, size_t = 0, cudaStream_t = 0);

#pragma clang force_cuda_host_device end
