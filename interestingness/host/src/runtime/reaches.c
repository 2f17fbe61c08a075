// ---- What a kernel reaches in its buffers ----

// In a program that is asked for it, each buffer lies at the middle of a large range of addresses that nothing else uses. So
// an access beyond the end of a buffer disturbs nothing, and the buffer that is meant is known. It is written down how
// many bytes of each buffer the kernel wants, and printed as "clreduce-reached: NUMBER BYTES". An access before the beginning of a
// buffer, or more than the most bytes behind it, ends the program: no larger buffer would help. What the work-item has read
// before is printed as "clreduce-sources: SOURCE...".

#define ROOM_BYTES (1ull << 36)

// Room for a buffer, whose bytes begin at its middle.
static char *make_room(void)
{
    char *room = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room + ROOM_BYTES / 2;
}

RAW static void print_reached(void)
{
    for (int i = 0; most_reached && i < buffer_count; i++)
        if (buffers[i].space != 'v')
            printf("clreduce-reached: %d %" PRIu64 "\n", i, buffers[i].reached);
    fflush(stdout);
}

static void print_coverage(void);

RAW static void end_outside(int number, const char *where)
{
    fprintf(stderr, "clreduce: outside %d %s\n", number, where);
    fflush(stderr);
    struct Sources sources;
    find_sources(&sources, NULL, 0);
    printf("clreduce-sources:");
    print_sources(&sources);
    putchar('\n');
    print_coverage();
    _Exit(EXIT_OUTSIDE);
}

// Called for every access to memory. Returns the number of the buffer, or -1.
__attribute__((no_sanitize("address"))) static int reach(uintptr_t place, uint64_t bytes)
{
    static int last;
    if (!most_reached || !bytes)
        return -1;
    for (int i = 0; i < buffer_count; i++) {
        int number = (last + i) % buffer_count;
        struct Buffer *buffer = &buffers[number];
        uintptr_t from = (uintptr_t)buffer->data;
        if (!buffer->data || place < from - ROOM_BYTES / 2 || place >= from + ROOM_BYTES / 2)
            continue;
        last = number;
        if (place < from)
            end_outside(number, "before");
        uint64_t end = place - from + bytes;
        buffer->reached = end > buffer->reached ? end : buffer->reached;
        if (end > most_reached)
            end_outside(number, "behind");
        return number;
    }
    return -1;
}
