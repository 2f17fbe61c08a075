// Copies by a whole group. The first work-item comes first to every place, so it makes the copy, and the others
// find it made.

// From the run-time.
ulong clreduce_local_id(uint dimension);
void clreduce_copy(int is_running);
void clreduce_wait_for_copies(void);

static int clreduce_is_first(void)
{
    return !clreduce_local_id(0) && !clreduce_local_id(1) && !clreduce_local_id(2);
}

#define COPY_EACH(TO, FROM) \
    { \
        clreduce_copy(1); \
        for (size_t i = 0; clreduce_is_first() && i < n; i++) \
            to[TO] = from[FROM]; \
        clreduce_copy(0); \
        return event; \
    }
#define COPY(T, TO, FROM) \
    event_t OVER async_work_group_copy(TO T *to, const FROM T *from, size_t n, event_t event) COPY_EACH(i, i)
#define COPIES(T) \
    COPY(T, __local, __global) COPY(T, __global, __local) \
    event_t OVER async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t event) \
    COPY_EACH(i, i * stride) \
    event_t OVER async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t event) \
    COPY_EACH(i * stride, i) \
    void OVER prefetch(const __global T *p, size_t n) {}
#define COPIES_N(N, T) COPIES(T##N)
#define COPIES_ALL(T) COPIES(T) WIDTHS(COPIES_N, T)
COPIES_ALL(char) COPIES_ALL(uchar) COPIES_ALL(short) COPIES_ALL(ushort) COPIES_ALL(int) COPIES_ALL(uint)
COPIES_ALL(long) COPIES_ALL(ulong) COPIES_ALL(float) COPIES_ALL(double)

void OVER wait_group_events(int n, event_t *events) { clreduce_wait_for_copies(); }
// clang's own table declares it, unlike its header, with a pointer into whichever address space.
void clreduce_wait(int n, event_t *events) __asm__("_Z17wait_group_eventsiPU9CLgeneric9ocl_event");
void clreduce_wait(int n, event_t *events) { clreduce_wait_for_copies(); }
