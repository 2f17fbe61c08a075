// Vector loads and stores, atomics.

#define VLOAD_N(N, T, SPACE) \
    T##N OVER vload##N(size_t o, const SPACE T *p) { T##N r; for (int i = 0; i < N; i++) r[i] = p[o * N + i]; return r; }
#define VSTORE_N(N, T, SPACE) \
    void OVER vstore##N(T##N v, size_t o, SPACE T *p) { for (int i = 0; i < N; i++) p[o * N + i] = v[i]; }
#define VMEMORY(T) \
    WIDTHS(VLOAD_N, T, __global) WIDTHS(VLOAD_N, T, __local) WIDTHS(VLOAD_N, T, __constant) WIDTHS(VLOAD_N, T, __private) \
    WIDTHS(VSTORE_N, T, __global) WIDTHS(VSTORE_N, T, __local) WIDTHS(VSTORE_N, T, __private)
VMEMORY(char) VMEMORY(uchar) VMEMORY(short) VMEMORY(ushort) VMEMORY(int) VMEMORY(uint)
VMEMORY(long) VMEMORY(ulong) VMEMORY(float) VMEMORY(double)

// Work-items take turns here: nothing comes between the two halves. The run-time checks the access, and looks for
// plain ones beside it, and for other functions that do not commute with this one.
void clreduce_atomic(ulong place, ulong bytes, uint function, ulong operand);
void clreduce_compare(ulong place, ulong expected, ulong bytes);
// As in accesses.c.
enum { ADD = 1, AND, OR, XOR, MIN, MAX, EXCHANGE };
#define ATOMICALLY __attribute__((overloadable, no_sanitize("address")))
#define ATOMIC_IS(T, SPACE, NAME, FUNCTION, VALUE, OPERAND, AFTER) \
    T ATOMICALLY NAME(volatile SPACE T *p VALUE) \
    { \
        clreduce_atomic((ulong)p, sizeof(T), FUNCTION, OPERAND); \
        T old = *p; \
        *p = AFTER; \
        return old; \
    }
#define COMPARE_AND_EXCHANGE(T, SPACE, NAME) \
    T ATOMICALLY NAME(volatile SPACE T *p, T c, T v) \
    { \
        clreduce_compare((ulong)p, (ulong)&c, sizeof(T)); \
        T old = *p; \
        if (old == c) \
            *p = v; \
        return old; \
    }
#define WITH_V(T) , T v
#define ATOMIC(PREFIX, T, SPACE) \
    ATOMIC_IS(T, SPACE, PREFIX##_add, ADD, WITH_V(T), (ulong)v, (T)((ulong)old + (ulong)v)) \
    ATOMIC_IS(T, SPACE, PREFIX##_sub, ADD, WITH_V(T), (ulong)v, (T)((ulong)old - (ulong)v)) \
    ATOMIC_IS(T, SPACE, PREFIX##_inc, ADD, , 1, (T)((ulong)old + 1)) \
    ATOMIC_IS(T, SPACE, PREFIX##_dec, ADD, , 1, (T)((ulong)old - 1)) \
    ATOMIC_IS(T, SPACE, PREFIX##_xchg, EXCHANGE, WITH_V(T), (ulong)v, v) \
    COMPARE_AND_EXCHANGE(T, SPACE, PREFIX##_cmpxchg) \
    ATOMIC_IS(T, SPACE, PREFIX##_min, MIN, WITH_V(T), (ulong)v, v < old ? v : old) \
    ATOMIC_IS(T, SPACE, PREFIX##_max, MAX, WITH_V(T), (ulong)v, v > old ? v : old) \
    ATOMIC_IS(T, SPACE, PREFIX##_and, AND, WITH_V(T), (ulong)v, old & v) \
    ATOMIC_IS(T, SPACE, PREFIX##_or, OR, WITH_V(T), (ulong)v, old | v) \
    ATOMIC_IS(T, SPACE, PREFIX##_xor, XOR, WITH_V(T), (ulong)v, old ^ v)
ATOMIC(atomic, int, __global) ATOMIC(atomic, int, __local) ATOMIC(atomic, uint, __global) ATOMIC(atomic, uint, __local)
ATOMIC(atom, int, __global) ATOMIC(atom, int, __local) ATOMIC(atom, uint, __global) ATOMIC(atom, uint, __local)
ATOMIC(atom, long, __global) ATOMIC(atom, long, __local) ATOMIC(atom, ulong, __global) ATOMIC(atom, ulong, __local)
ATOMIC_IS(float, __global, atomic_xchg, EXCHANGE, WITH_V(float), as_uint(v), v)
ATOMIC_IS(float, __local, atomic_xchg, EXCHANGE, WITH_V(float), as_uint(v), v)
