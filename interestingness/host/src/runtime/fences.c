// ---- Fences ----

// In CUDA and from OpenCL C 2.0 on, a work-item that makes a fence and then changes a place atomically releases what came before the fence: to those
// who come to that place by an atomic function later, and to those behind them by a barrier. So the last group of all can
// add up what the others have written.

#ifdef ADDRESS_SANITIZER

// What a work-item releases: its own accesses before its last fence, and those of its group before the last barrier before.
struct Release {
    uint32_t group, item, fences, epoch;
    int place;
};

enum { MOST_RELEASES = 1 << 20 };
static struct Release *releases;
static uint32_t release_count;
// For each group, the first of its releases.
static uint32_t *first_releases;

// A place with its last release, and the releases at all places that are seen with it. It has no order once it is changed
// without a fence before.
static struct Place {
    uintptr_t address;
    uint32_t last, seen[MOST_PLACES];
    int is_unfenced;
} sync_places[MOST_PLACES];
static int sync_place_count;

static void end_unknown(const char *what);

void clreduce_fence(void);
UNWATCHED void clreduce_fence(void)
{
    if (!releases) {
        releases = make_pages(MOST_RELEASES * sizeof *releases);
        first_releases = make_pages((group_count + 2) * sizeof *first_releases);
    }
    current->fences += current->fences < 0xffff;
    current->fence_epoch = global_epoch;
}

// The current work-item comes after an access of another one.
UNWATCHED static int is_released(const struct Accessors *earlier)
{
    if (!release_count || earlier->group == SEVERAL)
        return 0;
    uint32_t i = first_releases[earlier->group];
    for (; i < release_count && releases[i].group == earlier->group; i++) {
        int is_covered = earlier->epoch < releases[i].epoch ||
            (earlier->item == releases[i].item && (earlier->time & 0xffff) < releases[i].fences);
        if (is_covered && i < current->seen_releases[releases[i].place])
            return 1;
    }
    return 0;
}

UNWATCHED static int find_place(uintptr_t address)
{
    for (int i = 0; i < sync_place_count; i++)
        if (sync_places[i].address == address)
            return i;
    return -1;
}

// The current work-item has seen all changes of a place.
UNWATCHED static int has_seen_all(uintptr_t address)
{
    int at = release_count ? find_place(address) : -1;
    return at >= 0 && !sync_places[at].is_unfenced && current->seen_releases[at] >= sync_places[at].last;
}

UNWATCHED static void join(uint32_t *seen, const uint32_t *other)
{
    for (int i = 0; i < sync_place_count; i++)
        seen[i] = seen[i] > other[i] ? seen[i] : other[i];
}

// A barrier: what one work-item of the group has seen, all have.
UNWATCHED static void share_seen(void)
{
    uint32_t all[MOST_PLACES] = {0};
    if (!release_count)
        return;
    for (uint64_t i = 0; i < fibre_count; i++)
        join(all, fibres[i].seen_releases);
    for (uint64_t i = 0; i < fibre_count; i++)
        join(fibres[i].seen_releases, all);
}

// The current work-item changes a place atomically, or reads it.
UNWATCHED static void synchronise(uintptr_t address, int changes)
{
    int at = releases ? find_place(address) : -1;
    if (!releases || (at < 0 && !(changes && current->fences)))
        return;
    if (at < 0) {
        if (sync_place_count == MOST_PLACES)
            end_unknown("fences and atomic functions order memory at too many places");
        at = sync_place_count++;
        // Others may have changed it before, without fences.
        struct Range *range = range_of(address);
        const struct Accessors *by = range ? &range->histories[address - range->low].of[ATOMIC] : NULL;
        sync_places[at] = (struct Place){address, .is_unfenced = by && (by->group == SEVERAL || by->item == SEVERAL)};
    }
    struct Place *place = &sync_places[at];
    join(current->seen_releases, place->seen);
    if (changes && current->fences) {
        if (release_count == MOST_RELEASES)
            end_unknown("too many fences and atomic functions order memory");
        uint32_t *first = &first_releases[group_number];
        if (!release_count || releases[release_count - 1].group != group_number)
            *first = release_count;
        releases[release_count++] =
            (struct Release){group_number, (uint32_t)(current - fibres), current->fences, current->fence_epoch, at};
        place->last = release_count;
    } else if (changes) {
        place->is_unfenced = 1;
    }
    current->seen_releases[at] = place->last;
    join(place->seen, current->seen_releases);
}

#endif
