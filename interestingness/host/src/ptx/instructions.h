// Instructions of PTX as functions. Registers are unsigned integers of their width, and a function takes and returns bits:
// what a number of a type is made of. A name is that of the instruction without its types, which are template arguments.
// What can be undefined (memory, division, barriers) is no function: it stands in the program, whose lines reports name.

#pragma clang force_cuda_host_device begin
namespace ptx {

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef float f32;
typedef double f64;
typedef bool pred;

// The bits of a number; the unsigned type of its width; the type of a product.
template <class T> struct type;
#define TYPE(own, of_bits, of_whole, of_wide) \
    template <> struct type<own> { typedef of_bits bits; typedef of_whole whole; typedef of_wide wide; }
TYPE(u8, u8, u8, u16);
TYPE(s8, s8, u8, s16);
TYPE(u16, u16, u16, u32);
TYPE(s16, s16, u16, s32);
TYPE(u32, u32, u32, u64);
TYPE(s32, s32, u32, s64);
TYPE(u64, u64, u64, unsigned __int128);
TYPE(s64, s64, u64, __int128);
TYPE(f32, u32, u32, f64);
TYPE(f64, u64, u64, f64);
TYPE(pred, bool, bool, bool);
#undef TYPE
template <class T> using bits = typename type<T>::bits;
template <class T> using whole = typename type<T>::whole;
template <class T> using wide = typename type<T>::wide;
template <class T> constexpr bool is_signed = T(-1) < T(0);
template <class T> constexpr int width = 8 * sizeof(T);
template <class T> constexpr bool is_float = false;
template <> constexpr bool is_float<f32> = true;
template <> constexpr bool is_float<f64> = true;

// In memory: what was stored as one type may be loaded as another.
typedef u8 __attribute__((may_alias)) m_u8;
typedef s8 __attribute__((may_alias)) m_s8;
typedef u16 __attribute__((may_alias)) m_u16;
typedef s16 __attribute__((may_alias)) m_s16;
typedef u32 __attribute__((may_alias)) m_u32, m_f32;
typedef s32 __attribute__((may_alias)) m_s32;
typedef u64 __attribute__((may_alias)) m_u64, m_f64;
typedef s64 __attribute__((may_alias)) m_s64;

template <class T> static inline T value(bits<T> a)
{
    if constexpr (is_float<T>)
        return __builtin_bit_cast(T, a);
    else
        return a;
}
template <class T> static inline bits<T> raw(T a)
{
    if constexpr (!is_float<T>)
        return a;
    else if (sizeof(T) == 4 && a != a)
        return 0x7fffffff;
    else
        return __builtin_bit_cast(bits<T>, a);
}

// An address of 32 bits in the state space in which this variable lies.
static inline u64 near(u32 low, u64 variable) { return variable + (u64)(s64)(s32)(low - (u32)variable); }

// MemorySanitizer takes the upper bits of sums and products for known if only lower bits of the operands are not. With this, a
// value is known only if its operands are.
#if __has_feature(memory_sanitizer)
extern "C" long __msan_test_shadow(const void *memory, unsigned long size);
extern "C" void __msan_poison(const void *memory, unsigned long size);
template <class W, class... Operands> static inline W depending(W all, Operands... operands)
{
    if (((__msan_test_shadow(&operands, sizeof operands) >= 0) || ...))
        __msan_poison(&all, sizeof all);
    return all;
}
#else
template <class W, class... Operands> static inline W depending(W all, Operands...) { return all; }
#endif

#define OP template <class T> static inline bits<T>
#define ARITHMETIC(name, expression) \
    OP op_##name(bits<T> x, bits<T> y) \
    { \
        if constexpr (is_float<T>) { T a = value<T>(x), b = value<T>(y); return raw<T>(expression); } \
        else { u64 a = (u64)x, b = (u64)y; return (bits<T>)(expression); } \
    } \
    OP op_##name##_rn(bits<T> x, bits<T> y) { return op_##name<T>(x, y); }
ARITHMETIC(add, a + b)
ARITHMETIC(sub, a - b)
ARITHMETIC(mul, a * b)
#undef ARITHMETIC

template <class T> static inline wide<T> product(bits<T> a, bits<T> b)
{
    return depending((wide<T>)a * (wide<T>)b, a, b);
}
template <class T> static inline bits<T> saturated(__int128 a)
{
    const __int128 top = ((__int128)1 << (width<T> - is_signed<T>)) - 1, bottom = is_signed<T> ? -top - 1 : 0;
    return (bits<T>)(a > top ? top : a < bottom ? bottom : a);
}
OP op_add_sat(bits<T> a, bits<T> b) { return saturated<T>((__int128)a + b); }
OP op_sub_sat(bits<T> a, bits<T> b) { return saturated<T>((__int128)a - b); }
OP op_mul_lo(bits<T> a, bits<T> b) { return op_mul<T>(a, b); }
OP op_mul_hi(bits<T> a, bits<T> b) { return (bits<T>)(product<T>(a, b) >> width<T>); }
template <class T> static inline wide<T> op_mul_wide(bits<T> a, bits<T> b) { return product<T>(a, b); }
OP op_mad_lo(bits<T> a, bits<T> b, bits<T> c) { return (bits<T>)((u64)a * (u64)b + (u64)c); }
OP op_mad_hi(bits<T> a, bits<T> b, bits<T> c) { return op_add<T>(op_mul_hi<T>(a, b), c); }
OP op_mad_hi_sat(bits<T> a, bits<T> b, bits<T> c) { return saturated<T>((__int128)op_mul_hi<T>(a, b) + c); }
template <class T> static inline wide<T> op_mad_wide(bits<T> a, bits<T> b, wide<T> c)
{
    return (wide<T>)((u64)product<T>(a, b) + (u64)c);
}
template <class T> static inline s64 product24(bits<T> a, bits<T> b)
{
    if (is_signed<T>)
        return (s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8);
    return (s64)((u64)((u32)a & 0xffffff) * ((u32)b & 0xffffff));
}
OP op_mul24_lo(bits<T> a, bits<T> b) { return (bits<T>)product24<T>(a, b); }
OP op_mul24_hi(bits<T> a, bits<T> b) { return (bits<T>)(product24<T>(a, b) >> 16); }
OP op_mad24_lo(bits<T> a, bits<T> b, bits<T> c) { return op_add<T>(op_mul24_lo<T>(a, b), c); }
OP op_mad24_hi(bits<T> a, bits<T> b, bits<T> c) { return op_add<T>(op_mul24_hi<T>(a, b), c); }
OP op_sad(bits<T> a, bits<T> b, bits<T> c) { return op_add<T>(c, a < b ? op_sub<T>(b, a) : op_sub<T>(a, b)); }
OP op_neg(bits<T> a)
{
    if constexpr (is_float<T>)
        return a ^ (bits<T>)1 << (width<T> - 1);
    else
        return op_sub<T>(0, a);
}
OP op_abs(bits<T> a)
{
    if constexpr (is_float<T>)
        return a & ~((bits<T>)1 << (width<T> - 1));
    else
        return a < 0 ? op_sub<T>(0, a) : a;
}
OP op_min(bits<T> x, bits<T> y)
{
    T a = value<T>(x), b = value<T>(y);
    return a != a ? y : b != b ? x : a < b || (is_float<T> && a == b && x > y) ? x : y;
}
OP op_max(bits<T> x, bits<T> y)
{
    T a = value<T>(x), b = value<T>(y);
    return a != a ? y : b != b ? x : a > b || (is_float<T> && a == b && x < y) ? x : y;
}

// ---- Carries ----

template <class T> static inline unsigned __int128 sum(whole<T> a, whole<T> b, bool carry)
{
    return depending((unsigned __int128)a + b + carry, a, b, carry);
}
template <class T> static inline unsigned __int128 difference(whole<T> a, whole<T> b, bool borrow)
{
    return depending((unsigned __int128)a - b - borrow, a, b, borrow);
}
template <class T> static inline bits<T> kept(unsigned __int128 all, pred &carry)
{
    carry = all >> width<T> & 1;
    return (bits<T>)all;
}
OP op_add_cc(bits<T> a, bits<T> b, pred &carry) { return kept<T>(sum<T>(a, b, false), carry); }
OP op_addc(bits<T> a, bits<T> b, pred carry) { return (bits<T>)sum<T>(a, b, carry); }
OP op_addc_cc(bits<T> a, bits<T> b, pred &carry) { return kept<T>(sum<T>(a, b, carry), carry); }
OP op_sub_cc(bits<T> a, bits<T> b, pred &carry) { return kept<T>(difference<T>(a, b, false), carry); }
OP op_subc(bits<T> a, bits<T> b, pred carry) { return (bits<T>)difference<T>(a, b, carry); }
OP op_subc_cc(bits<T> a, bits<T> b, pred &carry) { return kept<T>(difference<T>(a, b, carry), carry); }
#define MULTIPLYING(part) \
    OP op_mad_##part##_cc(bits<T> a, bits<T> b, bits<T> c, pred &carry) \
    { return op_add_cc<T>(op_mul_##part<T>(a, b), c, carry); } \
    OP op_madc_##part(bits<T> a, bits<T> b, bits<T> c, pred carry) \
    { return op_addc<T>(op_mul_##part<T>(a, b), c, carry); } \
    OP op_madc_##part##_cc(bits<T> a, bits<T> b, bits<T> c, pred &carry) \
    { return op_addc_cc<T>(op_mul_##part<T>(a, b), c, carry); }
MULTIPLYING(lo)
MULTIPLYING(hi)
#undef MULTIPLYING

// ---- Bits ----

OP op_and(bits<T> a, bits<T> b) { return a & b; }
OP op_or(bits<T> a, bits<T> b) { return a | b; }
OP op_xor(bits<T> a, bits<T> b) { return a ^ b; }
OP op_not(bits<T> a)
{
    if constexpr (sizeof(T) == sizeof(pred) && !is_signed<T> && T(2) == T(1))
        return !a;
    else
        return (bits<T>)~a;
}
OP op_cnot(bits<T> a) { return a == 0; }
OP op_shl(bits<T> a, u32 by) { return by >= width<T> ? 0 : (bits<T>)((whole<T>)a << by); }
OP op_shr(bits<T> a, u32 by) { return by < width<T> ? a >> by : is_signed<T> && a < 0 ? -1 : 0; }
template <class T> static inline u32 op_popc(bits<T> a) { return (u32)__builtin_popcountll((whole<T>)a); }
template <class T> static inline u32 op_clz(bits<T> a)
{
    return a == 0 ? width<T> : (u32)(__builtin_clzll((whole<T>)a) - (64 - width<T>));
}
template <class T> static inline u32 op_bfind(bits<T> a)
{
    whole<T> found = is_signed<T> && a < 0 ? (whole<T>)~a : (whole<T>)a;
    return found == 0 ? ~0u : width<T> - 1 - op_clz<whole<T>>(found);
}
template <class T> static inline u32 op_bfind_shiftamt(bits<T> a)
{
    u32 at = op_bfind<T>(a);
    return at == ~0u ? at : width<T> - 1 - at;
}
OP op_brev(bits<T> a)
{
    whole<T> result = 0;
    for (int i = 0; i < width<T>; i++)
        result |= ((whole<T>)a >> i & 1) << (width<T> - 1 - i);
    return (bits<T>)result;
}
OP op_bfe(bits<T> a, u32 from, u32 count)
{
    from &= 255, count &= 255;
    u32 last = from + count - 1 < width<T> - 1u ? from + count - 1 : width<T> - 1u;
    bool sign = is_signed<T> && count != 0 && ((whole<T>)a >> last & 1);
    whole<T> result = 0;
    for (u32 i = 0; i < (u32)width<T>; i++) {
        bool bit = i < count && from + i < (u32)width<T> ? (whole<T>)a >> (from + i) & 1 : sign;
        result |= (whole<T>)bit << i;
    }
    return (bits<T>)result;
}
OP op_bfi(bits<T> a, bits<T> b, u32 from, u32 count)
{
    from &= 255, count &= 255;
    whole<T> result = (whole<T>)b;
    for (u32 i = 0; i < count && from + i < (u32)width<T>; i++) {
        whole<T> bit = (whole<T>)1 << (from + i);
        result = (whole<T>)a >> i & 1 ? result | bit : result & ~bit;
    }
    return (bits<T>)result;
}
static inline u32 mask(u32 from, u32 count)
{
    u64 ones = count >= 32 ? 0xffffffffull : (1ull << count) - 1;
    return from >= 32 ? 0 : (u32)(ones << from);
}
OP op_bmsk_clamp(u32 from, u32 count) { return mask(from, count); }
OP op_bmsk_wrap(u32 from, u32 count) { return mask(from & 31, count & 31); }
OP op_lop3(u32 a, u32 b, u32 c, u32 table)
{
    u32 result = 0;
    for (int i = 0; i < 8; i++)
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    return result;
}
#define FUNNEL(mode, amount) \
    OP op_shf_l_##mode(u32 low, u32 high, u32 by) { return (u32)(((u64)high << 32 | low) << (amount) >> 32); } \
    OP op_shf_r_##mode(u32 low, u32 high, u32 by) { return (u32)(((u64)high << 32 | low) >> (amount)); }
FUNNEL(wrap, by & 31)
FUNNEL(clamp, by > 32 ? 32 : by)
#undef FUNNEL
static inline u32 byte_of(u32 a, u32 b, u32 at) { return (u32)(((u64)b << 32 | a) >> (8 * (at & 7))) & 255; }
OP op_prmt(u32 a, u32 b, u32 control)
{
    u32 result = 0;
    for (int i = 0; i < 4; i++) {
        u32 pick = control >> 4 * i & 15, byte = byte_of(a, b, pick);
        result |= (pick & 8 ? (byte >> 7) * 255 : byte) << 8 * i;
    }
    return result;
}
// With modes, two bits of the control choose one of four orders of bytes.
#define ORDERS(mode, first, second, third, fourth) \
    OP op_prmt_##mode(u32 a, u32 b, u32 control) \
    { \
        const u32 orders[] = {first, second, third, fourth}; \
        return op_prmt<u32>(a, b, orders[control & 3]); \
    }
ORDERS(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
ORDERS(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
ORDERS(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
ORDERS(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
ORDERS(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
ORDERS(rc16, 0x1010, 0x3232, 0x1010, 0x3232)
#undef ORDERS

// ---- Choices ----

OP op_selp(bits<T> a, bits<T> b, pred which) { return which ? a : b; }
template <class T, class C> static inline bits<T> op_slct(bits<T> a, bits<T> b, bits<C> which)
{
    return value<C>(which) >= 0 ? a : b;
}
#define COMPARE(name, expression) \
    template <class T> static inline bool compare_##name(bits<T> x, bits<T> y) \
    { T a = value<T>(x), b = value<T>(y); return expression; }
COMPARE(eq, a == b)
COMPARE(ne, a < b || a > b)
COMPARE(lt, a < b)
COMPARE(le, a <= b)
COMPARE(gt, a > b)
COMPARE(ge, a >= b)
COMPARE(lo, a < b)
COMPARE(ls, a <= b)
COMPARE(hi, a > b)
COMPARE(hs, a >= b)
COMPARE(equ, !(a < b || a > b))
COMPARE(neu, a != b)
COMPARE(ltu, !(a >= b))
COMPARE(leu, !(a > b))
COMPARE(gtu, !(a <= b))
COMPARE(geu, !(a < b))
COMPARE(num, a == a && b == b)
COMPARE(nan, a != a || b != b)
#undef COMPARE
template <class T> static inline bits<T> truth(bool holds)
{
    if constexpr (is_float<T>)
        return raw<T>(holds);
    else
        return holds ? (bits<T>)~(bits<T>)0 : 0;
}

// ---- Conversions ----

template <class T, class A> static inline bits<T> op_cvt(bits<A> a) { return raw<T>((T)value<A>(a)); }
template <class T, class A> static inline bits<T> op_cvt_rn(bits<A> a) { return raw<T>((T)value<A>(a)); }
template <class T, class A> static inline bits<T> op_cvt_sat(bits<A> a) { return saturated<T>((__int128)a); }
template <class T> static inline bits<T> from_float(f64 a)
{
    if constexpr (is_float<T>)
        return raw<T>((T)a);
    else
        return a != a ? 0 : a >= 0x1p64 ? saturated<T>((__int128)1 << 64)
            : a <= -0x1p64 ? saturated<T>(-((__int128)1 << 64)) : saturated<T>((__int128)a);
}
#define TO_WHOLE(mode, round) \
    template <class T, class A> static inline bits<T> op_cvt_##mode(bits<A> a) \
    { return from_float<T>(__builtin_##round((f64)value<A>(a))); } \
    template <class T, class A> static inline bits<T> op_cvt_##mode##_sat(bits<A> a) { return op_cvt_##mode<T, A>(a); }
TO_WHOLE(rni, rint)
TO_WHOLE(rzi, trunc)
TO_WHOLE(rmi, floor)
TO_WHOLE(rpi, ceil)
#undef TO_WHOLE

// ---- Floating point, exactly rounded ----

OP op_fma_rn(bits<T> a, bits<T> b, bits<T> c)
{
    if constexpr (sizeof(T) == 4)
        return raw<T>(__builtin_fmaf(value<T>(a), value<T>(b), value<T>(c)));
    else
        return raw<T>(__builtin_fma(value<T>(a), value<T>(b), value<T>(c)));
}
OP op_mad_rn(bits<T> a, bits<T> b, bits<T> c) { return op_fma_rn<T>(a, b, c); }
// Divisions by 0 are no errors: their results are infinite.
OP __attribute__((no_sanitize("float-divide-by-zero"))) op_div_rn(bits<T> a, bits<T> b)
{
    return raw<T>(value<T>(a) / value<T>(b));
}
OP op_rcp_rn(bits<T> a) { return op_div_rn<T>(raw<T>(1), a); }
OP op_sqrt_rn(bits<T> a)
{
    if constexpr (sizeof(T) == 4)
        return raw<T>(__builtin_sqrtf(value<T>(a)));
    else
        return raw<T>(__builtin_sqrt(value<T>(a)));
}
OP op_copysign(bits<T> a, bits<T> b)
{
    const bits<T> sign = (bits<T>)1 << (width<T> - 1);
    return (a & sign) | (b & ~sign);
}
template <class T> constexpr bits<T> exponent = sizeof(T) == 4 ? (bits<T>)0x7f800000 : (bits<T>)0x7ff0000000000000;
#define TEST(name, expression) \
    template <class T> static inline bool op_testp_##name(bits<T> x) \
    { bits<T> a = op_abs<T>(x); return expression; }
TEST(finite, a < exponent<T>)
TEST(infinite, a == exponent<T>)
TEST(number, a <= exponent<T>)
TEST(notanumber, a > exponent<T>)
TEST(subnormal, a != 0 && (a & exponent<T>) == 0)
TEST(normal, a == 0 || (a < exponent<T> && (a & exponent<T>) != 0))
#undef TEST

// ---- Parts of words ----

template <class A, class B> static inline u32 op_dp4a(u32 a, u32 b, u32 c)
{
    for (int i = 0; i < 32; i += 8)
        c += (u32)((is_signed<A> ? (s32)(s8)(a >> i) : (s32)(u8)(a >> i)) * (is_signed<B> ? (s32)(s8)(b >> i) : (s32)(u8)(b >> i)));
    return c;
}
template <class A, class B> static inline u32 dp2a(u32 a, u32 b, u32 c)
{
    for (int i = 0; i < 2; i++)
        c += (u32)((is_signed<A> ? (s32)(s16)(a >> 16 * i) : (s32)(u16)(a >> 16 * i)) *
                   (is_signed<B> ? (s32)(s8)(b >> 8 * i) : (s32)(u8)(b >> 8 * i)));
    return c;
}
template <class A, class B> static inline u32 op_dp2a_lo(u32 a, u32 b, u32 c) { return dp2a<A, B>(a, b, c); }
template <class A, class B> static inline u32 op_dp2a_hi(u32 a, u32 b, u32 c) { return dp2a<A, B>(a, b >> 16, c); }
// The last operand is for lanes that a mask leaves out.
#define LANES(name, count, lane, expression) \
    template <class T, class A, class B> static inline u32 op_##name##count(u32 words_a, u32 words_b, u32) \
    { \
        const int step = 32 / count; \
        u32 result = 0; \
        for (int i = 0; i < 32; i += step) { \
            s32 a = is_signed<A> ? (s32)(lane)(words_a >> i) : (s32)((words_a >> i) & ((1u << step) - 1)); \
            s32 b = is_signed<B> ? (s32)(lane)(words_b >> i) : (s32)((words_b >> i) & ((1u << step) - 1)); \
            result |= ((u32)(expression) & ((1u << step) - 1)) << i; \
        } \
        return result; \
    }
#define LANES_OF(count, lane) \
    LANES(vadd, count, lane, a + b) LANES(vsub, count, lane, a - b) LANES(vmin, count, lane, a < b ? a : b) \
    LANES(vmax, count, lane, a > b ? a : b) LANES(vabsdiff, count, lane, a < b ? b - a : a - b)
LANES_OF(2, s16)
LANES_OF(4, s8)
#undef LANES
#undef LANES_OF

// ---- Warps ----

#ifdef CLREDUCE_HOST
static inline u32 lane() { return (u32)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31; }
static inline pred elected(u32 lanes) { return lane() == (u32)__builtin_ctz(lanes); }
#endif

#undef OP
} // namespace ptx
#pragma clang force_cuda_host_device end
