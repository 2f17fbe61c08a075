/* An OpenCL library that misbehaves when the source text tells it to.
 *
 * The first word of the source decides: build-crash, build-hang, build-fail, run-crash, run-hang,
 * run-fail, flood, print, exit, damage. After "damage", and after it alone, every kernel to come in
 * the same process gets a wrong result and every build fails. A source without such a word is
 * "compiled" by knowing two kernels: the one that clreduce examines its workers with, and otherwise
 * one that writes 1, 2, 3, ... into its buffers. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef intptr_t object;
enum { PLATFORM = 16, DEVICE = 32, CONTEXT = 48, QUEUE = 64, PROGRAM = 80, KERNEL = 96 };

static char *source;
static int damaged;
static struct memory {
    size_t size;
    unsigned char *content;
} *argument;

static void lower_hand(const char *word) {
    fprintf(stderr, "fake driver: %s\n", word);
    fflush(stderr);
}

static int source_is(const char *word) { return strncmp(source, word, strlen(word)) == 0; }

static int answer(const void *value, size_t length, size_t room, void *to, size_t *needed) {
    if (needed)
        *needed = length;
    if (to && room >= length)
        memcpy(to, value, length);
    return 0;
}

int32_t clGetPlatformIDs(uint32_t room, object *to, uint32_t *count) {
    if (count)
        *count = 1;
    if (to && room)
        *to = PLATFORM;
    return 0;
}

int32_t clGetPlatformInfo(object p, uint32_t what, size_t room, void *to, size_t *needed) {
    const char *name = what == 0x0902 ? "Fake platform" : "OpenCL 1.2 fake";
    return answer(name, strlen(name) + 1, room, to, needed);
}

int32_t clGetDeviceIDs(object p, uint64_t type, uint32_t room, object *to, uint32_t *count) {
    if (count)
        *count = 1;
    if (to && room)
        *to = DEVICE;
    return 0;
}

int32_t clGetDeviceInfo(object d, uint32_t what, size_t room, void *to, size_t *needed) {
    uint64_t number = 8;
    if (what >= 0x102b && what <= 0x102f)
        return answer("fake", 5, room, to, needed);
    return answer(&number, sizeof number, room, to, needed);
}

object clCreateContext(void *p, uint32_t n, void *d, void *f, void *u, int32_t *code) {
    *code = 0;
    return CONTEXT;
}

object clCreateCommandQueue(object c, object d, uint64_t p, int32_t *code) {
    *code = 0;
    return QUEUE;
}

object clCreateProgramWithSource(object c, uint32_t n, const char **texts, const size_t *lengths,
                                 int32_t *code) {
    free(source);
    source = calloc(1, lengths[0] + 1);
    memcpy(source, texts[0], lengths[0]);
    *code = 0;
    return PROGRAM;
}

int32_t clBuildProgram(object p, uint32_t n, void *d, const char *options, void *f, void *u) {
    if (source_is("build-crash")) {
        lower_hand("assertion `never' failed");
        *(volatile int *)0 = 0;
    }
    if (source_is("build-hang"))
        for (;;)
            pause();
    if (source_is("exit"))
        exit(3);
    if (source_is("print")) {
        printf("this goes to standard output\n");
        fflush(stdout);
    }
    while (source_is("flood"))
        for (int i = 0; i < 1000; i++)
            fputs("a line that is printed again and again and again\n", stderr);
    return damaged || source_is("build-fail") ? -11 : 0;
}

int32_t clGetProgramBuildInfo(object p, object d, uint32_t w, size_t room, void *to, size_t *needed) {
    return answer("fake log", 9, room, to, needed);
}

object clCreateKernel(object p, const char *name, int32_t *code) {
    *code = 0;
    return KERNEL;
}

int32_t clGetKernelInfo(object k, uint32_t what, size_t room, void *to, size_t *needed) {
    uint32_t one = 1;
    return answer(&one, sizeof one, room, to, needed);
}

object clCreateBuffer(object c, uint64_t flags, size_t size, void *content, int32_t *code) {
    struct memory *memory = malloc(sizeof *memory);
    memory->size = size;
    memory->content = malloc(size);
    memcpy(memory->content, content, size);
    *code = 0;
    return (object)memory;
}

int32_t clSetKernelArg(object k, uint32_t index, size_t size, const void *value) {
    memcpy(&argument, value, sizeof argument);
    return 0;
}

int32_t clEnqueueNDRangeKernel(object q, object k, uint32_t n, void *o, void *g, void *l, uint32_t c,
                               void *w, void *e) {
    if (source_is("run-crash"))
        abort();
    if (source_is("run-hang"))
        for (;;)
            pause();
    if (source_is("run-fail"))
        return -5;
    if (source_is("damage"))
        damaged = 1;
    uint32_t *out = (uint32_t *)argument->content;
    const char *factor = strstr(source, "i * ");
    for (uint32_t x = 0; x < argument->size / 4; x++) {
        out[x] = x + 1;
        if (factor) {
            out[x] = 0;
            for (uint32_t i = 0; i <= x; i++)
                out[x] += (i * (uint32_t)strtoul(factor + 4, NULL, 10)) ^ x;
        }
        if (damaged)
            out[x] ^= 0x55;
    }
    return 0;
}

int32_t clEnqueueReadBuffer(object q, struct memory *m, uint32_t b, size_t o, size_t size, void *to,
                            uint32_t c, void *w, void *e) {
    memcpy(to, m->content, size);
    return 0;
}

int32_t clFinish(object q) { return 0; }
int32_t clReleaseContext(object o) { return 0; }
int32_t clReleaseCommandQueue(object o) { return 0; }
int32_t clReleaseProgram(object o) { return 0; }
int32_t clReleaseKernel(object o) { return 0; }

int32_t clReleaseMemObject(struct memory *memory) {
    free(memory->content);
    free(memory);
    return 0;
}

/* It has no images. */
object clCreateImage(object c, uint64_t flags, const void *format, const void *shape, void *content,
                     int32_t *code) {
    *code = -59;
    return 0;
}

int32_t clEnqueueReadImage(object q, struct memory *m, uint32_t b, const size_t *from, const size_t *size,
                           size_t row, size_t slice, void *to, uint32_t c, void *w, void *e) {
    return -59;
}

object clCreateSampler(object c, uint32_t normalized, uint32_t addressing, uint32_t filter,
                       int32_t *code) {
    *code = -59;
    return 0;
}

int32_t clReleaseSampler(object sampler) { return 0; }
