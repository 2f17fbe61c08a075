// Copies by a whole group. The work-item that comes first makes the copy, and the others find it made. All of them have to
// come to it.

// From the run-time.
int clreduce_begin_copy(ulong to, ulong from, ulong count, ulong stride, ulong *event);
void clreduce_end_copy(void);
void clreduce_wait_for_events(ulong count, const ulong *events);

#define COPY_EACH(TO, FROM, STRIDE) \
    { \
        int is_first = clreduce_begin_copy((ulong)to, (ulong)from, n, STRIDE, (ulong *)&event); \
        for (size_t i = 0; is_first && i < n; i++) \
            to[TO] = from[FROM]; \
        clreduce_end_copy(); \
        return event; \
    }
#define COPY(T, TO, FROM) \
    event_t OVER async_work_group_copy(TO T *to, const FROM T *from, size_t n, event_t event) COPY_EACH(i, i, 1)
#define COPIES(T) \
    COPY(T, __local, __global) COPY(T, __global, __local) \
    event_t OVER async_work_group_strided_copy(__local T *to, const __global T *from, size_t n, size_t stride, event_t event) \
    COPY_EACH(i, i * stride, stride) \
    event_t OVER async_work_group_strided_copy(__global T *to, const __local T *from, size_t n, size_t stride, event_t event) \
    COPY_EACH(i * stride, i, stride) \
    void OVER prefetch(const __global T *p, size_t n) {}
#define COPIES_N(N, T) COPIES(T##N)
#define COPIES_ALL(T) COPIES(T) WIDTHS(COPIES_N, T)
COPIES_ALL(char) COPIES_ALL(uchar) COPIES_ALL(short) COPIES_ALL(ushort) COPIES_ALL(int) COPIES_ALL(uint)
COPIES_ALL(long) COPIES_ALL(ulong) COPIES_ALL(float) COPIES_ALL(double)

// Branches on the events, so that MemorySanitizer finds one without a value. Both branches do the same; they stay two branches
// because the run-time is compiled without optimisation.
static void clreduce_wait_for(int n, event_t *events)
{
    const ulong *each = (const ulong *)events;
    ulong seen = 0;
    for (int i = 0; i < n; i++)
        seen |= each[i];
    if (seen)
        clreduce_wait_for_events(n, each);
    else
        clreduce_wait_for_events(n, each);
}
void OVER wait_group_events(int n, event_t *events) { clreduce_wait_for(n, events); }
// clang's own table declares it, unlike its header, with a pointer into whichever address space.
void clreduce_wait(int n, event_t *events) __asm__("_Z17wait_group_eventsiPU9CLgeneric9ocl_event");
void clreduce_wait(int n, event_t *events) { clreduce_wait_for(n, events); }
