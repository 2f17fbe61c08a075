// Atomic functions of OpenCL C 2.0, and the fences and barriers that have a scope.

// From the run-time.
void clreduce_atomic(ulong place, ulong bytes, uint function, ulong operand);
void clreduce_compare(ulong place, ulong expected, ulong bytes);
void clreduce_load(ulong place, ulong bytes);
void clreduce_fence(void);
void clreduce_barrier(uint fence);
// As in accesses.c.
enum { ADD = 1, AND, OR, XOR, MIN, MAX, EXCHANGE };

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define ATOMICALLY __attribute__((overloadable, no_sanitize("address")))

// What orders memory for other work-groups.
static void clreduce_release(memory_order order, memory_scope scope)
{
    int is_wide = scope == memory_scope_device || scope == memory_scope_all_svm_devices;
    if (is_wide && order != memory_order_relaxed && order != memory_order_acquire)
        clreduce_fence();
}
void OVER atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if (flags & CLK_GLOBAL_MEM_FENCE)
        clreduce_release(order, scope);
}
void OVER work_group_barrier(cl_mem_fence_flags flags) { clreduce_barrier(flags); }
void OVER work_group_barrier(cl_mem_fence_flags flags, memory_scope scope) { clreduce_barrier(flags); }

#define ANYWHERE memory_order_seq_cst, memory_scope_device
#define PLAIN(T, SPACE) volatile SPACE T *q = (volatile SPACE T *)p; clreduce_release(o, s);
#define FETCH(T, SPACE, NAME, FUNCTION, OPERAND, AFTER) \
    T ATOMICALLY atomic_##NAME##_explicit(volatile SPACE atomic_##T *p, T v, memory_order o, memory_scope s) \
    { \
        PLAIN(T, SPACE) \
        clreduce_atomic((ulong)q, sizeof(T), FUNCTION, OPERAND); \
        T old = *q; \
        *q = AFTER; \
        return old; \
    } \
    T ATOMICALLY atomic_##NAME##_explicit(volatile SPACE atomic_##T *p, T v, memory_order o) \
    { return atomic_##NAME##_explicit(p, v, o, memory_scope_device); } \
    T ATOMICALLY atomic_##NAME(volatile SPACE atomic_##T *p, T v) { return atomic_##NAME##_explicit(p, v, ANYWHERE); }
#define LOAD_AND_STORE(T, SPACE, BITS) \
    void ATOMICALLY atomic_store_explicit(volatile SPACE atomic_##T *p, T v, memory_order o, memory_scope s) \
    { PLAIN(T, SPACE) clreduce_atomic((ulong)q, sizeof(T), EXCHANGE, BITS(v)); *q = v; } \
    void ATOMICALLY atomic_store_explicit(volatile SPACE atomic_##T *p, T v, memory_order o) \
    { atomic_store_explicit(p, v, o, memory_scope_device); } \
    void ATOMICALLY atomic_store(volatile SPACE atomic_##T *p, T v) { atomic_store_explicit(p, v, ANYWHERE); } \
    void OVER atomic_init(volatile SPACE atomic_##T *p, T v) { *(volatile SPACE T *)p = v; } \
    T ATOMICALLY atomic_load_explicit(volatile SPACE atomic_##T *p, memory_order o, memory_scope s) \
    { PLAIN(T, SPACE) clreduce_load((ulong)q, sizeof(T)); return *q; } \
    T ATOMICALLY atomic_load_explicit(volatile SPACE atomic_##T *p, memory_order o) \
    { return atomic_load_explicit(p, o, memory_scope_device); } \
    T ATOMICALLY atomic_load(volatile SPACE atomic_##T *p) { return atomic_load_explicit(p, ANYWHERE); } \
    FETCH(T, SPACE, exchange, EXCHANGE, BITS(v), v)
#define COMPARE_EXCHANGE(T, SPACE, WHERE, KIND) \
    bool ATOMICALLY atomic_compare_exchange_##KIND##_explicit( \
        volatile SPACE atomic_##T *p, WHERE T *expected, T v, memory_order o, memory_order f, memory_scope s) \
    { \
        PLAIN(T, SPACE) \
        T e = *expected; \
        clreduce_compare((ulong)q, (ulong)&e, sizeof(T)); \
        T old = *q; \
        if (old == e) \
            *q = v; \
        else \
            *expected = old; \
        return old == e; \
    } \
    bool ATOMICALLY atomic_compare_exchange_##KIND##_explicit( \
        volatile SPACE atomic_##T *p, WHERE T *expected, T v, memory_order o, memory_order f) \
    { return atomic_compare_exchange_##KIND##_explicit(p, expected, v, o, f, memory_scope_device); } \
    bool ATOMICALLY atomic_compare_exchange_##KIND(volatile SPACE atomic_##T *p, WHERE T *expected, T v) \
    { return atomic_compare_exchange_##KIND##_explicit(p, expected, v, memory_order_seq_cst, ANYWHERE); }
#define INTEGER_IN(T, SPACE) \
    FETCH(T, SPACE, fetch_add, ADD, (ulong)v, (T)((ulong)old + (ulong)v)) \
    FETCH(T, SPACE, fetch_sub, ADD, (ulong)v, (T)((ulong)old - (ulong)v)) \
    FETCH(T, SPACE, fetch_or, OR, (ulong)v, old | v) FETCH(T, SPACE, fetch_xor, XOR, (ulong)v, old ^ v) \
    FETCH(T, SPACE, fetch_and, AND, (ulong)v, old & v) \
    FETCH(T, SPACE, fetch_min, MIN, (ulong)v, v < old ? v : old) FETCH(T, SPACE, fetch_max, MAX, (ulong)v, v > old ? v : old) \
    LOAD_AND_STORE(T, SPACE, (ulong))
#define COMPARE_IN(T, SPACE, WHERE) COMPARE_EXCHANGE(T, SPACE, WHERE, strong) COMPARE_EXCHANGE(T, SPACE, WHERE, weak)
#define FLAGS(SPACE) \
    bool ATOMICALLY atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *p, memory_order o, memory_scope s) \
    { return atomic_exchange_explicit((volatile SPACE atomic_int *)p, 1, o, s) != 0; } \
    bool ATOMICALLY atomic_flag_test_and_set_explicit(volatile SPACE atomic_flag *p, memory_order o) \
    { return atomic_flag_test_and_set_explicit(p, o, memory_scope_device); } \
    bool ATOMICALLY atomic_flag_test_and_set(volatile SPACE atomic_flag *p) \
    { return atomic_flag_test_and_set_explicit(p, ANYWHERE); } \
    void ATOMICALLY atomic_flag_clear_explicit(volatile SPACE atomic_flag *p, memory_order o, memory_scope s) \
    { atomic_store_explicit((volatile SPACE atomic_int *)p, 0, o, s); } \
    void ATOMICALLY atomic_flag_clear_explicit(volatile SPACE atomic_flag *p, memory_order o) \
    { atomic_flag_clear_explicit(p, o, memory_scope_device); } \
    void ATOMICALLY atomic_flag_clear(volatile SPACE atomic_flag *p) { atomic_flag_clear_explicit(p, ANYWHERE); }
#define ALL_IN(SPACE) \
    INTEGER_IN(int, SPACE) INTEGER_IN(uint, SPACE) INTEGER_IN(long, SPACE) INTEGER_IN(ulong, SPACE) \
    LOAD_AND_STORE(float, SPACE, as_uint) FLAGS(SPACE)
#define COMPARE_ALL(SPACE, WHERE) \
    COMPARE_IN(int, SPACE, WHERE) COMPARE_IN(uint, SPACE, WHERE) COMPARE_IN(long, SPACE, WHERE) COMPARE_IN(ulong, SPACE, WHERE)
ALL_IN(__global) ALL_IN(__local) ALL_IN(__generic)
COMPARE_ALL(__global, __private) COMPARE_ALL(__global, __local) COMPARE_ALL(__global, __global)
COMPARE_ALL(__local, __private) COMPARE_ALL(__local, __local) COMPARE_ALL(__local, __global)
COMPARE_ALL(__generic, __generic)
