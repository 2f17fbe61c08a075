/* The functions of the made-up NVRTC that a host program calls, with the names and types of the real one. */
#include <stddef.h>

typedef int nvrtcResult;
typedef struct program *nvrtcProgram;

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int count, const char *const *headers,
    const char *const *included);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *name);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *name, const char **lowered);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code);
