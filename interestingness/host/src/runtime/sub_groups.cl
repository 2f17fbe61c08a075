// Functions of sub-groups: those of 32 work-items, one after the other in the first dimension. Kernels with other sub-groups are
// not run.

// From the run-time.
uint clreduce_meet_sub_group(ulong value, int shuffles);
ulong clreduce_shuffled(uint from);
ulong clreduce_broadcast_in_sub_group(ulong value, uint from);
ulong clreduce_local_id(uint dimension);
ulong clreduce_local_size(uint dimension);

#define SIZE 32u

// A barrier orders the memory that it names.
void clreduce_sync_sub_group(uint memory);
enum memory_scope { SCOPE };
void OVER sub_group_barrier(uint memory) { clreduce_sync_sub_group(memory); }
void OVER sub_group_barrier(uint memory, enum memory_scope scope) { clreduce_sync_sub_group(memory); }

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

#define MEET(VALUE) clreduce_meet_sub_group(VALUE, 0)
#define OTHERS(T) \
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
FUNCTIONS(sub_group)
