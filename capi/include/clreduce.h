#ifndef CLREDUCE_H
#define CLREDUCE_H

/* Made from capi/src/lib.rs: BLESS=1 cargo test -p clreduce-capi */

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * How a reduction ended.
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
   * The callback does not find the original interesting.
   */
  CLREDUCE_NOT_INTERESTING = 2,
  /**
   * The callback says now this, now that.
   */
  CLREDUCE_FLAKY = 3,
  /**
   * An argument is wrong: a null pointer, a name that is no plain file name in UTF-8.
   */
  CLREDUCE_INVALID = 4,
  /**
   * The system refused, or clreduce failed.
   */
  CLREDUCE_FAILED = 5,
} clreduce_status;

/**
 * Judges a variant: whether it still shows what is looked for. The bytes are valid during the call. It is
 * called from several threads at once unless `jobs` is 1, and must give the same answer to the same bytes.
 */
typedef bool (*clreduce_test)(const uint8_t *bytes, uintptr_t length, void *context);

/**
 * What a reduction may use. All zeroes is a good choice.
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
} clreduce_options;

/**
 * What a reduction came to.
 */
typedef struct clreduce_result {
  /**
   * The smallest interesting program found, to be given back with `clreduce_free`; null without one.
   */
  uint8_t *bytes;
  /**
   * Its length in bytes.
   */
  uintptr_t length;
  /**
   * Its size in tokens.
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
} clreduce_result;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Reduces a program and returns how that ended. Blocks until it is over.
 *
 * `name` is the program's file name, from which its language is told ("bug.c", "bug.cl", "bug.cu").
 * `options` may be null. With `CLREDUCE_MINIMAL` and `CLREDUCE_LIMIT`, `result` holds the reduced program.
 * Several threads may reduce at the same time.
 *
 * # Safety
 * `name` is a string that ends with a zero byte; `bytes` points to `length` bytes; `options` is null or
 * points to options; `result` points to a place for a result; `test` may be called with `context` from
 * several threads at once until this function returns, and does not unwind.
 */
enum clreduce_status clreduce_reduce(const char *name,
                                     const uint8_t *bytes,
                                     uintptr_t length,
                                     clreduce_test test,
                                     void *context,
                                     const struct clreduce_options *options,
                                     struct clreduce_result *result);

/**
 * Gives the program of a result back. Does nothing for one without.
 *
 * # Safety
 * `result` is null or points to a result of `clreduce_reduce`, or to one that was given back.
 */
void clreduce_free(struct clreduce_result *result);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CLREDUCE_H */
