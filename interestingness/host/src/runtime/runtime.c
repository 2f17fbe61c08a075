// ---- Buffers ----

static int make_buffers(void)
{
    FILE *contents = fopen("contents", "rb");
    for (int i = 0; i < buffer_count; i++) {
        struct Buffer *buffer = &buffers[i];
        void *data = NULL;
        int is_value = buffer->space == 'v';
        if (most_reached && !is_value)
            data = make_room();
        // As aligned as the largest type asks for.
        else if (posix_memalign(&data, 128, buffer->bytes))
            return 0;
        if (!data)
            return 0;
        *(is_value ? &buffer->value : &buffer->data) = data;
        if (buffer->space != 'l' && (!contents || fread(data, 1, buffer->bytes, contents) != buffer->bytes))
            return 0;
    }
    return !contents || !fclose(contents);
}

void *clreduce_global(unsigned index);
void *clreduce_global(unsigned index) { return buffers[index].data; }
void *clreduce_local(unsigned index);
void *clreduce_local(unsigned index) { return buffers[index].data; }
void clreduce_value(unsigned index, void *to);
void clreduce_value(unsigned index, void *to) { memcpy(to, buffers[index].value, buffers[index].bytes); }

// Local memory begins uninitialised in every group.
static void forget_local_memory(void)
{
#ifdef MEMORY_SANITIZER
    for (int i = 0; i < local_variable_count; i++)
        __msan_allocated_memory((void *)(kernel_low + local_variables[i].offset), local_variables[i].bytes);
    for (int i = 0; i < buffer_count; i++)
        if (buffers[i].space == 'l')
            __msan_allocated_memory(buffers[i].data, buffers[i].bytes);
#endif
}

static void check_results(void)
{
#ifdef MEMORY_SANITIZER
    for (int i = 0; i < buffer_count; i++)
        if (strchr(buffers[i].flags, 'c'))
            __msan_check_mem_is_initialized(buffers[i].data, buffers[i].bytes);
#endif
}

// A vector of three has bytes that nobody writes.
RAW static void print_results(void)
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < buffer_count; i++) {
        if (!strchr(buffers[i].flags, 'o'))
            continue;
        printf("\nclreduce-output: %d ", i);
        for (uint64_t at = 0; at < buffers[i].bytes; at++) {
            unsigned char byte = (unsigned char)buffers[i].data[at];
            putchar(digits[byte >> 4]);
            putchar(digits[byte & 15]);
        }
        putchar('\n');
    }
}

// ---- What functions of the run-time find ----

// Reported once for each way to come here.
RAW static void report_here(const char *what)
{
    static uintptr_t seen[256];
    static int seen_count;
    uintptr_t calls[MAX_DEPTH];
    int depth = calls_of(calls);
    uintptr_t mark = (uintptr_t)what;
    for (int i = 0; i < depth; i++)
        mark = mark * 31 + calls[i];
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == mark)
            return;
    if (seen_count == 256)
        return;
    seen[seen_count++] = mark;
    fprintf(stderr, "clreduce: %s ", what);
    print_calls(calls, depth);
    fputc('\n', stderr);
}

void clreduce_clamp_range(void);
RAW void clreduce_clamp_range(void) { report_here("clamp-range"); }

// ---- Values that nobody may use ----

// In a vector, some lanes may be computed in vain: `(y == 0) ? x : x / y` divides all of them. So what has
// no defined value is marked as uninitialised, and the name of the function that made it tells the report
// why.
#ifdef MEMORY_SANITIZER
#define FORGET(value) __msan_allocated_memory((const volatile void *)&(value), sizeof(value))
#else
#define FORGET(value) (void)0
#endif
#define UNDEFINED(WHY, BITS) \
    uint##BITS##_t clreduce_undefined_##WHY##_i##BITS(void); \
    __attribute__((noinline)) uint##BITS##_t clreduce_undefined_##WHY##_i##BITS(void) \
    { \
        volatile uint##BITS##_t value = 0; \
        FORGET(value); \
        return value; \
    }
#define UNDEFINED_OF_ALL_WIDTHS(WHY) UNDEFINED(WHY, 8) UNDEFINED(WHY, 16) UNDEFINED(WHY, 32) UNDEFINED(WHY, 64)
UNDEFINED_OF_ALL_WIDTHS(clamp)
UNDEFINED_OF_ALL_WIDTHS(conversion)
UNDEFINED(factor, 32)
UNDEFINED(lane, 64)
UNDEFINED_OF_ALL_WIDTHS(quotient)
UNDEFINED_OF_ALL_WIDTHS(overflow)
UNDEFINED_OF_ALL_WIDTHS(fourth)

// What is not zero, and nothing more is known.
uint32_t clreduce_undefined_truth_i32(void);
__attribute__((noinline)) uint32_t clreduce_undefined_truth_i32(void)
{
    volatile uint32_t value = 0;
    FORGET(value);
    // MemorySanitizer knows by one bit that this is not zero. With this bit, a comparison with 1 depends on the others.
    return value | 1;
}

// The functions of the C library that kernels call. It does not know the vectors of OpenCL, as in "%v4f".
int clreduce_printf(const char *format, ...);
int clreduce_printf(const char *format, ...)
{
    for (const char *at = strchr(format, '%'); at; at = strchr(at, '%')) {
        at += 1 + strspn(at + 1, "-+ #0123456789.");
        if (*at == 'v')
            return 0;
        at += *at == '%';
    }
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    return 0;
}

// ---- Order ----

// How groups take turns, and the work-items of a group between two barriers.
static enum { FORWARD, REVERSE, SHUFFLED } order;
static uint64_t seed;

static uint64_t random_below(uint64_t bound)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % bound;
}

// Fills `turns` with 0 to count - 1, each once.
static void take_turns(uint64_t *turns, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t other = order == SHUFFLED ? random_below(i + 1) : i;
        turns[i] = turns[other];
        turns[other] = order == REVERSE ? count - 1 - i : i;
    }
}

// ---- Fibres ----

// Leaves on the stack what a function has to preserve, and goes on where another stack was left. `swapcontext` would
// ask the kernel for the signal mask, and AddressSanitizer forgets all it knows of a stack each time: together, most
// of the time of a kernel with thousands of work-items.
void clreduce_switch(void **left, void *top);
__asm__(".text\n"
        ".globl clreduce_switch\n"
        ".type clreduce_switch, @function\n"
        "clreduce_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size clreduce_switch, . - clreduce_switch\n");

enum { PRESERVED = 6 };

#ifdef ADDRESS_SANITIZER
#define LEAVE(fibre) __sanitizer_start_switch_fiber((fibre)->ended ? NULL : &(fibre)->fake_stack, scheduler_stack, scheduler_stack_bytes)
#define ENTER(fibre) __sanitizer_finish_switch_fiber((fibre)->fake_stack, &scheduler_stack, &scheduler_stack_bytes)
#else
#define LEAVE(fibre) (void)0
#define ENTER(fibre) (void)0
#endif

// The current work-item stops here until it is resumed.
RAW static void stop_here(void)
{
    struct Fibre *self = current;
    end_guess();
    self->depth = calls_of(self->calls);
    LEAVE(self);
    clreduce_switch(&self->top, scheduler);
    ENTER(self);
}

void clreduce_barrier(unsigned fence);
RAW void clreduce_barrier(unsigned fence)
{
    current->fence = fence;
    stop_here();
}

static void body(void)
{
    struct Fibre *self = current;
    ENTER(self);
    start(launch);
    end_guess();
    end_loops();
    self->ended = 1;
    LEAVE(self);
    clreduce_switch(&self->top, scheduler);
}

RAW static void resume(struct Fibre *fibre)
{
    current = fibre;
    begin_steps();
#ifdef ADDRESS_SANITIZER
    void *fake_stack = NULL;
    __sanitizer_start_switch_fiber(&fake_stack, fibre->stack, STACK_BYTES);
#endif
    clreduce_switch(&scheduler, fibre->top);
#ifdef ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(fake_stack, NULL, NULL);
#endif
    end_steps();
}

static void start_group(void)
{
    forget_local_memory();
    group_number++;
    meeting_count = 0;
    group_steps = most_reached ? group_steps : 0;
    for (uint64_t i = 0; i < fibre_count; i++) {
        struct Fibre *fibre = &fibres[i];
        fibre->local_id[0] = i % local_size[0];
        fibre->local_id[1] = i / local_size[0] % local_size[1];
        fibre->local_id[2] = i / local_size[0] / local_size[1];
        fibre->ended = 0;
        fibre->depth = 0;
        fibre->met = 0;
        fibre->read_count = 0;
        fibre->exchange.of = NONE;
        fibre->has_values = 0;
        fibre->synchronised = fibre->synchronisations = fibre->fences = 0;
        memset(fibre->seen_lanes, 0, sizeof fibre->seen_lanes);
        fibre->exchange.orders = 0;
        memset(fibre->seen_releases, 0, sizeof fibre->seen_releases);
        fibre->steps = 0;
        forget_coverage(fibre);
        // As if `body` had been called from nowhere, and had switched at once.
        uintptr_t *end = (uintptr_t *)(fibre->stack + STACK_BYTES);
        *--end = 0;
        *--end = (uintptr_t)body;
        for (int preserved = 0; preserved < PRESERVED; preserved++)
            *--end = 0;
        fibre->top = end;
#ifdef ADDRESS_SANITIZER
        fibre->fake_stack = NULL;
#endif
    }
}

// Those of the work-items of a group.
static uint64_t *turns;

static void run_group(void)
{
    start_group();
    for (;;) {
        take_turns(turns, fibre_count);
        for (uint64_t i = 0; i < fibre_count; i++)
            resume(&fibres[turns[i]]);
        while (exchange_values())
            for (uint64_t i = 0; i < fibre_count; i++)
                if (fibres[turns[i]].has_values)
                    resume(&fibres[turns[i]]);
        for (uint64_t i = 1; i < fibre_count; i++)
            if (!same_place(&fibres[0], &fibres[i]))
                diverged(&fibres[0], &fibres[i]);
        compare_meetings(fibres[0].ended);
        if (fibres[0].ended)
            return;
        unsigned fence = LOCAL_FENCE | GLOBAL_FENCE;
        for (uint64_t i = 0; i < fibre_count; i++)
            fence &= fibres[i].fence;
        order_accesses(fence);
        pass_barrier();
    }
}

// ---- Work-item functions ----

uint64_t clreduce_global_id(unsigned d);
uint64_t clreduce_global_id(unsigned d) { return d < 3 ? group_id[d] * local_size[d] + current->local_id[d] : 0; }
uint64_t clreduce_local_id(unsigned d);
uint64_t clreduce_local_id(unsigned d) { return d < 3 ? current->local_id[d] : 0; }
uint64_t clreduce_group_id(unsigned d);
uint64_t clreduce_group_id(unsigned d) { return d < 3 ? group_id[d] : 0; }
uint64_t clreduce_global_size(unsigned d);
uint64_t clreduce_global_size(unsigned d) { return d < 3 ? global_size[d] : 1; }
uint64_t clreduce_local_size(unsigned d);
uint64_t clreduce_local_size(unsigned d) { return d < 3 ? local_size[d] : 1; }
unsigned clreduce_dimensions(void);
unsigned clreduce_dimensions(void) { return dimensions; }

// ---- Start ----

static const char *end_word = "";

static int understood(int argc, char **argv)
{
    local_variables = calloc((size_t)argc, sizeof *local_variables);
    if (argc < 10 || !local_variables)
        return 0;
    launch = (unsigned)strtoul(argv[2], NULL, 10);
    dimensions = (unsigned)strtoul(argv[3], NULL, 10);
    for (int d = 0; d < 3; d++) {
        global_size[d] = strtoull(argv[4 + d], NULL, 10);
        local_size[d] = strtoull(argv[7 + d], NULL, 10);
        if (!global_size[d] || !local_size[d] || global_size[d] % local_size[d])
            return 0;
    }
    for (int i = 10; i < argc; i++) {
        if (!strcmp(argv[i], "races")) {
            looks_for_races = 1;
            continue;
        }
        if (!strncmp(argv[i], "end:", 4)) {
            end_word = argv[i] + 4;
            continue;
        }
        if (!strncmp(argv[i], "order:", 6)) {
            order = strcmp(argv[i] + 6, "reverse") ? SHUFFLED : REVERSE;
            seed = strtoull(argv[i] + 6, NULL, 10);
            continue;
        }
        if (sscanf(argv[i], "steps:%" SCNu64, &allowed_steps) == 1)
            continue;
        if (sscanf(argv[i], "reaches:%" SCNu64, &most_reached) == 1)
            continue;
        if (sscanf(argv[i], "coverage:%" SCNu32 ":%" SCNu32 ":%" SCNu32, &place_count, &loop_count, &decision_count) == 3)
            continue;
        if (understood_image(argv[i]))
            continue;
        struct LocalVariable *variable = &local_variables[local_variable_count];
        if (sscanf(argv[i], "m:%" SCNu64 ":%" SCNu64, &variable->offset, &variable->bytes) == 2) {
            local_variable_count++;
            continue;
        }
        if (buffer_count == MAX_BUFFERS)
            return 0;
        struct Buffer *b = &buffers[buffer_count++];
        if (sscanf(argv[i], "%c:%" SCNu64 ":%7s", &b->space, &b->bytes, b->flags) != 3)
            return 0;
    }
    return 1;
}

static int see_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    uintptr_t low = info->dlpi_addr, high = low, place = (uintptr_t)start;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && low + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz > high)
            high = low + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    if (!low || place < low || place >= high)
        return 0;
    kernel_low = low;
    kernel_high = high;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_W) {
            data_low = low + info->dlpi_phdr[i].p_vaddr;
            data_high = data_low + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

// The kernel, all of whose built-ins must be there.
static int load(const char *path)
{
    void *kernel = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!kernel) {
        fprintf(stderr, "clreduce: %s\n", dlerror());
        return 0;
    }
    void *place = dlsym(kernel, "clreduce_start");
    memcpy(&start, &place, sizeof start);
    return start && dl_iterate_phdr(see_object, NULL);
}

static int make_fibres(void)
{
    fibre_count = local_size[0] * local_size[1] * local_size[2];
    fibres = calloc(fibre_count, sizeof *fibres);
    turns = calloc(fibre_count, sizeof *turns);
    for (uint64_t i = 0; fibres && i < fibre_count; i++) {
        // The lowest page stays inaccessible: a stack that overflows must not reach the next one.
        char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED || mprotect(stack, 4096, PROT_NONE))
            return 0;
        fibres[i].stack = stack;
        fibres[i].exchange.all = calloc(fibre_count < WARP ? WARP : fibre_count, sizeof(uint64_t));
        if (!fibres[i].exchange.all)
            return 0;
    }
    return fibres && turns;
}

static int run_groups(void)
{
    uint64_t groups[3];
    group_count = 1;
    for (int d = 0; d < 3; d++)
        group_count *= groups[d] = global_size[d] / local_size[d];
    uint64_t *group_turns = calloc(group_count, sizeof *group_turns);
    if (!group_turns)
        return 0;
    take_turns(group_turns, group_count);
    for (uint64_t i = 0; i < group_count; i++) {
        group_id[0] = group_turns[i] % groups[0];
        group_id[1] = group_turns[i] / groups[0] % groups[1];
        group_id[2] = group_turns[i] / groups[0] / groups[1];
        run_group();
    }
    free(group_turns);
    return 1;
}

// ---- Traps ----

#ifdef ADDRESS_SANITIZER
// Where a build tells only whether anything is wrong, the code of the kernel stops at undefined behaviour by the
// instruction `ud1l KIND(%eax), %eax`. LLVM's `llvm.ubsantrap` makes it.
RAW static void trapped(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    const unsigned char *at = info->si_addr;
    if (at[0] == 0x67 && at[1] == 0x0f && at[2] == 0xb9 && at[3] == 0x40)
        fprintf(stderr, "clreduce: trapped %d\n", at[4]);
    _exit(EXIT_TRAPPED);
}

static void watch_traps(void)
{
    // An error that AddressSanitizer reports ends the program.
    __sanitizer_set_death_callback(print_reached);
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaction(SIGILL, &action, NULL);
}
#else
static void watch_traps(void) {}
#endif

int main(int argc, char **argv)
{
    watch_traps();
    if (!understood(argc, argv)) {
        fprintf(stderr, "clreduce: wrong arguments\n");
        return EXIT_USAGE;
    }
    if (!load(argv[1]))
        return EXIT_UNKNOWN;
    if (!make_buffers() || !make_fibres() || !make_reads() || !watch_accesses() || !make_coverage() || !run_groups()) {
        fprintf(stderr, "clreduce: no memory for the buffers and %" PRIu64 " work-items\n", fibre_count);
        return EXIT_USAGE;
    }
    check_results();
    print_results();
    print_coverage();
    if (atomics_meet)
        printf("clreduce-atomics-meet\n");
    print_conflict();
    printf("\nclreduce-end: %s\n", end_word);
    return 0;
}
