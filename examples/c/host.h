// host.h - what the examples in C share: the table, and one way to end if a call fails.
#ifndef MUSTER_EXAMPLES_HOST_H
#define MUSTER_EXAMPLES_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <muster/muster.h>

static const muster_api* m;

/// Prints the whole story of the call that failed: message, steps, fix.
static inline void check(muster_status status, const char* call) {
    muster_error error;
    if (status >= 0) return;
    memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    if (m != NULL && m->last_error(&error) == MUSTER_OK)
        fprintf(stderr, "%s: %.*s\n", call, (int)error.text.size, error.text.data);
    else
        fprintf(stderr, "%s: status %d\n", call, (int)status);
    exit(1);
}
#define CHECK(call) check((call), #call)

/// Zeros a structure and sets its size: every other member then has its default.
#define INIT(structure) (memset(&(structure), 0, sizeof(structure)), (void)((structure).struct_size = sizeof(structure)))

static inline void get_api(void) {
    muster_versions offered;
    INIT(offered);
    if (muster_get_api(MUSTER_API_VERSION, &m, &offered) == MUSTER_OK) return;
    fprintf(stderr, "The library has versions %u to %u of the interface, and this program needs %u.\n",
            (unsigned)offered.oldest, (unsigned)offered.newest, (unsigned)MUSTER_API_VERSION);
    exit(1);
}

static inline muster_program parse(const char* text) {
    muster_wgsl wgsl;
    muster_program program;
    INIT(wgsl);
    wgsl.text = muster_text(text);
    CHECK(m->program_from_wgsl(&wgsl, &program));
    return program;
}

static inline muster_buffer buffer_of(muster_session session, const void* from, uint64_t bytes) {
    muster_buffer_options options;
    muster_buffer buffer;
    INIT(options);
    options.from = from;
    options.bytes = bytes;
    CHECK(m->buffer_create(session, &options, &buffer));
    return buffer;
}

/// An argument by name: a buffer.
static inline muster_argument bound(const char* name, muster_buffer buffer) {
    muster_argument argument;
    INIT(argument);
    argument.name = muster_text(name);
    argument.buffer = buffer;
    return argument;
}

/// A dispatch over so many invocations.
static inline muster_dispatch over(const muster_argument* arguments, size_t count, uint64_t invocations) {
    muster_dispatch dispatch;
    INIT(dispatch);
    dispatch.arguments = arguments;
    dispatch.argument_count = count;
    dispatch.grid = MUSTER_GRID_INVOCATIONS;
    dispatch.axes = 1;
    dispatch.size[0] = invocations;
    return dispatch;
}

#endif
