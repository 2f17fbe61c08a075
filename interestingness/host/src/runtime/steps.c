// ---- Steps, and loops that never end ----

// In a program whose steps are counted, clang calls the run-time at every jump. A work-item that comes to the same
// place of its program with the same memory as before will do so again and again; one that has made very many jumps is
// believed to. Where a whole group has made many, nothing is known. Unless another work-item could end the loop: while it
// runs, nobody else does. A group that has made more than it may is stopped in any case.

#define MOST_STEPS (1ull << 28)
#define MOST_STEPS_OF_GROUP (1ull << 30)
// The steps before memory is copied for the first time, so that work-items that soon end cost no copies.
#define FIRST_COPY (1ull << 12)
// The most bytes that are compared in all; more would take longer than the steps.
#define MOST_COMPARED (1ull << 30)

// The work-item as it was some steps ago. At -O0 nothing is in registers from one jump to the next, but what makes up
// its stack frames.
static struct {
    uintptr_t place, top;
    uint64_t taken_at, renewed_at;
    char *stack;
    // Where its stack last differed from that of the same work-item later.
    uint64_t differed_at;
    // Of all buffers, and of the variables of the program.
    char *memory;
    uint64_t memory_bytes, compared;
} past;
// Since the work-item goes on, its jumps, those that it may still make, and the last one before it has seen what another
// may change. The jumps of the group before that.
static uint64_t steps, most_steps, looked_at, group_steps;
// The most jumps that a group may make, and those of the group that has made most.
static uint64_t allowed_steps = UINT64_MAX, greatest_steps;

static void begin_steps(void)
{
    uint64_t own = MOST_STEPS - current->steps, of_group = MOST_STEPS_OF_GROUP - group_steps;
    uint64_t allowed = allowed_steps > group_steps ? allowed_steps - group_steps : 1;
    most_steps = own < of_group ? own : of_group;
    most_steps = most_steps < allowed ? most_steps : allowed;
    steps = looked_at = 0;
    past.place = 0;
    past.renewed_at = FIRST_COPY;
}

static void end_steps(void)
{
    current->steps += steps;
    group_steps += steps;
    greatest_steps = group_steps > greatest_steps ? group_steps : greatest_steps;
}

static void look_at_others(void) { looked_at = steps; }

// Between variables lies what AddressSanitizer lets nobody read, neither directly nor by functions of the C library.
static void copy_raw(char *to, const char *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

typedef uint64_t __attribute__((may_alias, aligned(1))) Word;

RAW static int is_equal(const char *one, const char *other, uint64_t bytes)
{
    uint64_t at = 0;
    for (; at + sizeof(Word) <= bytes; at += sizeof(Word))
        if (*(const Word *)(one + at) != *(const Word *)(other + at))
            return 0;
    for (; at < bytes; at++)
        if (one[at] != other[at])
            return 0;
    return 1;
}

// Copies all memory but stacks to `past`, or compares it.
static int with_memory(int compares)
{
    uint64_t at = 0;
    for (int i = 0; i <= buffer_count; i++) {
        int is_data = i == buffer_count;
        const char *from = is_data ? (const char *)data_low : buffers[i].data;
        uint64_t bytes = is_data ? data_high - data_low : buffers[i].space == 'v' ? 0 : buffers[i].bytes;
        if (!bytes)
            continue;
        if (compares && !is_equal(past.memory + at, from, bytes))
            return 0;
        if (!compares)
            copy_raw(past.memory + at, from, bytes);
        at += bytes;
    }
    return 1;
}

static int make_past(void)
{
    past.memory_bytes = data_high - data_low;
    for (int i = 0; i < buffer_count; i++)
        past.memory_bytes += buffers[i].space == 'v' ? 0 : buffers[i].bytes;
    past.stack = malloc(STACK_BYTES);
    past.memory = malloc(past.memory_bytes + 1);
    return past.stack && past.memory;
}

static void print_coverage(void);

RAW static void never_ends(uint64_t since, const char *why)
{
    uintptr_t calls[MAX_DEPTH];
    int depth = calls_of(calls);
    int alone = fibre_count * group_count == 1;
    fprintf(stderr, "clreduce: %s ", !alone && looked_at >= since ? "waits" : "endless");
    print_calls(calls, depth);
    fprintf(stderr, " %s\n", why);
    fflush(stderr);
    print_coverage();
    _Exit(EXIT_ENDLESS);
}

static uint64_t stack_bytes(uintptr_t top) { return (uintptr_t)current->stack + STACK_BYTES - top; }

RAW static int is_as_before(uintptr_t top)
{
    const char *stack = (const char *)top;
    if (stack[past.differed_at] != past.stack[past.differed_at] || past.compared >= MOST_COMPARED)
        return 0;
    uint64_t at = 0, bytes = stack_bytes(top);
    while (at < bytes && stack[at] == past.stack[at])
        at++;
    if (at < bytes) {
        past.differed_at = at;
        return 0;
    }
    past.compared += past.memory_bytes;
    return with_memory(1);
}

static void renew_past(uintptr_t place, uintptr_t top)
{
    if (!past.stack && !make_past())
        return;
    past.place = place;
    past.top = top;
    past.taken_at = steps;
    past.renewed_at *= 2;
    past.differed_at = 0;
    copy_raw(past.stack, (const char *)top, stack_bytes(top));
    with_memory(0);
}

void __sanitizer_cov_trace_pc_guard_init(uint32_t *low, uint32_t *high);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *low, uint32_t *high) { (void)low, (void)high; }

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
RAW void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
    // Where the kernel goes on, and its stack.
    uintptr_t place = (uintptr_t)__builtin_return_address(0);
    uintptr_t top = (uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t);
    // Not of a constructor.
    if (!current)
        return;
    if (++steps >= most_steps) {
        if (group_steps + steps >= allowed_steps)
            never_ends(UINT64_MAX, "too-many");
        never_ends(steps / 2, current->steps + steps >= MOST_STEPS ? "steps" : "many");
    }
    if (place == past.place && top == past.top && is_as_before(top))
        never_ends(past.taken_at, "repeats");
    if (steps == past.renewed_at)
        renew_past(place, top);
}

// Called at every load in programs with volatile variables. What is volatile may be changed by another work-item.
#define SEES_LOAD(BYTES) \
    void __sanitizer_cov_load##BYTES(void *place); \
    void __sanitizer_cov_load##BYTES(void *place) \
    { \
        if ((char *)place < current->stack || (char *)place >= current->stack + STACK_BYTES) \
            look_at_others(); \
    }
SEES_LOAD(1) SEES_LOAD(2) SEES_LOAD(4) SEES_LOAD(8) SEES_LOAD(16)
