// ---- Where numbers come from ----

// In a program that looks at what the kernel reaches, each work-item remembers its last reads from global memory. An index that
// leads out of a buffer, and a number that a condition compares, have mostly come from one of them. They are printed as
// words "NUMBER:OFFSET", of a buffer and of a place in it.

enum { MOST_READS = 64, MOST_SOURCES = 6 };

struct Read {
    int number;
    unsigned bytes;
    uint64_t offset, bits;
};

struct Sources {
    int count;
    struct {
        int number;
        uint64_t offset;
    } of[MOST_SOURCES];
};

static int make_reads(void)
{
    int done = 1;
    for (uint64_t i = 0; most_reached && i < fibre_count; i++)
        done &= !!(fibres[i].reads = calloc(MOST_READS, sizeof *fibres[i].reads));
    return done;
}

// The last read that was so many reads ago; `NULL` for none.
static const struct Read *read_before(uint64_t ago)
{
    if (!current->reads || ago >= MOST_READS || ago >= current->read_count)
        return NULL;
    return &current->reads[(current->read_count - 1 - ago) % MOST_READS];
}

// Vectors of more than eight bytes are read as numbers of four.
static void note_read(int number, uintptr_t place, uint64_t bytes)
{
    if (number < 0 || !current->reads || buffers[number].space != 'g' || bytes > 64)
        return;
    unsigned size = bytes > 8 ? 4 : (unsigned)bytes;
    uint64_t offset = place - (uintptr_t)buffers[number].data;
    for (uint64_t at = 0; at + size <= bytes; at += size) {
        struct Read *read = &current->reads[current->read_count++ % MOST_READS];
        *read = (struct Read){number, size, offset + at, 0};
        memcpy(&read->bits, (const char *)place + at, size);
    }
}

// Whether the bits are this number, as an integer or in floating point.
static int is_number(uint64_t bits, unsigned bytes, double number)
{
    uint64_t unused = 64 - 8 * (uint64_t)bytes;
    float single;
    double twice;
    memcpy(&single, &bits, sizeof single);
    memcpy(&twice, &bits, sizeof twice);
    return (double)(int64_t)(bits << unused) / (double)(1ull << unused) == number || (double)bits == number ||
        (bytes == 4 && (double)single == number) || (bytes == 8 && twice == number);
}

static void add_source(struct Sources *sources, const struct Read *read)
{
    for (int i = 0; i < sources->count; i++)
        if (sources->of[i].number == read->number && sources->of[i].offset == read->offset)
            return;
    if (sources->count < MOST_SOURCES) {
        sources->of[sources->count].number = read->number;
        sources->of[sources->count++].offset = read->offset;
    }
}

// The reads that gave these numbers, and then the last ones.
static void find_sources(struct Sources *sources, const double *numbers, int count)
{
    const struct Read *read;
    sources->count = 0;
    for (int i = 0; i < count; i++)
        for (uint64_t ago = 0; (read = read_before(ago)); ago++)
            if (is_number(read->bits, read->bytes, numbers[i])) {
                add_source(sources, read);
                break;
            }
    for (uint64_t ago = 0; (read = read_before(ago)); ago++)
        add_source(sources, read);
}

static void print_sources(const struct Sources *sources)
{
    for (int i = 0; i < sources->count; i++)
        printf(" %d:%" PRIu64, sources->of[i].number, sources->of[i].offset);
}
