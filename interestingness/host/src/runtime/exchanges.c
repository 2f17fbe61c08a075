// ---- Values that the members of a team give each other ----

// Collective functions of work-groups, and functions of warps and sub-groups: each member of the team gives a value, waits until all
// have given theirs, and gets the values of all. The members have to come to the same call. A warp is 32 work-items whose
// numbers in the group follow each other; its mask names those that are meant. A sub-group is the same, and all are meant:
// kernels with other sub-groups are not run.

static void stop_here(void);

static uint64_t number_of(const struct Fibre *fibre) { return (uint64_t)(fibre - fibres); }

static int same_place(const struct Fibre *a, const struct Fibre *b)
{
    // Where it stopped last says nothing of a work-item that has ended.
    if (a->ended || b->ended)
        return a->ended && b->ended;
    return a->depth == b->depth && a->exchange.of == b->exchange.of &&
        a->exchange.mask == b->exchange.mask && !memcmp(a->calls, b->calls, sizeof a->calls[0] * (size_t)a->depth);
}

static void diverged(const struct Fibre *a, const struct Fibre *b)
{
    const struct Fibre *waiting = a->ended ? b : a;
    const struct Fibre *other = a->ended ? a : b;
    fprintf(stderr, "clreduce: divergence ");
    print_calls(waiting->calls, waiting->depth);
    fputc(' ', stderr);
    if (other->ended)
        fprintf(stderr, "ended");
    else
        print_calls(other->calls, other->depth);
    fputc('\n', stderr);
    fflush(stderr);
    print_coverage();
    _Exit(EXIT_DIVERGENCE);
}

// Ends the execution of a kernel whose result CUDA or OpenCL leaves open: nothing can be said of it.
RAW static void end_unknown(const char *what)
{
    fprintf(stderr, "clreduce: %s\n", what);
    fflush(stderr);
    _Exit(EXIT_UNKNOWN);
}

// What C++ calls where a class does not define a virtual function.
void __cxa_pure_virtual(void);
void __cxa_pure_virtual(void) { end_unknown("a virtual function that no class defines is called"); }

unsigned clreduce_answering(unsigned mask);
static int is_of_lanes(const struct Fibre *fibre) { return fibre->exchange.of >= OF_WARP; }

// The work-items from which a work-item wants values: from the first of its team on.
static uint64_t first_of_team(const struct Fibre *fibre)
{
    return is_of_lanes(fibre) ? number_of(fibre) / WARP * WARP : 0;
}

static uint64_t team_size(const struct Fibre *fibre)
{
    uint64_t left = fibre_count - first_of_team(fibre);
    return is_of_lanes(fibre) && left > WARP ? WARP : left;
}

static int is_member(const struct Fibre *fibre, uint64_t at)
{
    return fibre->exchange.of == OF_GROUP || fibre->exchange.mask >> at & 1;
}

// A thread of a warp that has ended need not come, whatever the mask says.
static int need_not_come(const struct Fibre *fibre, const struct Fibre *member)
{
    return fibre->exchange.of == OF_WARP && member->ended;
}

// All members of its team have come to the call where it is.
static int is_complete(const struct Fibre *fibre)
{
    const struct Fibre *team = &fibres[first_of_team(fibre)];
    for (uint64_t i = 0; i < team_size(fibre); i++)
        if (is_member(fibre, i) && !need_not_come(fibre, &team[i]) && (team[i].has_values || !same_place(&team[i], fibre)))
            return 0;
    return 1;
}

// What one of some lanes knows of another lane: the latest synchronisation before which its accesses came first.
static uint32_t known_of(uint32_t other, const struct Fibre *team, uint32_t lanes, int is_local)
{
    uint32_t known = team[__builtin_ctz(lanes)].seen_lanes[is_local][other];
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (lanes >> lane & 1 && is_earlier(known, team[lane].seen_lanes[is_local][other]))
            known = team[lane].seen_lanes[is_local][other];
    return known;
}

// Some lanes of a warp have waited for each other: what they have done comes before what they do now, and each of them knows
// what one of them has known.
static void order_lanes(struct Fibre *team, uint32_t lanes, unsigned memory)
{
    uint32_t number = ++team[0].synchronisations, seen[WARP];
    for (int is_local = 0; is_local < 2; is_local++) {
        if (!(memory & (is_local ? LOCAL_FENCE : GLOBAL_FENCE)))
            continue;
        for (uint32_t lane = 0; lane < WARP; lane++)
            seen[lane] = lanes >> lane & 1 ? number : known_of(lane, team, lanes, is_local);
        for (uint32_t lane = 0; lane < WARP; lane++)
            if (lanes >> lane & 1)
                memcpy(team[lane].seen_lanes[is_local], seen, sizeof seen);
    }
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (lanes >> lane & 1)
            team[lane].synchronised = number;
}

static void deliver(struct Fibre *fibre)
{
    struct Fibre *team = &fibres[first_of_team(fibre)];
    uint32_t absent = 0;
    for (uint64_t i = 0; is_of_lanes(fibre) && i < team_size(fibre); i++)
        absent |= (uint32_t)(need_not_come(fibre, &team[i]) || !is_member(fibre, i)) << i;
    if (fibre->exchange.orders) {
        uint64_t size = team_size(fibre);
        order_lanes(team, ~absent & UINT32_MAX >> (WARP - size), fibre->exchange.orders);
    }
    for (uint64_t i = 0; i < team_size(fibre); i++) {
        if (!is_member(fibre, i) || need_not_come(fibre, &team[i]))
            continue;
        team[i].exchange.absent = absent;
        for (uint64_t j = 0; j < team_size(fibre); j++)
            if (is_member(fibre, j))
                team[i].exchange.all[j] = team[j].exchange.own;
        team[i].has_values = 1;
    }
}

// Somebody waits for a work-item that is elsewhere, and will not come. Some work-items of a sub-group may shuffle without the others, but what they get then is not known here.
static void end_stuck(const struct Fibre *fibre)
{
    const struct Fibre *team = &fibres[first_of_team(fibre)];
    for (uint64_t i = 0; i < team_size(fibre); i++)
        if (is_member(fibre, i) && !same_place(&team[i], fibre)) {
            if (need_not_come(fibre, &team[i]))
                continue;
            if (fibre->exchange.of == OF_SHUFFLE)
                end_unknown("some work-items of a sub-group shuffle, and others do not");
            diverged(fibre, &team[i]);
        }
}

// Tells the members of a warp that ask for it which of them have come to the same place.
static void tell_active(struct Fibre *fibre)
{
    struct Fibre *team = &fibres[first_of_team(fibre)];
    uint32_t active = 0;
    for (uint64_t i = 0; i < team_size(fibre); i++)
        active |= (uint32_t)(!team[i].has_values && same_place(&team[i], fibre)) << i;
    for (uint64_t i = 0; i < team_size(fibre); i++)
        if (active >> i & 1) {
            team[i].exchange.absent = ~active;
            team[i].has_values = 1;
        }
}

// Gives values to the teams that are complete. Returns false if nobody waits for any.
static int exchange_values(void)
{
    int is_waiting = 0, is_done = 0, is_told = 0;
    for (uint64_t i = 0; i < fibre_count; i++)
        fibres[i].has_values = 0;
    for (uint64_t i = 0; i < fibre_count; i++) {
        struct Fibre *fibre = &fibres[i];
        if (fibre->ended || fibre->exchange.of == NONE || fibre->has_values)
            continue;
        is_waiting = 1;
        if (fibre->exchange.of != OF_ACTIVE && is_complete(fibre)) {
            deliver(fibre);
            is_done = 1;
        }
    }
    for (uint64_t i = 0; !is_done && i < fibre_count; i++)
        if (!fibres[i].ended && fibres[i].exchange.of == OF_ACTIVE && !fibres[i].has_values)
            tell_active(&fibres[i]), is_told = 1;
    is_done |= is_told;
    for (uint64_t i = 0; is_waiting && !is_done && i < fibre_count; i++)
        if (!fibres[i].ended && fibres[i].exchange.of != NONE)
            end_stuck(&fibres[i]);
    return is_done;
}

// The current work-item gives a value, and gets those of its team.
static void exchange_with(uint64_t value, int of, uint32_t mask)
{
    struct Fibre *self = current;
    self->exchange.of = of;
    self->exchange.mask = mask;
    self->exchange.own = value;
    stop_here();
    self->exchange.of = NONE;
    self->exchange.mask = 0;
    self->has_values = 0;
}

// For collective functions of work-groups. Returns the number of the work-item in its group.
uint64_t clreduce_meet_group(uint64_t value);
uint64_t clreduce_meet_group(uint64_t value)
{
    exchange_with(value, OF_GROUP, 0);
    return number_of(current);
}

// For broadcasts: the value of the work-item with these numbers, which have to be the same for all.
uint64_t clreduce_broadcast(uint64_t value, uint64_t x, uint64_t y, uint64_t z);
uint64_t clreduce_broadcast(uint64_t value, uint64_t x, uint64_t y, uint64_t z)
{
    uint64_t member = (z * local_size[1] + y) * local_size[0] + x;
    int is_there = x < local_size[0] && y < local_size[1] && z < local_size[2];
    exchange_with(is_there ? member : UINT64_MAX, OF_GROUP, 0);
    for (uint64_t i = 0; i < fibre_count; i++)
        if (!is_there || current->exchange.all[i] != member)
            end_unknown("work_group_broadcast names several work-items, or one that does not exist");
    exchange_with(value, OF_GROUP, 0);
    return current->exchange.all[member];
}

// A thread calls a function of a warp whose mask does not name it.
RAW static void end_outside_of_mask(void)
{
    uintptr_t calls[MAX_DEPTH];
    fprintf(stderr, "clreduce: outside-of-mask ");
    print_calls(calls, calls_of(calls));
    fputc('\n', stderr);
    fflush(stderr);
    print_coverage();
    _Exit(EXIT_DIVERGENCE);
}

// For functions of warps. Returns the number of the work-item in its warp.
unsigned clreduce_meet_warp(unsigned mask, uint64_t value);
unsigned clreduce_meet_warp(unsigned mask, uint64_t value)
{
    uint64_t lane = number_of(current) % WARP, left = fibre_count - number_of(current) + lane;
    if (!(mask >> lane & 1))
        end_outside_of_mask();
    if (left < WARP && mask >> left)
        end_unknown("a function of a warp names a thread that does not exist");
    exchange_with(value, OF_WARP, mask);
    return (unsigned)lane;
}

// The value that a member of the team gave last, by its number in it.
uint64_t clreduce_value_of(uint64_t member);
uint64_t clreduce_value_of(uint64_t member) { return current->exchange.all[member]; }
uint64_t clreduce_group_size(void);
uint64_t clreduce_group_size(void) { return fibre_count; }

// The same in the own warp. What is read from a thread that does not take part in the call has no value.
uint64_t clreduce_undefined_lane_i64(void);
uint64_t clreduce_value_of_lane(unsigned mask, unsigned lane);
uint64_t clreduce_value_of_lane(unsigned mask, unsigned lane)
{
    if (!(clreduce_answering(mask) >> lane & 1))
        return clreduce_undefined_lane_i64();
    return current->exchange.all[lane];
}

// The threads in a mask that have taken part in the last call.
unsigned clreduce_answering(unsigned mask)
{
    uint64_t first = number_of(current) / WARP * WARP, left = fibre_count - first;
    return mask & ~current->exchange.absent & UINT32_MAX >> (left < WARP ? WARP - left : 0);
}

// The threads of a warp that have come to the same place, once nobody can go on without it.
unsigned clreduce_active(void);
unsigned clreduce_active(void)
{
    exchange_with(0, OF_ACTIVE, UINT32_MAX);
    return ~current->exchange.absent;
}

// The threads of a mask wait for each other, which orders their accesses to memory.
void clreduce_sync_warp(unsigned mask);
void clreduce_sync_warp(unsigned mask)
{
    current->exchange.orders = LOCAL_FENCE | GLOBAL_FENCE;
    clreduce_meet_warp(mask, 0);
    current->exchange.orders = 0;
}

// The same for all work-items of a sub-group, and the memory that they name.
void clreduce_sync_sub_group(unsigned memory);
void clreduce_sync_sub_group(unsigned memory)
{
    current->exchange.orders = memory;
    exchange_with(0, OF_SUB_GROUP, UINT32_MAX);
    current->exchange.orders = 0;
}

// For functions of sub-groups. Returns the number of the work-item in its sub-group.
unsigned clreduce_meet_sub_group(uint64_t value, int shuffles);
unsigned clreduce_meet_sub_group(uint64_t value, int shuffles)
{
    exchange_with(value, shuffles ? OF_SHUFFLE : OF_SUB_GROUP, UINT32_MAX);
    return (unsigned)(number_of(current) % WARP);
}

// The value that a work-item of the sub-group gave in a shuffle.
uint64_t clreduce_shuffled(unsigned from);
uint64_t clreduce_shuffled(unsigned from)
{
    if (from >= WARP)
        end_unknown("a shuffle names a work-item that is not in the sub-group");
    return current->exchange.all[from];
}

// For broadcasts: the value of the work-item with this number, which has to be the same for all.
uint64_t clreduce_broadcast_in_sub_group(uint64_t value, unsigned from);
uint64_t clreduce_broadcast_in_sub_group(uint64_t value, unsigned from)
{
    clreduce_meet_sub_group(from, 0);
    for (unsigned i = 0; i < WARP; i++)
        if (from >= WARP || current->exchange.all[i] != from)
            end_unknown("sub_group_broadcast names several work-items, or one that does not exist");
    clreduce_meet_sub_group(value, 0);
    return current->exchange.all[from];
}
