#ifndef CLREDUCE_H
#define CLREDUCE_H

/* Made from capi/src/lib.rs: BLESS=1 cargo test -p clreduce-capi */

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * The end of a reduction.
 */
typedef enum clreduce_status {
  /**
   * Nothing that was proposed is left to try.
   */
  CLREDUCE_MINIMAL = 0,
  /**
   * A limit was reached; the result is the best so far.
   */
  CLREDUCE_LIMIT = 1,
  /**
   * The test does not find the original interesting.
   */
  CLREDUCE_NOT_INTERESTING = 2,
  /**
   * The test says now this, now that.
   */
  CLREDUCE_FLAKY = 3,
  /**
   * An argument is wrong: a null pointer, a name that is no plain file name in UTF-8.
   */
  CLREDUCE_INVALID = 4,
  /**
   * The system refused, or clreduce failed; the message of the result says why.
   */
  CLREDUCE_FAILED = 5,
  /**
   * The progress callback or a cancellation ended the reduction; the result is the best so far.
   */
  CLREDUCE_CANCELLED = 6,
} clreduce_status;

/**
 * Ends a reduction from any thread, also while a test runs. For one reduction only. To be given back with
 * `clreduce_free_cancellation`.
 */
typedef struct clreduce_cancellation clreduce_cancellation;

/**
 * Judges a variant: whether it still shows what is looked for. The bytes are valid during the call. It is
 * called from several threads at once unless `jobs` is 1, and must give the same answer to the same bytes.
 */
typedef bool (*clreduce_test)(const uint8_t *bytes, uintptr_t length, void *context);

/**
 * The progress of a reduction.
 */
typedef struct clreduce_progress {
  /**
   * Steps so far.
   */
  uint64_t steps;
  /**
   * Calls of the callback so far.
   */
  uint64_t tests;
  /**
   * Tokens of the smallest interesting program so far.
   */
  uintptr_t tokens;
  /**
   * Its bytes.
   */
  uintptr_t bytes;
} clreduce_progress;

/**
 * Is told after every step how far the reduction has come, on the thread that started it. Returns true to go on, false
 * to end the reduction with the best result so far.
 */
typedef bool (*clreduce_progress_callback)(const struct clreduce_progress *progress, void *context);

/**
 * The options of a reduction. All zeroes is a good choice.
 */
typedef struct clreduce_options {
  /**
   * Calls of the callback at the same time; 0 is one for each core. The result is the same for all.
   */
  uint32_t jobs;
  /**
   * Most steps, which are verdicts that the reducer takes; 0 is no limit.
   */
  uint64_t max_steps;
  /**
   * Longest time in seconds; 0 is no limit. With one, the result depends on time.
   */
  uint32_t time_limit_seconds;
  /**
   * Called after every step; may be null.
   */
  clreduce_progress_callback progress;
  /**
   * Given to `progress`.
   */
  void *progress_context;
  /**
   * Ends the reduction when another thread says so; may be null.
   */
  const struct clreduce_cancellation *cancellation;
} clreduce_options;

/**
 * A file of a program.
 */
typedef struct clreduce_file {
  /**
   * Its path, relative and with slashes, which tells its language ("bug.c", "include/a.h", "bug.cl", "bug.cu").
   */
  const char *path;
  /**
   * Its content.
   */
  const uint8_t *bytes;
  /**
   * Its length in bytes.
   */
  uintptr_t length;
} clreduce_file;

/**
 * The result of a reduction. To be given back with `clreduce_free`.
 */
typedef struct clreduce_result {
  /**
   * The files of the smallest interesting program found, by their paths; null without one.
   */
  const struct clreduce_file *files;
  /**
   * Their number.
   */
  uintptr_t count;
  /**
   * The content of the first of them.
   */
  const uint8_t *bytes;
  /**
   * Its length in bytes.
   */
  uintptr_t length;
  /**
   * The size of the program in tokens.
   */
  uintptr_t tokens;
  /**
   * Steps: verdicts that the reducer took.
   */
  uint64_t steps;
  /**
   * Calls of the callback, those included that turned out not to be needed.
   */
  uint64_t tests;
  /**
   * Why there is no program, in English; null if there is one.
   */
  const char *message;
} clreduce_result;

/**
 * Judges a variant of several files, like `clreduce_test`. A file that was removed is missing.
 */
typedef bool (*clreduce_files_test)(const struct clreduce_file *files, uintptr_t count, void *context);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Reduces a program of one file and returns how that ended. Blocks until it is over.
 *
 * `name` is the program's file name, from which its language is told ("bug.c", "bug.cl", "bug.cu").
 * `options` may be null. With `CLREDUCE_MINIMAL`, `CLREDUCE_LIMIT` and `CLREDUCE_CANCELLED`, `result` holds the reduced
 * program, otherwise a message. Several threads may reduce at the same time.
 *
 * # Safety
 * `name` is a string that ends with a zero byte; `bytes` points to `length` bytes; `options` is null or
 * points to options, whose cancellation is null or was not given back; `result` points to a place for a
 * result; `test` may be called with `context` from several threads at once until this function returns, and
 * neither it nor `progress` unwinds.
 */
enum clreduce_status clreduce_reduce(const char *name,
                                     const uint8_t *bytes,
                                     uintptr_t length,
                                     clreduce_test test,
                                     void *context,
                                     const struct clreduce_options *options,
                                     struct clreduce_result *result);

/**
 * Reduces a program of several files, like `clreduce_reduce`. Files may be removed as a whole.
 *
 * # Safety
 * As for `clreduce_reduce`; `files` points to `count` files, each with a path that ends with a zero byte and with
 * bytes of its length.
 */
enum clreduce_status clreduce_reduce_files(const struct clreduce_file *files,
                                           uintptr_t count,
                                           clreduce_files_test test,
                                           void *context,
                                           const struct clreduce_options *options,
                                           struct clreduce_result *result);

/**
 * Reduces a program of several files with a shell command as the test, as the program `clreduce` does: it runs in a folder
 * of its own with the files in it, and a variant is interesting if it ends with status 0.
 *
 * # Safety
 * As for `clreduce_reduce_files`; `command` is null or a string that ends with a zero byte.
 */
enum clreduce_status clreduce_reduce_by_command(const struct clreduce_file *files,
                                                uintptr_t count,
                                                const char *command,
                                                const struct clreduce_options *options,
                                                struct clreduce_result *result);

/**
 * Gives the program and the message of a result back. Does nothing for one without.
 *
 * # Safety
 * `result` is null or points to a result of `clreduce_reduce`, or to one that was given back.
 */
void clreduce_free(struct clreduce_result *result);

/**
 * A new cancellation, for the options of a reduction.
 */
struct clreduce_cancellation *clreduce_new_cancellation(void);

/**
 * Ends the reduction, which returns the best result so far. Commands that judge are killed; calls of a callback are waited
 * for. Does nothing if it has ended.
 *
 * # Safety
 * `cancellation` comes from `clreduce_new_cancellation` and was not given back, or is null.
 */
void clreduce_cancel(const struct clreduce_cancellation *cancellation);

/**
 * Gives a cancellation back. Its reduction must have returned.
 *
 * # Safety
 * As for `clreduce_cancel`; nobody uses it afterwards.
 */
void clreduce_free_cancellation(struct clreduce_cancellation *cancellation);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLREDUCE_H */
