// Work-items, groups, barriers and fences.

// From runtime.c.
ulong clreduce_global_id(uint dimension);
ulong clreduce_local_id(uint dimension);
ulong clreduce_group_id(uint dimension);
ulong clreduce_global_size(uint dimension);
ulong clreduce_local_size(uint dimension);
uint clreduce_dimensions(void);
void clreduce_barrier(uint fence);

uint OVER get_work_dim(void) { return clreduce_dimensions(); }
size_t OVER get_global_id(uint d) { return clreduce_global_id(d); }
size_t OVER get_local_id(uint d) { return clreduce_local_id(d); }
size_t OVER get_group_id(uint d) { return clreduce_group_id(d); }
size_t OVER get_global_size(uint d) { return clreduce_global_size(d); }
size_t OVER get_local_size(uint d) { return clreduce_local_size(d); }
size_t OVER get_num_groups(uint d) { return clreduce_global_size(d) / clreduce_local_size(d); }
size_t OVER get_global_offset(uint d) { return 0; }
size_t OVER get_enqueued_local_size(uint d) { return clreduce_local_size(d); }
size_t OVER get_global_linear_id(void)
{
    return (clreduce_global_id(2) * clreduce_global_size(1) + clreduce_global_id(1)) * clreduce_global_size(0) +
        clreduce_global_id(0);
}
size_t OVER get_local_linear_id(void)
{
    return (clreduce_local_id(2) * clreduce_local_size(1) + clreduce_local_id(1)) * clreduce_local_size(0) +
        clreduce_local_id(0);
}

// The flags have the values of the run-time's fences.
void OVER barrier(cl_mem_fence_flags flags) { clreduce_barrier(flags); }
void OVER mem_fence(cl_mem_fence_flags flags) {}
void OVER read_mem_fence(cl_mem_fence_flags flags) {}
void OVER write_mem_fence(cl_mem_fence_flags flags) {}
