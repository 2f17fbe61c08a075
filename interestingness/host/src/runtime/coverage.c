// ---- Coverage ----

// In a program whose coverage is measured, the kernel tells the run-time what it comes to: its source has calls of the
// functions below. What it can come to has numbers, "places": three for each loop (left after no iteration, after
// one, after more), then others. All is printed at the end, as "clreduce-coverage: p PLACE TIMES WORK-ITEMS" and
// "clreduce-coverage: v DECISION EVALUATED VALUES OUTCOME"; the numbers that a condition compared, as
// "clreduce-gap: PLACE LEFT RIGHT SOURCE..."; and the most jumps of a group, as "clreduce-steps: JUMPS".

enum { MOST_VECTORS = 256 };

static uint32_t place_count, loop_count, decision_count;
static struct {
    uint64_t times, items;
} *places;

// The way to a decision: which of its conditions were evaluated, and which of these were true.
static struct Vectors {
    struct Vector {
        uint32_t evaluated, values;
        int outcome;
    } of[MOST_VECTORS];
    int count;
} *vectors;

// The numbers that the condition of a place compares, and those that were nearest to each other.
static struct Gap {
    double operands[2], nearest[2];
    struct Sources sources;
    int is_known, is_pending;
} *gaps;

static int make_coverage(void)
{
    if (!place_count)
        return 1;
    places = calloc(place_count, sizeof *places);
    gaps = calloc(place_count, sizeof *gaps);
    vectors = calloc(decision_count + 1, sizeof *vectors);
    int done = places && vectors && gaps;
    for (uint64_t i = 0; i < fibre_count; i++) {
        struct Fibre *fibre = &fibres[i];
        fibre->seen = calloc(place_count, 1);
        fibre->iterations = calloc(loop_count + 1, sizeof *fibre->iterations);
        fibre->evaluated = calloc(decision_count + 1, sizeof *fibre->evaluated);
        fibre->values = calloc(decision_count + 1, sizeof *fibre->values);
        done = done && fibre->seen && fibre->iterations && fibre->evaluated && fibre->values;
    }
    return done;
}

static void forget_coverage(struct Fibre *fibre)
{
    if (place_count)
        memset(fibre->seen, 0, place_count);
}

static void print_comparisons(void);
static void print_reached(void);

static void print_coverage(void)
{
    for (uint32_t i = 0; i < place_count; i++)
        if (places[i].times)
            printf("clreduce-coverage: p %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", i, places[i].times, places[i].items);
    for (uint32_t i = 0; i < decision_count; i++)
        for (int j = 0; j < vectors[i].count; j++) {
            const struct Vector *v = &vectors[i].of[j];
            printf("clreduce-coverage: v %" PRIu32 " %" PRIu32 " %" PRIu32 " %d\n", i, v->evaluated, v->values, v->outcome);
        }
    print_comparisons();
    for (uint32_t i = 0; i < place_count; i++)
        if (gaps[i].is_known) {
            printf("clreduce-gap: %" PRIu32 " %.17g %.17g", i, gaps[i].nearest[0], gaps[i].nearest[1]);
            print_sources(&gaps[i].sources);
            putchar('\n');
        }
    if (place_count)
        printf("clreduce-steps: %" PRIu64 "\n", greatest_steps);
    print_reached();
    fflush(stdout);
}

// ---- Compared values ----

// clang calls these functions before it compares two integers, if asked to. Pairs of different values are printed
// at the end, as "clreduce-compared: BYTES CONSTANT FIRST SECOND": a value that the kernel waits for is one of them.

enum { MOST_COMPARISONS = 1024, MOST_PROBES = 8 };

static struct Comparison {
    uint64_t first, second;
    unsigned bytes;
    int constant;
} comparisons[MOST_COMPARISONS];

static void compares(uint64_t first, uint64_t second, unsigned bytes, int constant)
{
    if (first == second)
        return;
    struct Comparison wanted = {first, second, bytes, constant};
    uint64_t at = (first * 0x9e3779b97f4a7c15 ^ second * 0xbf58476d1ce4e5b9) >> 32;
    for (int i = 0; i < MOST_PROBES; i++) {
        struct Comparison *slot = &comparisons[(at + (uint64_t)i) % MOST_COMPARISONS];
        if (!slot->bytes)
            *slot = wanted;
        if (slot->first == first && slot->second == second && slot->bytes == bytes)
            return;
    }
}

#define COMPARES(BYTES, TYPE) \
    void __sanitizer_cov_trace_cmp##BYTES(TYPE first, TYPE second); \
    void __sanitizer_cov_trace_cmp##BYTES(TYPE first, TYPE second) { compares(first, second, BYTES, 0); } \
    void __sanitizer_cov_trace_const_cmp##BYTES(TYPE first, TYPE second); \
    void __sanitizer_cov_trace_const_cmp##BYTES(TYPE first, TYPE second) { compares(first, second, BYTES, 1); }
COMPARES(1, uint8_t)
COMPARES(2, uint16_t)
COMPARES(4, uint32_t)
COMPARES(8, uint64_t)

// `cases` begins with their number and the bits of the value.
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases);
void __sanitizer_cov_trace_switch(uint64_t value, uint64_t *cases)
{
    for (uint64_t i = 0; i < cases[0]; i++)
        compares(cases[2 + i], value, (unsigned)cases[1] / 8, 1);
}

static void print_comparisons(void)
{
    for (int i = 0; i < MOST_COMPARISONS; i++)
        if (comparisons[i].bytes)
            printf("clreduce-compared: %u %d %" PRIu64 " %" PRIu64 "\n", comparisons[i].bytes, comparisons[i].constant,
                comparisons[i].first, comparisons[i].second);
}

void clreduce_reaches(unsigned place);
void clreduce_reaches(unsigned place)
{
    places[place].times++;
    places[place].items += !current->seen[place];
    current->seen[place] = 1;
}

void clreduce_operand_is_whole(unsigned place, int side, int64_t value);
void clreduce_operand_is_whole(unsigned place, int side, int64_t value)
{
    gaps[place].operands[side] = (double)value;
    gaps[place].is_pending = 1;
}

void clreduce_operand_is_real(unsigned place, int side, float value);
void clreduce_operand_is_real(unsigned place, int side, float value)
{
    gaps[place].operands[side] = (double)value;
    gaps[place].is_pending = 1;
}

static void see_gap(struct Gap *gap)
{
    if (!gap->is_pending)
        return;
    gap->is_pending = 0;
    double now = gap->operands[0] - gap->operands[1], nearest = gap->nearest[0] - gap->nearest[1];
    if (!gap->is_known || now * now < nearest * nearest) {
        memcpy(gap->nearest, gap->operands, sizeof gap->nearest);
        find_sources(&gap->sources, gap->operands, 2);
        gap->is_known = 1;
    }
}

// The place of a condition that is false; that of one that is true comes next.
int clreduce_sees(unsigned place, int value);
int clreduce_sees(unsigned place, int value)
{
    see_gap(&gaps[place]);
    clreduce_reaches(place + (unsigned)value);
    return value;
}

// One of several conditions of a decision.
int clreduce_considers(unsigned place, unsigned decision, unsigned number, int value);
int clreduce_considers(unsigned place, unsigned decision, unsigned number, int value)
{
    current->evaluated[decision] |= 1u << number;
    current->values[decision] |= (unsigned)value << number;
    return clreduce_sees(place, value);
}

int clreduce_decides(unsigned place, unsigned decision, int value);
int clreduce_decides(unsigned place, unsigned decision, int value)
{
    struct Vectors *seen = &vectors[decision];
    struct Vector vector = {current->evaluated[decision], current->values[decision], value};
    current->evaluated[decision] = current->values[decision] = 0;
    int i = 0;
    while (i < seen->count && memcmp(&seen->of[i], &vector, sizeof vector))
        i++;
    if (i == seen->count && i < MOST_VECTORS)
        seen->of[seen->count++] = vector;
    return clreduce_sees(place, value);
}

// `iterations` has one more than there were, and 0 for a loop that is not entered.
void clreduce_loop_ends(unsigned loop);
void clreduce_loop_ends(unsigned loop)
{
    uint32_t *iterations = &current->iterations[loop];
    if (*iterations)
        clreduce_reaches(3 * loop + (*iterations > 3 ? 3 : *iterations) - 1);
    *iterations = 0;
}

void clreduce_loop_begins(unsigned loop);
void clreduce_loop_begins(unsigned loop)
{
    // It was left by a jump.
    clreduce_loop_ends(loop);
    current->iterations[loop] = 1;
}

void clreduce_loop_goes_on(unsigned loop);
void clreduce_loop_goes_on(unsigned loop) { current->iterations[loop] += current->iterations[loop] < 3; }

static void end_loops(void)
{
    for (uint32_t i = 0; i < loop_count; i++)
        clreduce_loop_ends(i);
}

// Before a barrier, which counts where all work-items of a group pass it.
void clreduce_comes_to_barrier(unsigned place);
void clreduce_comes_to_barrier(unsigned place) { current->barrier = place + 1; }

static void pass_barrier(void)
{
    unsigned barrier = fibres[0].barrier;
    if (barrier)
        places[barrier - 1].times++;
    for (uint64_t i = 0; i < fibre_count; i++) {
        struct Fibre *fibre = &fibres[i];
        if (barrier) {
            places[barrier - 1].items += !fibre->seen[barrier - 1];
            fibre->seen[barrier - 1] = 1;
        }
        fibre->barrier = 0;
    }
}
