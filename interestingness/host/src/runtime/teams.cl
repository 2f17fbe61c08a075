// Functions that work-groups and sub-groups have alike; TEAM is work_group or sub_group. What follows this text defines MEET,
// which gives a value and returns the number of the work-item in its team, the size of a team, SIZE, and the functions that are
// its own for a type, OTHERS. The order of a sum is not defined; here it is that of the work-items.

// From the run-time.
ulong clreduce_value_of(ulong member);
ulong clreduce_group_size(void);

#define FOLD(T, END, FIRST, BOTH) \
    { \
        ulong own = MEET((ulong)value); \
        T a = FIRST; \
        for (ulong i = 0; i < (END); i++) { \
            T b = (T)clreduce_value_of(i); \
            a = BOTH; \
        } \
        return a; \
    }
#define FOLDS(TEAM, T, NAME, FIRST, BOTH) \
    T OVER TEAM##_reduce_##NAME(T value) FOLD(T, SIZE, FIRST, BOTH) \
    T OVER TEAM##_scan_inclusive_##NAME(T value) FOLD(T, own + 1, FIRST, BOTH) \
    T OVER TEAM##_scan_exclusive_##NAME(T value) FOLD(T, own, FIRST, BOTH)
#define OF_TYPE(TEAM, T, LEAST, GREATEST) \
    FOLDS(TEAM, T, add, 0, (T)((ulong)a + (ulong)b)) \
    FOLDS(TEAM, T, min, GREATEST, b < a ? b : a) \
    FOLDS(TEAM, T, max, LEAST, b > a ? b : a) \
    OTHERS(T)
#define VOTE(TEAM, NAME, FIRST, BOTH) \
    static int for_##NAME(int value) FOLD(int, SIZE, FIRST, BOTH) \
    int OVER TEAM##_##NAME(int value) { return for_##NAME(value) ? (int)clreduce_undefined_truth_i32() : 0; }
// Floating-point numbers are left out: the order of their sums matters.
#define FUNCTIONS(TEAM) \
    OF_TYPE(TEAM, int, INT_MIN, INT_MAX) \
    OF_TYPE(TEAM, uint, 0, UINT_MAX) \
    OF_TYPE(TEAM, long, LONG_MIN, LONG_MAX) \
    OF_TYPE(TEAM, ulong, 0, ULONG_MAX) \
    VOTE(TEAM, all, 1, (a & (b != 0))) \
    VOTE(TEAM, any, 0, (a | (b != 0)))
