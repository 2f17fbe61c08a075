/* Reduces a file to what a command still finds interesting.
 *
 *   cc -Icapi/include capi/examples/reduce.c target/release/libclreduce_c.a -lpthread -ldl -lm -o reduce
 *   ./reduce bug.c 'gcc -O2 -c "$FILE" 2>&1 | grep -q "internal compiler error"'
 *
 * FILE is the name of the variant, a file of its own for each call: they come from several threads.
 */
#include "clreduce.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct question {
    const char *folder;
    const char *ending;
    const char *command;
    atomic_ulong asked;
};

static bool is_interesting(const uint8_t *bytes, uintptr_t length, void *context) {
    struct question *question = context;
    char path[4096], line[8192];
    unsigned long number = atomic_fetch_add(&question->asked, 1);
    snprintf(path, sizeof path, "%s/%lu%s", question->folder, number, question->ending);
    snprintf(line, sizeof line, "FILE='%s'; %s", path, question->command);
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool written = fwrite(bytes, 1, length, file) == length;
    written &= fclose(file) == 0;
    bool interesting = written && system(line) == 0;
    remove(path);
    return interesting;
}

int main(int argc, char **argv) {
    static uint8_t bytes[1 << 24];
    char folder[] = "/tmp/reduce-XXXXXX";
    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || !mkdtemp(folder)) {
        fprintf(stderr, "usage: reduce FILE COMMAND\n");
        return 2;
    }
    uintptr_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1];
    const char *dot = strrchr(name, '.');
    struct question question = {folder, dot ? dot : "", argv[2], 0};

    struct clreduce_result result;
    clreduce_options options = {.jobs = 2};
    clreduce_status status =
        clreduce_reduce(name, bytes, length, is_interesting, &question, &options, &result);
    if (result.bytes) {
        fwrite(result.bytes, 1, result.length, stdout);
        fprintf(stderr, "%zu tokens after %llu steps\n", (size_t)result.tokens,
                (unsigned long long)result.steps);
    }
    clreduce_free(&result);
    rmdir(folder);
    return status;
}
