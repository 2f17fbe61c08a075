// Collective functions of work-groups.

// From the run-time.
ulong clreduce_meet_group(ulong value);
ulong clreduce_broadcast(ulong value, ulong x, ulong y, ulong z);

#define SIZE clreduce_group_size()
#define MEET(VALUE) clreduce_meet_group(VALUE)
#define OTHERS(T) \
    T OVER work_group_broadcast(T value, size_t x) { return (T)clreduce_broadcast((ulong)value, x, 0, 0); } \
    T OVER work_group_broadcast(T value, size_t x, size_t y) { return (T)clreduce_broadcast((ulong)value, x, y, 0); } \
    T OVER work_group_broadcast(T value, size_t x, size_t y, size_t z) \
    { return (T)clreduce_broadcast((ulong)value, x, y, z); }
FUNCTIONS(work_group)
