// The host side of a kernel that runs as an ordinary program: arguments, work-items, barriers.
//
//     HOST KERNEL.so LAUNCH DIMENSIONS GX GY GZ LX LY LZ ARGUMENT... [m:OFFSET:BYTES...] [races] [order:ORDER]
//         [i:IMAGE...] [coverage:PLACES:LOOPS:DECISIONS] [steps:MOST] [reaches:BYTES] end:WORD
//
// Groups run one after another, the work-items of a group as fibres that take turns at barriers. An ARGUMENT is
// SPACE:BYTES:FLAGS: g for global memory, whose content is in the file "contents", l for local memory, v for a
// value, which is in that file as well. The flag c has it checked at the end that all of it has a value, o has
// it printed, as "clreduce-output: NUMBER BYTES-IN-HEX". m:OFFSET:BYTES is a variable in local memory. With "races",
// a program under AddressSanitizer looks for data races as well. i:IMAGE says that a buffer is an image; see images.c. ORDER is that of the groups, and of the work-items of
// a group between two barriers: "reverse", or a number, the seed of a random order. MOST is the number of jumps after
// which a group is stopped, where they are counted; with "reaches", of the whole program, and what the kernel reaches in
// each buffer is looked at, up to BYTES. WORD is printed at the end, which no
// kernel that ends the program by itself can do. What is found is printed as lines
// that begin with "clreduce: "; addresses are relative to the kernel's start, innermost call first.
//
// The text of this program is state.c, steps.c, sources.c, coverage.c, reaches.c, accesses.c, types.c, fences.c, together.c, exchanges.c, images.c and runtime.c, one after the other.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define MEMORY_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define ADDRESS_SANITIZER 1
#endif
#endif

// Frames are read as they lie on the stack, whoever wrote them.
#define RAW __attribute__((no_sanitize("memory", "address"), noinline))

enum {
    STACK_BYTES = 8 << 20,
    MAX_BUFFERS = 64,
    MAX_DEPTH = 48,
    MOST_PLACES = 8,
    WARP = 32,
    EXIT_DIVERGENCE = 90,
    EXIT_USAGE = 91,
    EXIT_UNKNOWN = 93,
    EXIT_ENDLESS = 94,
    EXIT_TRAPPED = 95,
    EXIT_OUTSIDE = 96,
};

struct Fibre {
    char *stack;
    // Where it goes on.
    void *top;
    uint64_t local_id[3];
    int ended;
    // The memory that the barrier orders at which it waits.
    unsigned fence;
    // The number of copies by the whole group, and of waits for them, that it has come to.
    uint32_t met;
    // Where it waits for others to give values, or holds what they gave: its team, and the values of all work-items of the
    // team, each at the place of its number in the team. `NONE` where it waits for nobody.
    struct Exchange {
        enum { NONE, OF_GROUP, OF_WARP, OF_SUB_GROUP, OF_SHUFFLE, OF_ACTIVE } of;
        // The lanes that are meant, and those that took no part.
        uint32_t mask, absent;
        // The memory whose accesses it orders.
        unsigned orders;
        uint64_t own;
        uint64_t *all;
    } exchange;
    // All of them have come, and it can go on.
    int has_values;
    // The number of the last synchronisation of threads of its warp in which it took part, and of all of its warp, counted by
    // the first one of the warp; of each lane, the first synchronisation of which it is not known that it came before, in global
    // memory and in local memory. Numbers have 16 bits that count.
    uint32_t synchronised, synchronisations, seen_lanes[2][WARP];
    // Its fences, and the barriers before the last one; of each place of atomic functions, the releases that it has seen.
    uint32_t fences, fence_epoch, seen_releases[MOST_PLACES];
    // The jumps that it has made, where they are counted.
    uint64_t steps;
    // Of coverage: the places that it has been to, the iterations of loops, the conditions of decisions, and the barrier
    // that it has come to.
    unsigned char *seen;
    uint32_t *iterations, *evaluated, *values;
    unsigned barrier;
    // Its last reads from buffers, where they are looked at, and the number of all of them.
    struct Read *reads;
    uint64_t read_count;
    int depth;
    uintptr_t calls[MAX_DEPTH];
#ifdef ADDRESS_SANITIZER
    void *fake_stack;
#endif
};

struct Buffer {
    char space;
    char flags[8];
    uint64_t bytes;
    // Memory of the kernel; `value` is not.
    char *data, *value;
    // The bytes that the kernel reaches.
    uint64_t reached;
};

static unsigned dimensions;
static uint64_t global_size[3], local_size[3], group_id[3];
static struct LocalVariable {
    uint64_t offset, bytes;
} *local_variables;
static int local_variable_count;
static struct Buffer buffers[MAX_BUFFERS];
static int buffer_count;
static struct Fibre *fibres, *current;
static uint64_t fibre_count;
// The number of the group that runs, from 1.
static uint32_t group_number;
static uint64_t group_count;
static int looks_for_races;
// The most bytes of a buffer that a kernel may reach, where that is looked at.
static uint64_t most_reached;
// Two work-items have changed the same place atomically, in an order that nothing decides.
static int atomics_meet;
static void *scheduler;
#ifdef ADDRESS_SANITIZER
static const void *scheduler_stack;
static size_t scheduler_stack_bytes;
#endif

// Called in every work-item; written in OpenCL C after the kernel.
static void (*start)(unsigned launch);
static unsigned launch;
// Where the kernel's code lies.
static uintptr_t kernel_low, kernel_high;
// Where its variables lie that can be written, if it has any.
static uintptr_t data_low, data_high;

const char *__asan_default_options(void);
const char *__msan_default_options(void);
const char *__ubsan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:symbolize=0:detect_stack_use_after_return=0:exitcode=92:allocator_may_return_null=1";
}
// The fast way to walk a stack stops where it leaves the thread's own.
const char *__msan_default_options(void) { return "symbolize=0:exitcode=92:fast_unwind_on_malloc=0"; }
const char *__ubsan_default_options(void) { return "symbolize=0:print_stacktrace=0"; }

// ---- Where a work-item is ----

// The return addresses on the way from a barrier to the work-item's start.
RAW static int calls_of(uintptr_t *calls)
{
    uintptr_t low = (uintptr_t)current->stack, high = low + STACK_BYTES;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    int depth = 0;
    while (depth < MAX_DEPTH && frame >= low && frame + 16 <= high && frame % 8 == 0) {
        uintptr_t *words = (uintptr_t *)frame;
        // What is not the kernel's is the run-time's own.
        if (words[1] >= kernel_low && words[1] < kernel_high)
            calls[depth++] = words[1] - kernel_low;
        if (words[0] <= frame)
            break;
        frame = words[0];
    }
    return depth;
}

RAW static void print_calls(const uintptr_t *calls, int depth)
{
    for (int i = 0; i < depth; i++)
        fprintf(stderr, "%s0x%" PRIxPTR, i ? "," : "", calls[i]);
}
