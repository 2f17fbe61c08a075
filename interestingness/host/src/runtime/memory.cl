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

// Work-items take turns here: nothing comes between the two halves.
#define ATOMIC(PREFIX, T, SPACE) \
    T OVER PREFIX##_add(volatile SPACE T *p, T v) { T old = *p; *p = (T)((ulong)old + (ulong)v); return old; } \
    T OVER PREFIX##_sub(volatile SPACE T *p, T v) { T old = *p; *p = (T)((ulong)old - (ulong)v); return old; } \
    T OVER PREFIX##_inc(volatile SPACE T *p) { T old = *p; *p = (T)((ulong)old + 1); return old; } \
    T OVER PREFIX##_dec(volatile SPACE T *p) { T old = *p; *p = (T)((ulong)old - 1); return old; } \
    T OVER PREFIX##_xchg(volatile SPACE T *p, T v) { T old = *p; *p = v; return old; } \
    T OVER PREFIX##_cmpxchg(volatile SPACE T *p, T c, T v) { T old = *p; *p = old == c ? v : old; return old; } \
    T OVER PREFIX##_min(volatile SPACE T *p, T v) { T old = *p; *p = v < old ? v : old; return old; } \
    T OVER PREFIX##_max(volatile SPACE T *p, T v) { T old = *p; *p = v > old ? v : old; return old; } \
    T OVER PREFIX##_and(volatile SPACE T *p, T v) { T old = *p; *p = old & v; return old; } \
    T OVER PREFIX##_or(volatile SPACE T *p, T v) { T old = *p; *p = old | v; return old; } \
    T OVER PREFIX##_xor(volatile SPACE T *p, T v) { T old = *p; *p = old ^ v; return old; }
ATOMIC(atomic, int, __global) ATOMIC(atomic, int, __local) ATOMIC(atomic, uint, __global) ATOMIC(atomic, uint, __local)
ATOMIC(atom, int, __global) ATOMIC(atom, int, __local) ATOMIC(atom, uint, __global) ATOMIC(atom, uint, __local)
ATOMIC(atom, long, __global) ATOMIC(atom, long, __local) ATOMIC(atom, ulong, __global) ATOMIC(atom, ulong, __local)
float OVER atomic_xchg(volatile __global float *p, float v) { float old = *p; *p = v; return old; }
float OVER atomic_xchg(volatile __local float *p, float v) { float old = *p; *p = v; return old; }
