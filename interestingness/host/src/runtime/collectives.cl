// Collective functions of work-groups. The order of a sum is not defined; here it is that of the work-items.

// From the run-time.
ulong clreduce_meet_group(ulong value);
ulong clreduce_value_of(ulong member);
ulong clreduce_group_size(void);
ulong clreduce_broadcast(ulong value, ulong x, ulong y, ulong z);

#define FOLD(T, END, FIRST, BOTH) \
    { \
        ulong own = clreduce_meet_group((ulong)value); \
        T a = FIRST; \
        for (ulong i = 0; i < (END); i++) { \
            T b = (T)clreduce_value_of(i); \
            a = BOTH; \
        } \
        return a; \
    }
#define FOLDS(T, NAME, FIRST, BOTH) \
    T OVER work_group_reduce_##NAME(T value) FOLD(T, clreduce_group_size(), FIRST, BOTH) \
    T OVER work_group_scan_inclusive_##NAME(T value) FOLD(T, own + 1, FIRST, BOTH) \
    T OVER work_group_scan_exclusive_##NAME(T value) FOLD(T, own, FIRST, BOTH)
// Floating-point numbers are left out: the order of their sums matters.
#define COLLECTIVES(T, LEAST, GREATEST) \
    FOLDS(T, add, 0, (T)((ulong)a + (ulong)b)) \
    FOLDS(T, min, GREATEST, b < a ? b : a) \
    FOLDS(T, max, LEAST, b > a ? b : a) \
    T OVER work_group_broadcast(T value, size_t x) { return (T)clreduce_broadcast((ulong)value, x, 0, 0); } \
    T OVER work_group_broadcast(T value, size_t x, size_t y) { return (T)clreduce_broadcast((ulong)value, x, y, 0); } \
    T OVER work_group_broadcast(T value, size_t x, size_t y, size_t z) \
    { return (T)clreduce_broadcast((ulong)value, x, y, z); }
COLLECTIVES(int, INT_MIN, INT_MAX)
COLLECTIVES(uint, 0, UINT_MAX)
COLLECTIVES(long, LONG_MIN, LONG_MAX)
COLLECTIVES(ulong, 0, ULONG_MAX)

static int for_all(int value) FOLD(int, clreduce_group_size(), 1, (a & (b != 0)))
static int for_any(int value) FOLD(int, clreduce_group_size(), 0, (a | (b != 0)))
int OVER work_group_all(int value) { return for_all(value) ? (int)clreduce_undefined_truth_i32() : 0; }
int OVER work_group_any(int value) { return for_any(value) ? (int)clreduce_undefined_truth_i32() : 0; }
