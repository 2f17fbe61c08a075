/* A library that is loaded into a program and makes it a fork server.
 *
 * When a compiler first reads from standard input, everything is done that is the same for all inputs: loading, the
 * command line, the tables of the target. There it stops. For each order it forks, and the child goes on with the file
 * `input` as its standard input, `output` as its standard output and `messages` as its standard error. An order is the
 * memory in bytes that the child may use, 0 for any, and the reply is the status of its end as of waitpid(2). The
 * program sends one more reply at the beginning, when it first reads. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Numbers that no program uses; both are closed in programs that it starts. */
enum { ORDERS = 200, REPLIES = 201 };

/* Its entry in LD_PRELOAD, and the value of LD_BIND_NOW if that was not set before: fork_server.rs sets both. */
static const char own_entry[] = "./fork_server.so", own_binding[] = "fork-server";

static ssize_t (*next_read)(int, void *, size_t);
static pid_t server;

/* Before the program itself begins. */
__attribute__((constructor)) static void prepare(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    next_read = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    dup3(STDIN_FILENO, ORDERS, O_CLOEXEC);
    dup3(STDOUT_FILENO, REPLIES, O_CLOEXEC);
}

/* Ends a child without the destructors of the program, which touch all of its memory for nothing. */
static void leave(int status, void *nothing) {
    (void)nothing;
    fflush(NULL);
    _exit(status);
}

static void redirect(const char *file, int flags, int to) {
    int from = open(file, flags | O_CLOEXEC, 0600);
    if (from < 0 || dup2(from, to) < 0) _exit(127);
    close(from);
}

/* What the child starts must not become a fork server. */
static void restore_environment(void) {
    char *preloaded = getenv("LD_PRELOAD");
    char *own = preloaded ? strstr(preloaded, own_entry) : NULL;
    if (own) {
        const char *others = own + strlen(own_entry);
        if (*others == ':') others++;
        memmove(own, others, strlen(others) + 1);
        if (!*preloaded) unsetenv("LD_PRELOAD");
    }
    const char *binding = getenv("LD_BIND_NOW");
    if (binding && strcmp(binding, own_binding) == 0) unsetenv("LD_BIND_NOW");
}

static void begin(uint64_t memory) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* The server may have ended before that. */
    if (getppid() != server) _exit(127);
    restore_environment();
    redirect("input", O_RDONLY, STDIN_FILENO);
    redirect("output", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect("messages", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    close(ORDERS);
    close(REPLIES);
    struct rlimit limit = {memory, memory};
    if (memory) setrlimit(RLIMIT_DATA, &limit);
    on_exit(leave, NULL);
}

static void reply(int32_t status) {
    if (write(REPLIES, &status, sizeof status) != sizeof status) _exit(0);
}

/* Returns in the children alone. */
static void serve(void) {
    server = getpid();
    reply(0);
    for (;;) {
        uint64_t memory;
        if (next_read(ORDERS, &memory, sizeof memory) != sizeof memory) _exit(0);
        pid_t child = fork();
        if (child == 0) {
            begin(memory);
            return;
        }
        int status = -1;
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        reply(status);
    }
}

ssize_t read(int file, void *buffer, size_t size) {
    static int has_forked;
    if (file == STDIN_FILENO && !has_forked) {
        has_forked = 1;
        serve();
    }
    return next_read(file, buffer, size);
}
