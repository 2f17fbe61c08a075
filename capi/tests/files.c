/* Several files, progress, cancelling and messages. Says on standard error what is not as it should be. */
#include "clreduce.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition) \
    do { if (!(condition)) { fprintf(stderr, "line %d: %s\n", __LINE__, #condition); return 1; } } while (0)

/* Interesting is what has a main file that contains `needle`. */
static bool has_needle(const clreduce_file *files, uintptr_t count, void *context) {
    (void)context;
    for (uintptr_t i = 0; i < count; i++) {
        const char *bytes = (const char *)files[i].bytes;
        if (strcmp(files[i].path, "main.c")) continue;
        for (uintptr_t at = 0; at + 6 <= files[i].length; at++)
            if (!memcmp(bytes + at, "needle", 6)) return true;
    }
    return false;
}

/* Cancels its reduction, also from the threads that judge. */
static bool cancels(const clreduce_file *files, uintptr_t count, void *cancellation) {
    clreduce_cancel(cancellation);
    return has_needle(files, count, NULL);
}

struct seen {
    unsigned calls, last_call;
    uintptr_t tokens;
};

static bool on_progress(const clreduce_progress *progress, void *context) {
    struct seen *seen = context;
    seen->calls++;
    seen->tokens = progress->tokens;
    return seen->calls != seen->last_call;
}

static clreduce_file file(const char *path, const char *text) {
    return (clreduce_file){path, (const uint8_t *)text, strlen(text)};
}

int main(void) {
    clreduce_file files[] = {
        file("include/a.h", "int a;\nint b;\n"),
        file("main.c", "#include \"include/a.h\"\nint c;\nint needle(void) { return a + b + c; }\nint d;\n"),
    };
    struct clreduce_result result;
    struct seen seen = {0};
    clreduce_options options = {.jobs = 1, .progress = on_progress, .progress_context = &seen};

    CHECK(clreduce_reduce_files(files, 2, has_needle, NULL, &options, &result) == CLREDUCE_MINIMAL);
    CHECK(result.count == 1 && !strcmp(result.files[0].path, "main.c"));
    CHECK(has_needle(result.files, result.count, NULL) && result.length < 20 && !result.message);
    CHECK(seen.calls == result.steps && seen.tokens == result.tokens);
    clreduce_free(&result);
    clreduce_free(&result);

    seen = (struct seen){.last_call = 3};
    CHECK(clreduce_reduce_files(files, 2, has_needle, NULL, &options, &result) == CLREDUCE_CANCELLED);
    CHECK(seen.calls == 3 && has_needle(result.files, result.count, NULL));
    clreduce_free(&result);

    clreduce_cancellation *cancellation = clreduce_new_cancellation();
    options = (clreduce_options){.cancellation = cancellation};
    CHECK(clreduce_reduce_files(files, 2, cancels, cancellation, &options, &result) == CLREDUCE_CANCELLED);
    CHECK(result.count == 2 && has_needle(result.files, result.count, NULL) && result.steps == 0);
    clreduce_free(&result);
    clreduce_free_cancellation(cancellation);
    clreduce_free_cancellation(NULL);
    clreduce_cancel(NULL);
    options = (clreduce_options){.jobs = 1};

    CHECK(clreduce_reduce_by_command(files, 2, "grep -q needle main.c", &options, &result) == CLREDUCE_MINIMAL);
    CHECK(result.count == 1 && has_needle(result.files, result.count, NULL) && result.length < 20);
    clreduce_free(&result);
    CHECK(clreduce_reduce_by_command(files, 2, NULL, NULL, &result) == CLREDUCE_INVALID);
    clreduce_free(&result);

    CHECK(clreduce_reduce_files(files, 1, has_needle, NULL, NULL, &result) == CLREDUCE_NOT_INTERESTING);
    CHECK(!result.files && strstr(result.message, "not interesting"));
    clreduce_free(&result);

    files[0].path = "../a.h";
    CHECK(clreduce_reduce_files(files, 2, has_needle, NULL, NULL, &result) == CLREDUCE_INVALID);
    CHECK(strstr(result.message, "a.h"));
    clreduce_free(&result);
    CHECK(clreduce_reduce_files(files, 2, NULL, NULL, NULL, &result) == CLREDUCE_INVALID && result.message);
    clreduce_free(&result);
    CHECK(clreduce_reduce_files(files, 2, has_needle, NULL, NULL, NULL) == CLREDUCE_INVALID);
    return 0;
}
