//: printf
extern "C" int printf(const char *, ...);
//: memcpy
extern "C" void *memcpy(void *, const void *, decltype(sizeof 0));
//: ceilf
extern "C" float ceilf(float);
//: ceil
extern "C" double ceil(double);
//: fabsf
extern "C" float fabsf(float);
//: fabs
extern "C" double fabs(double);
//: floorf
extern "C" float floorf(float);
//: floor
extern "C" double floor(double);
//: rintf
extern "C" float rintf(float);
//: rint
extern "C" double rint(double);
//: roundf
extern "C" float roundf(float);
//: round
extern "C" double round(double);
//: truncf
extern "C" float truncf(float);
//: trunc
extern "C" double trunc(double);
//: copysignf
extern "C" float copysignf(float, float);
//: copysign
extern "C" double copysign(double, double);
//: fdimf
extern "C" float fdimf(float, float);
//: fdim
extern "C" double fdim(double, double);
//: fmaxf
extern "C" float fmaxf(float, float);
//: fmax
extern "C" double fmax(double, double);
//: fminf
extern "C" float fminf(float, float);
//: fmin
extern "C" double fmin(double, double);
//: fmaf
extern "C" float fmaf(float, float, float);
//: fma
extern "C" double fma(double, double, double);
//: clz32
static int32 clz32(int32 a) { return a ? __builtin_clz((uint32)a) : 32; }
//: clz64
static int32 clz64(int64 a) { return a ? __builtin_clzll((uint64)a) : 64; }
//: ffs64
static int32 ffs64(int64 a) { return __builtin_ffsll(a); }
//: popc32
static int32 popc32(uint32 a) { return __builtin_popcount(a); }
//: popc64
static int32 popc64(uint64 a) { return __builtin_popcountll(a); }
//: mulhi32
static int32 mulhi32(int32 a, int32 b) { return (int32)((int64)a * b >> 32); }
//: umulhi32
static uint32 umulhi32(uint32 a, uint32 b) { return (uint32)((uint64)a * b >> 32); }
//: umulhi64
static uint64 umulhi64(uint64 a, uint64 b) {
    uint64 low = (uint64)(uint32)a * (uint32)b, middle = (a >> 32) * (uint32)b + (low >> 32);
    uint64 other = (uint64)(uint32)a * (b >> 32) + (uint32)middle;
    return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}
//: mulhi64
static int64 mulhi64(int64 a, int64 b) { return (int64)(umulhi64((uint64)a, (uint64)b) - (a < 0 ? (uint64)b : 0) - (b < 0 ? (uint64)a : 0)); }
//: mul24s
static int32 mul24s(int32 a, int32 b) { return (int32)((uint32)((int32)((uint32)a << 8) >> 8) * (uint32)((int32)((uint32)b << 8) >> 8)); }
//: mul24u
static uint32 mul24u(uint32 a, uint32 b) { return (a & 0xffffff) * (b & 0xffffff); }
