/* A CUDA driver and NVRTC in one library, whose device is this process.
 *
 * "Compiling" keeps the source text, whose first word decides: build-fail, build-crash, run-fail. A launch writes
 * to its first argument, for every thread, the sum of its number, of what is there and of the second argument,
 * which is an `int`. The kernel that workers are examined with is known by its factor. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fake_source;
#define source fake_source
int fake_failed;
#define failed fake_failed

static int source_is(const char *word) { return source && strncmp(source, word, strlen(word)) == 0; }

int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int *version) { return *version = 13000, 0; }
int cuDeviceGetCount(int *count) { return *count = 1, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = 7, 0; }
int cuDeviceGetName(char *name, int room, int device) { return snprintf(name, room, "Fake GPU"), 0; }
int cuDeviceTotalMem_v2(size_t *bytes, int device) { return *bytes = 1 << 20, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 64;
    return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { return *context = &failed, 0; }
int cuCtxSetCurrent(void *context) { return context != &failed; }
int cuCtxSynchronize(void) { return failed ? 700 : 0; }
int cuModuleLoadDataEx(void **module, const void *code, unsigned count, int *options, void **values)
{
    if (count != 2 || options[0] != 5 || options[1] != 6 || strncmp(code, "code of", 7))
        return 1;
    return *module = &source, 0;
}
int cuModuleLoadData(void **module, const void *code)
{
    /* Code from a file is its own source. */
    source = source ? source : strdup(code);
    return *module = &source, strncmp(code, "code of", 7) ? 1 : 0;
}
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    return *function = &failed, strncmp(name, "lowered_", 8) ? 500 : 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) { return *address = (uintptr_t)malloc(bytes), 0; }
int cuMemFree_v2(uint64_t address) { return free((void *)address), 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { return memcpy((void *)to, from, bytes), 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { return memcpy(to, (void *)from, bytes), 0; }
int cuLaunchKernel(void *function, unsigned bx, unsigned by, unsigned bz, unsigned tx, unsigned ty, unsigned tz,
    unsigned shared, void *stream, void **arguments, void **extra)
{
    unsigned *out = *(unsigned **)arguments[0];
    const char *factor = strstr(source, "sum += i * ");
    failed |= source_is("run-fail");
    for (unsigned at = 0; at < bx * tx && !failed; at++) {
        if (!factor) {
            out[at] += at + *(int *)arguments[1];
            continue;
        }
        out[at] = 0;
        for (unsigned i = 0; i <= at; i++)
            out[at] += i * (unsigned)strtoul(factor + 11, NULL, 10) ^ at;
    }
    return 0;
}
int cuGetErrorName(int error, const char **name) { return *name = error == 700 ? "FAKE_ILLEGAL_ADDRESS" : "FAKE", 0; }

int nvrtcVersion(int *major, int *minor) { return *major = 13, *minor = 1, 0; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int count, const void *h, const void *i)
{
    free((void *)source);
    source = strdup(text);
    return *program = &source, 0;
}
int nvrtcDestroyProgram(void **program) { return 0; }
int nvrtcAddNameExpression(void *program, const char *name) { return 0; }
int nvrtcGetLoweredName(void *program, const char *name, const char **lowered)
{
    static char room[99];
    snprintf(room, sizeof room, "lowered_%s", name);
    return *lowered = room, 0;
}
int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    if (source_is("build-crash"))
        abort();
    if (count < 1 || strcmp(options[count - 1], "--gpu-architecture=sm_90"))
        return 5;
    return source_is("build-fail") ? 6 : 0;
}
int nvrtcGetProgramLogSize(void *program, size_t *bytes) { return *bytes = 10, 0; }
int nvrtcGetProgramLog(void *program, char *log) { return strcpy(log, "error: no"), 0; }
int nvrtcGetCUBINSize(void *program, size_t *bytes) { return *bytes = 8, 0; }
int nvrtcGetCUBIN(void *program, char *code) { return memcpy(code, "code of", 8), 0; }
