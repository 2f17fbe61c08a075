// ---- Accesses to memory, and races among them ----

// clang calls `clreduce_load4` and its siblings before each access, instead of the checks of AddressSanitizer. Each
// has the address checked, and looks for a data race: an access by another work-item to the same byte that no barrier
// orders with this one, where one of the two writes and one is not atomic.
//
// Every byte of global and local memory has a history of constant size. That is exact, because groups run to their
// end one after another: a group that is past never comes back, and of accesses by two groups it does not matter which
// groups they are; within a group, what a barrier has ordered is forgotten.

enum { LOCAL_FENCE = 1, GLOBAL_FENCE = 2 };

#define UNWATCHED __attribute__((no_sanitize("address")))

static void order_accesses(unsigned fence);
static void forget_types(uintptr_t place, uint64_t bytes);
static void end_unknown(const char *what);
static int has_awaited(uint32_t number);
static int watch_accesses(void);
void __asan_storeN(uintptr_t place, uintptr_t bytes);

// Of two synchronisations of a warp, whether the first one was earlier. The numbers may have wrapped around.
UNWATCHED static int is_earlier(uint32_t number, uint32_t other) { return (int16_t)(uint16_t)(number - other) < 0; }

#ifndef ADDRESS_SANITIZER

static void order_accesses(unsigned fence) { (void)fence; }
static int watch_accesses(void) { return 1; }
static void print_conflict(void) {}
void clreduce_fence(void);
void clreduce_fence(void) {}
void clreduce_atomic(uint64_t place, uint64_t bytes, unsigned function, uint64_t operand);
void clreduce_atomic(uint64_t place, uint64_t bytes, unsigned function, uint64_t operand)
{
    (void)place, (void)bytes, (void)function, (void)operand;
    look_at_others();
}
void clreduce_compare(uint64_t place, uint64_t expected, uint64_t bytes);
void clreduce_compare(uint64_t place, uint64_t expected, uint64_t bytes)
{
    (void)place, (void)expected, (void)bytes;
    look_at_others();
}
void clreduce_load(uint64_t place, uint64_t bytes);
void clreduce_load(uint64_t place, uint64_t bytes)
{
    (void)place, (void)bytes;
    look_at_others();
}
static void watch_copy(int is_running) { (void)is_running; }
static void end_guess(void) {}

#else

// Who has accessed a byte in one way. No group: nobody. Of several groups, or of several work-items between the same
// two barriers, it is known only that they are several; of several in one warp, also which ones they are, until they
// synchronise.
struct Accessors {
    uint32_t group, epoch, item;
    // The number of the last synchronisation of threads of the warp in which it took part, of several the latest one, and how
    // many fences it had made: 16 bits each.
    uint32_t time;
    // Those of its warp.
    uint32_t lanes;
    // The last one's place in the kernel.
    uint32_t call;
};

enum { MOST_RACES = 256 };
#define SEVERAL UINT32_MAX
// With the number of a warp: several of its work-items, and some that had synchronised at different times.
#define SEVERAL_OF_WARP 0x80000000u
#define AT_SEVERAL_TIMES 0x40000000u

// Calls of atomic functions that do not commute, and that nothing orders. They matter if somebody sees the value.
enum { MOST_CONFLICTS = 64 };
struct Conflict {
    uintptr_t calls[MAX_DEPTH];
    int depth;
    uint32_t earlier;
};
static struct Conflict conflicts_of_functions[MOST_CONFLICTS];
static uint32_t conflict_count, seen_conflict;

// The ways to access a byte. A compare-and-exchange that finds another value only reads. Copies are made by a group as a
// whole, beside its work-items; their `item` is the number of the meeting.
enum Way { READ, WRITE, ATOMIC, COMPARE, COPY_FROM, COPY_TO, WAYS };

struct History {
    struct Accessors of[WAYS];
};

// The atomic functions that have changed a byte: who called them, and which they are, since the last barrier and in all;
// `SEVERAL` if they do not all commute. This is enough: as long as there is no conflict, either all work-items call one
// function, or one work-item alone calls several.
struct Updates {
    struct Accessors by;
    uint32_t since_barrier, in_all;
    // The number of the conflict that its value has come from, from 1; 0 if there is none.
    uint32_t conflict;
};

// Memory that work-items share.
struct Range {
    uintptr_t low, high;
    int is_local;
    struct History *histories;
    struct Updates *updates;
};

static struct Range *ranges;
static int range_count;
// Counted by barriers.
static uint32_t local_epoch, global_epoch;
static int is_released(const struct Accessors *earlier);
static int has_seen_all(uintptr_t place);
static void share_seen(void);
static void synchronise(uintptr_t place, int changes);
// A copy is being made.
static int copies;

// Pages that nobody touches cost nothing.
static void *make_pages(uint64_t bytes)
{
    void *made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

static int watch(uintptr_t low, uint64_t bytes, int is_local)
{
    if (!bytes)
        return 1;
    struct History *histories = make_pages(bytes * sizeof *histories);
    struct Updates *updates = make_pages(bytes * sizeof *updates);
    ranges[range_count++] = (struct Range){low, low + bytes, is_local, histories, updates};
    return histories && updates;
}

// Local variables come first, as they lie among the other variables of the program, which are global.
static int watch_accesses(void)
{
    int done = 1;
    if (!looks_for_races)
        return 1;
    ranges = calloc((size_t)(local_variable_count + buffer_count + 1), sizeof *ranges);
    if (!ranges)
        return 0;
    for (int i = 0; i < local_variable_count; i++)
        done &= watch(kernel_low + local_variables[i].offset, local_variables[i].bytes, 1);
    for (int i = 0; i < buffer_count; i++)
        if (buffers[i].space != 'v')
            done &= watch((uintptr_t)buffers[i].data, buffers[i].bytes, buffers[i].space == 'l');
    return done && watch(data_low, data_high - data_low, 0);
}

static void order_accesses(unsigned fence)
{
    local_epoch += (fence & LOCAL_FENCE) != 0;
    global_epoch += (fence & GLOBAL_FENCE) != 0;
    if (fence & GLOBAL_FENCE)
        share_seen();
}

UNWATCHED static struct Range *range_of(uintptr_t place)
{
    // The range of the last access; not that of all variables, which may hold a local one.
    static struct Range *last;
    uintptr_t stack = (uintptr_t)current->stack;
    if (place >= stack && place < stack + STACK_BYTES)
        return NULL;
    if (last && place >= last->low && place < last->high)
        return last;
    for (int i = 0; i < range_count; i++)
        if (place >= ranges[i].low && place < ranges[i].high) {
            last = ranges[i].low == data_low ? NULL : &ranges[i];
            return &ranges[i];
        }
    return NULL;
}

UNWATCHED static uint32_t time_now(void) { return current->synchronised << 16 | (current->fences & 0xffff); }

// The warp of a work-item, or of several that are in the same one.
static uint32_t warp_of(uint32_t item)
{
    return item & SEVERAL_OF_WARP ? item & ~(SEVERAL_OF_WARP | AT_SEVERAL_TIMES) : item / WARP;
}

// Accesses by work-items of the own warp alone, all of which have synchronised with the current work-item since.
UNWATCHED static int is_before_sync(const struct Accessors *earlier, uint32_t item, int is_local)
{
    if (earlier->item == SEVERAL || warp_of(earlier->item) != warp_of(item))
        return 0;
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (earlier->lanes >> lane & 1 && lane != item % WARP && !is_earlier(earlier->time >> 16, current->seen_lanes[is_local][lane])) {
            if (earlier->item & SEVERAL_OF_WARP && earlier->item & AT_SEVERAL_TIMES)
                end_unknown("some threads of a warp synchronise alone, and it is not known what that orders");
            return 0;
        }
    return 1;
}

// Whether the current access meets an earlier one without order between them.
UNWATCHED static int is_unordered(const struct Accessors *earlier, int of_copy, const struct Range *range)
{
    if (!earlier->group || (!range->is_local && is_released(earlier)))
        return 0;
    if (earlier->group != group_number)
        return !range->is_local;
    if (of_copy)
        return !has_awaited(earlier->item);
    if (earlier->epoch != (range->is_local ? local_epoch : global_epoch))
        return 0;
    if (!copies && is_before_sync(earlier, (uint32_t)(current - fibres), range->is_local))
        return 0;
    // A group of one work-item makes its copies in the order of its program.
    return copies ? fibre_count > 1 : earlier->item != (uint32_t)(current - fibres);
}

// One more between the same two barriers.
UNWATCHED static void note_several(struct Accessors *accessors, uint32_t item)
{
    if (accessors->item == SEVERAL || warp_of(accessors->item) != warp_of(item)) {
        accessors->item = SEVERAL;
        return;
    }
    uint32_t known = accessors->item & SEVERAL_OF_WARP ? accessors->item & AT_SEVERAL_TIMES : 0;
    uint32_t before = accessors->time >> 16, now = current->synchronised & 0xffff;
    accessors->item = SEVERAL_OF_WARP | known | (before != now ? AT_SEVERAL_TIMES : 0) | warp_of(item);
    accessors->lanes |= 1u << item % WARP;
    if (is_earlier(before, now))
        accessors->time = time_now();
}

UNWATCHED static void note(struct Accessors *accessors, const struct Range *range, uint32_t call)
{
    uint32_t epoch = range->is_local ? local_epoch : global_epoch;
    uint32_t item = copies ? current->met : (uint32_t)(current - fibres);
    int is_known = accessors->group && (accessors->group == group_number || !range->is_local);
    if (is_known && !range->is_local && is_released(accessors))
        is_known = 0;
    if (is_known && accessors->group != group_number)
        accessors->group = SEVERAL;
    else if (is_known && !copies && accessors->epoch == epoch && accessors->item != item &&
        !is_before_sync(accessors, item, range->is_local))
        note_several(accessors, item);
    else
        *accessors = (struct Accessors){group_number, epoch, item, time_now(), 1u << item % WARP, call};
    accessors->call = call;
}

RAW static void report_race(
    const uintptr_t *calls, int depth, const struct Accessors *earlier, enum Way way, enum Way other)
{
    static const char *const names[] = {"read", "write", "atomic", "compare", "copy-from", "copy-to"};
    static struct {
        uintptr_t call;
        uint32_t earlier;
    } seen[MOST_RACES];
    static int seen_count;
    uintptr_t call = depth ? calls[0] : 0;
    // Of two accesses, either may come first.
    for (int i = 0; i < seen_count; i++)
        if ((seen[i].call == call && seen[i].earlier == earlier->call) ||
            (seen[i].call == earlier->call && seen[i].earlier == call))
            return;
    if (seen_count == MOST_RACES)
        return;
    seen[seen_count].call = call;
    seen[seen_count++].earlier = earlier->call;
    fprintf(stderr, "clreduce: data-race ");
    print_calls(calls, depth);
    fprintf(stderr, " 0x%" PRIx32 " %s %s %s\n", earlier->call, names[way], names[other],
        earlier->group == group_number ? "group" : "groups");
}

// A work-item reads what another one changes atomically. If it compares and exchanges the place before it stops, as in
// `old = *p; do { ... } while (atomic_cmpxchg(p, ...) != old);`, that says whether the value still held, and it is no race.
static struct {
    uintptr_t place;
    struct Accessors earlier;
    int depth;
    uintptr_t calls[MAX_DEPTH];
} guess;

// The work-item stops, or guesses the value of another place.
RAW static void end_guess(void)
{
    if (guess.place)
        report_race(guess.calls, guess.depth, &guess.earlier, READ, ATOMIC);
    guess.place = 0;
}

UNWATCHED static void begin_guess(uintptr_t place, const struct Accessors *earlier)
{
    if (guess.place != place)
        end_guess();
    guess.place = place;
    guess.earlier = *earlier;
    guess.depth = calls_of(guess.calls);
}

// The work-item compares the place: what it has read there itself was a guess.
UNWATCHED static void check_guess(uintptr_t place, uint64_t bytes)
{
    struct Range *range = range_of(place);
    if (guess.place == place)
        guess.place = 0;
    for (uint64_t i = 0; range && i < bytes && place + i < range->high; i++) {
        struct Accessors *read = &range->histories[place + i - range->low].of[READ];
        if (read->group == group_number && read->item == (uint32_t)(current - fibres))
            read->group = 0;
    }
}

// The place in the kernel that a call-back returns to, or that called the part of the run-time that it returns to.
RAW static uint32_t place_of(uintptr_t back)
{
    uintptr_t calls[MAX_DEPTH];
    if (back >= kernel_low && back < kernel_high)
        return (uint32_t)(back - kernel_low);
    return calls_of(calls) ? (uint32_t)calls[0] : 0;
}

// An access that is not atomic sees the value of a byte, or ends it.
UNWATCHED static void see_value(struct Updates *updates, const struct Range *range, enum Way way)
{
    if (!updates->conflict || (range->is_local && updates->by.group != group_number))
        return;
    if (way == READ && !seen_conflict)
        seen_conflict = updates->conflict;
    if (way == WRITE)
        updates->conflict = 0;
}

UNWATCHED static void record(uintptr_t place, uint64_t bytes, enum Way way, uintptr_t back)
{
    static const unsigned conflicts[] = {
        [READ] = 1 << WRITE | 1 << ATOMIC | 1 << COPY_TO,
        [WRITE] = 1 << READ | 1 << WRITE | 1 << ATOMIC | 1 << COMPARE | 1 << COPY_FROM | 1 << COPY_TO,
        [ATOMIC] = 1 << READ | 1 << WRITE | 1 << COPY_FROM | 1 << COPY_TO,
        [COMPARE] = 1 << WRITE | 1 << COPY_TO,
    };
    struct Range *range = range_of(place);
    if (!range)
        return;
    uint32_t call = place_of(back);
    unsigned met = conflicts[way];
    enum Way kept = copies ? (way == READ ? COPY_FROM : COPY_TO) : way;
    for (uint64_t i = 0; i < bytes && place + i < range->high; i++) {
        struct Accessors *of = range->histories[place + i - range->low].of;
        if (conflict_count)
            see_value(&range->updates[place + i - range->low], range, way);
        atomics_meet |= (kept == ATOMIC || kept == COMPARE) && is_unordered(&of[ATOMIC], 0, range);
        atomics_meet |= kept == ATOMIC && is_unordered(&of[COMPARE], 0, range);
        for (enum Way other = 0; other < WAYS; other++)
            if (met & 1u << other && is_unordered(&of[other], other >= COPY_FROM, range) &&
                !(other == ATOMIC && has_seen_all(place))) {
                uintptr_t calls[MAX_DEPTH];
                if (kept == READ && other == ATOMIC && (bytes == 4 || bytes == 8))
                    begin_guess(place, &of[other]);
                else
                    report_race(calls, calls_of(calls), &of[other], kept, other);
                break;
            }
        note(&of[kept], range, call);
    }
}

#define BACK ((uintptr_t)__builtin_return_address(0))
// The end of the stack frame of the function that calls. Memory below it belonged to functions that have returned.
#define CALLERS_STACK ((uintptr_t)__builtin_frame_address(0) + 2 * sizeof(uintptr_t))

RAW static void report_once(const char *what, uintptr_t back)
{
    static uintptr_t seen[MOST_RACES];
    static int seen_count;
    back = place_of(back);
    for (int i = 0; i < seen_count; i++)
        if (seen[i] == back)
            return;
    if (seen_count == MOST_RACES)
        return;
    seen[seen_count++] = back;
    uintptr_t calls[MAX_DEPTH];
    fprintf(stderr, "clreduce: %s ", what);
    print_calls(calls, calls_of(calls));
    fputc('\n', stderr);
}

// Reports two faults that AddressSanitizer and UndefinedBehaviorSanitizer do not see: an access to memory of a function
// that has returned, and one to a lane of a vector whose pointer is misaligned. clang expects accesses of 16 bytes to be
// aligned to 8 at least; where a program casts pointers to vectors, `clreduce_aligned` knows more.
UNWATCHED static void check_access(uintptr_t place, uint64_t bytes, uintptr_t callers_stack, uintptr_t back)
{
    uintptr_t stack = (uintptr_t)current->stack;
    if (place >= stack && place < callers_stack && callers_stack < stack + STACK_BYTES)
        report_once("left-over", back);
    if (place & ((bytes < 8 ? bytes : 8) - 1))
        report_once("misaligned", back);
}

// Before a structure is copied in CUDA, and before a vector is accessed.
void clreduce_aligned(uintptr_t place, uint64_t alignment);
UNWATCHED void clreduce_aligned(uintptr_t place, uint64_t alignment)
{
    if (place & (alignment - 1))
        report_once("misaligned", BACK);
}

// An atomic function needs the whole alignment of its type.
UNWATCHED static void check_atomic(uintptr_t place, uint64_t bytes, uintptr_t back)
{
    reach(place, bytes);
    __asan_storeN(place, bytes);
    forget_types(place, bytes);
    if (place & (bytes - 1))
        report_once("misaligned", back);
}

// The checks of AddressSanitizer, which report what they find, and what clang calls in their place.
#define CALL_BACK(KIND, WAY, BYTES) \
    void __asan_##KIND##BYTES(uintptr_t place); \
    void clreduce_##KIND##BYTES(uintptr_t place); \
    UNWATCHED void clreduce_##KIND##BYTES(uintptr_t place) \
    { \
        int number = reach(place, BYTES); \
        if (WAY == READ) \
            note_read(number, place, BYTES); \
        __asan_##KIND##BYTES(place); \
        check_access(place, BYTES, CALLERS_STACK, BACK); \
        record(place, BYTES, WAY, BACK); \
        if (WAY == WRITE) \
            forget_types(place, BYTES); \
    }
#define CALL_BACKS(KIND, WAY) \
    CALL_BACK(KIND, WAY, 1) CALL_BACK(KIND, WAY, 2) CALL_BACK(KIND, WAY, 4) CALL_BACK(KIND, WAY, 8) \
    CALL_BACK(KIND, WAY, 16) \
    void __asan_##KIND##N(uintptr_t place, uintptr_t bytes); \
    void clreduce_##KIND##N(uintptr_t place, uintptr_t bytes); \
    UNWATCHED void clreduce_##KIND##N(uintptr_t place, uintptr_t bytes) \
    { \
        int number = reach(place, bytes); \
        if (WAY == READ) \
            note_read(number, place, bytes); \
        __asan_##KIND##N(place, bytes); \
        check_access(place, 1, CALLERS_STACK, BACK); \
        record(place, bytes, WAY, BACK); \
        if (WAY == WRITE) \
            forget_types(place, bytes); \
    }
CALL_BACKS(load, READ)
CALL_BACKS(store, WRITE)

// AddressSanitizer's own, which check their arguments.
void *__asan_memcpy(void *to, const void *from, uintptr_t bytes);
void *__asan_memmove(void *to, const void *from, uintptr_t bytes);
void *__asan_memset(void *to, int value, uintptr_t bytes);

UNWATCHED static void see_block(const void *block, uintptr_t bytes, enum Way way, uintptr_t callers_stack, uintptr_t back)
{
    if (!bytes)
        return;
    int number = reach((uintptr_t)block, bytes);
    if (way == READ)
        note_read(number, (uintptr_t)block, bytes);
    check_access((uintptr_t)block, 1, callers_stack, back);
    record((uintptr_t)block, bytes, way, back);
}

void *clreduce_memcpy(void *to, const void *from, uintptr_t bytes);
UNWATCHED void *clreduce_memcpy(void *to, const void *from, uintptr_t bytes)
{
    see_block(from, bytes, READ, CALLERS_STACK, BACK);
    see_block(to, bytes, WRITE, CALLERS_STACK, BACK);
    // A structure may be assigned to itself.
    return to == from ? to : __asan_memcpy(to, from, bytes);
}

void *clreduce_memmove(void *to, const void *from, uintptr_t bytes);
UNWATCHED void *clreduce_memmove(void *to, const void *from, uintptr_t bytes)
{
    see_block(from, bytes, READ, CALLERS_STACK, BACK);
    see_block(to, bytes, WRITE, CALLERS_STACK, BACK);
    return __asan_memmove(to, from, bytes);
}

void *clreduce_memset(void *to, int value, uintptr_t bytes);
UNWATCHED void *clreduce_memset(void *to, int value, uintptr_t bytes)
{
    see_block(to, bytes, WRITE, CALLERS_STACK, BACK);
    return __asan_memset(to, value, bytes);
}

// Functions that commute have one number; EXCHANGE, INCREMENT and DECREMENT do only with the same operand. A
// compare-and-exchange, mostly in a loop, is left to other orders where it meets its like.
enum Function { ADD = 1, AND, OR, XOR, MIN, MAX, EXCHANGE, INCREMENT, DECREMENT, EXCHANGE_IF };

UNWATCHED static uint32_t number_of_function(enum Function function, uint64_t operand)
{
    if (function < EXCHANGE || function == EXCHANGE_IF)
        return function;
    return (uint32_t)((operand ^ function) * 0x9e3779b97f4a7c15 >> 32) | 1u << 31;
}

// Writes down a conflict of the current call with an earlier one.
RAW static uint32_t number_of_conflict(uint32_t earlier)
{
    struct Conflict found = {.earlier = earlier};
    found.depth = calls_of(found.calls);
    for (uint32_t i = 0; i < conflict_count; i++)
        if (conflicts_of_functions[i].calls[0] == found.calls[0] && conflicts_of_functions[i].earlier == earlier)
            return i + 1;
    if (conflict_count == MOST_CONFLICTS)
        return MOST_CONFLICTS;
    conflicts_of_functions[conflict_count++] = found;
    return conflict_count;
}

// The function changes no value of this byte.
UNWATCHED static int is_neutral(enum Function function, uint64_t operand, uint64_t byte)
{
    unsigned char own = (unsigned char)(operand >> byte * 8);
    return (function == ADD && !operand) || (function == AND && own == 0xff) ||
        ((function == OR || function == XOR) && !own);
}

// Looks for another work-item's function that does not commute with this one, and comes without order between them.
UNWATCHED static void see_function(uintptr_t place, uint64_t bytes, enum Function function, uint64_t operand, uintptr_t back)
{
    struct Range *range = range_of(place);
    if (!range)
        return;
    uint32_t own = number_of_function(function, operand), call = place_of(back);
    for (uint64_t i = 0; i < bytes && place + i < range->high; i++) {
        struct Updates *updates = &range->updates[place + i - range->low];
        struct Accessors *by = &updates->by;
        if (is_neutral(function, operand, i))
            continue;
        int is_known = by->group && (by->group == group_number || !range->is_local);
        int is_same_group = is_known && by->group == group_number;
        uint32_t earlier = is_same_group ? updates->since_barrier : updates->in_all;
        if (!is_known || (function == EXCHANGE && !is_unordered(by, 0, range)))
            updates->conflict = 0;
        if (earlier != own && !updates->conflict && is_unordered(by, 0, range))
            updates->conflict = number_of_conflict(by->call);
        uint32_t epoch = range->is_local ? local_epoch : global_epoch;
        int goes_on = is_same_group && by->epoch == epoch && !is_before_sync(by, (uint32_t)(current - fibres), range->is_local);
        updates->since_barrier = goes_on && updates->since_barrier != own ? SEVERAL : own;
        updates->in_all = is_known && updates->in_all != own ? SEVERAL : own;
        note(by, range, call);
    }
}

// What is in the results is seen at the end.
static void see_results(void)
{
    for (int i = 0; i < buffer_count; i++) {
        struct Range *range = strchr(buffers[i].flags, 'o') ? range_of((uintptr_t)buffers[i].data) : NULL;
        for (uint64_t at = 0; range && at < buffers[i].bytes; at++)
            see_value(&range->updates[at], range, READ);
    }
}

// As in "clreduce-conflict: 0x12,0x34 0x56".
static void print_conflict(void)
{
    if (conflict_count)
        see_results();
    if (!seen_conflict)
        return;
    const struct Conflict *seen = &conflicts_of_functions[seen_conflict - 1];
    printf("clreduce-conflict: ");
    for (int i = 0; i < seen->depth; i++)
        printf("%s0x%" PRIxPTR, i ? "," : "", seen->calls[i]);
    printf(" 0x%" PRIx32 "\n", seen->earlier);
}

// The built-ins below are compiled without call-backs for their own accesses.
void clreduce_atomic(uint64_t place, uint64_t bytes, unsigned function, uint64_t operand);
UNWATCHED void clreduce_atomic(uint64_t place, uint64_t bytes, unsigned function, uint64_t operand)
{
    check_atomic(place, bytes, BACK);
    see_function(place, bytes, function, operand, BACK);
    // Without histories, nothing is known of who else does.
    atomics_meet |= !looks_for_races;
    record(place, bytes, ATOMIC, BACK);
    synchronise(place, 1);
}

// Before a compare-and-exchange.
void clreduce_compare(uint64_t place, uint64_t expected, uint64_t bytes);
UNWATCHED void clreduce_compare(uint64_t place, uint64_t expected, uint64_t bytes)
{
    check_atomic(place, bytes, BACK);
    atomics_meet |= !looks_for_races;
    check_guess(place, bytes);
    see_function(place, bytes, EXCHANGE_IF, 0, BACK);
    int changes = !memcmp((const void *)place, (const void *)expected, bytes);
    record(place, bytes, changes ? ATOMIC : COMPARE, BACK);
    synchronise(place, 1);
}

// Before an atomic load.
void clreduce_load(uint64_t place, uint64_t bytes);
UNWATCHED void clreduce_load(uint64_t place, uint64_t bytes)
{
    check_atomic(place, bytes, BACK);
    atomics_meet |= !looks_for_races;
    record(place, bytes, COMPARE, BACK);
    synchronise(place, 0);
}

static void watch_copy(int is_running) { copies = is_running; }

#endif
