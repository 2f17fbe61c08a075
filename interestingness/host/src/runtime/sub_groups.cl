// Functions of sub-groups: those of 32 work-items, one after the other in the first dimension. The order of a sum is not
// defined; here it is that of the work-items. Kernels with other sub-groups are not run.

// From the run-time.
uint clreduce_meet_sub_group(ulong value, int shuffles);
ulong clreduce_value_of(ulong member);
ulong clreduce_shuffled(uint from);
ulong clreduce_broadcast_in_sub_group(ulong value, uint from);
ulong clreduce_group_size(void);
ulong clreduce_local_id(uint dimension);
ulong clreduce_local_size(uint dimension);

#define SIZE 32u

uint OVER get_sub_group_size(void) { return SIZE; }
uint OVER get_max_sub_group_size(void) { return SIZE; }
uint OVER get_num_sub_groups(void) { return (uint)clreduce_group_size() / SIZE; }
uint OVER get_enqueued_num_sub_groups(void) { return (uint)clreduce_group_size() / SIZE; }
uint OVER get_sub_group_local_id(void) { return (uint)clreduce_local_id(0) % SIZE; }
uint OVER get_sub_group_id(void)
{
    ulong row = clreduce_local_id(2) * clreduce_local_size(1) + clreduce_local_id(1);
    return (uint)((row * clreduce_local_size(0) + clreduce_local_id(0)) / SIZE);
}

#define FOLD(T, END, FIRST, BOTH) \
    { \
        uint own = clreduce_meet_sub_group((ulong)value, 0); \
        T a = FIRST; \
        for (uint i = 0; i < (END); i++) { \
            T b = (T)clreduce_value_of(i); \
            a = BOTH; \
        } \
        return a; \
    }
#define FOLDS(T, NAME, FIRST, BOTH) \
    T OVER sub_group_reduce_##NAME(T value) FOLD(T, SIZE, FIRST, BOTH) \
    T OVER sub_group_scan_inclusive_##NAME(T value) FOLD(T, own + 1, FIRST, BOTH) \
    T OVER sub_group_scan_exclusive_##NAME(T value) FOLD(T, own, FIRST, BOTH)
// Floating-point numbers are left out: the order of their sums matters.
#define FUNCTIONS(T, LEAST, GREATEST) \
    FOLDS(T, add, 0, (T)((ulong)a + (ulong)b)) \
    FOLDS(T, min, GREATEST, b < a ? b : a) \
    FOLDS(T, max, LEAST, b > a ? b : a) \
    T OVER sub_group_broadcast(T value, uint from) { return (T)clreduce_broadcast_in_sub_group((ulong)value, from); } \
    T OVER sub_group_shuffle(T value, uint from) \
    { \
        clreduce_meet_sub_group((ulong)value, 1); \
        return (T)clreduce_shuffled(from); \
    } \
    T OVER sub_group_shuffle_xor(T value, uint mask) \
    { \
        uint own = clreduce_meet_sub_group((ulong)value, 1); \
        return (T)clreduce_shuffled(own ^ mask); \
    }
FUNCTIONS(int, INT_MIN, INT_MAX)
FUNCTIONS(uint, 0, UINT_MAX)
FUNCTIONS(long, LONG_MIN, LONG_MAX)
FUNCTIONS(ulong, 0, ULONG_MAX)

static int for_all(int value) FOLD(int, SIZE, 1, (a & (b != 0)))
static int for_any(int value) FOLD(int, SIZE, 0, (a | (b != 0)))
int OVER sub_group_all(int value) { return for_all(value) ? (int)clreduce_undefined_truth_i32() : 0; }
int OVER sub_group_any(int value) { return for_any(value) ? (int)clreduce_undefined_truth_i32() : 0; }
