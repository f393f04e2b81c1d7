// A backend for muster in C: compiles a program with the system's C compiler and runs it on the processor. It includes one header,
// links nothing of muster, and keeps no memory: that is the host's. docs/writing-a-backend.md walks through it.
#define _GNU_SOURCE
#include <muster/muster_backend.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef MUSTER_BACKEND_ID
#define MUSTER_BACKEND_ID "c"
#endif

/// An error whose message has a part that is known only now.
static muster_backend_status fail(muster_backend_error* error, muster_backend_status status, const char* fix,
                                  const char* format, ...) {
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return muster_backend_fail(error, status, message, fix);
}

// ---- the device ----

static muster_backend_status describe_device(uint32_t ordinal, muster_backend_device* to, muster_backend_error* error) {
    (void)ordinal, (void)error;
    snprintf(to->name, sizeof to->name, "the processor, by the system's C compiler");
    snprintf(to->driver, sizeof to->driver, "cc");
    to->memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    to->kind = MUSTER_BACKEND_KIND_CPU;
    to->flags |= MUSTER_BACKEND_UNIFIED_MEMORY;
    return MUSTER_BACKEND_OK;
}

// ---- code ----

/// A program that was built: a library with one function, and what a launch needs to know of it.
typedef struct kernel {
    void* library;
    muster_backend_kernel run;
    uint32_t size[3];  // of a workgroup
    int meets;
    size_t stack_bytes;  // of an invocation
} kernel;

static void release(void* device, void* executable) {
    kernel* const built = executable;
    (void)device;
    if (built->library != NULL) dlclose(built->library);
    free(built);
}

static int write_file(const char* path, muster_backend_string text) {
    FILE* const file = fopen(path, "w");
    if (file == NULL) return 0;
    const int is_written = fwrite(text.data, 1, text.size, file) == text.size;
    return (fclose(file) == 0) & is_written;
}

/// The path of a file in a folder of build()'s.
static const char* path_in(const char* folder, const char* file, char path[4200]) {
    snprintf(path, 4200, "%s/%s", folder, file);
    return path;
}

/// Runs the compiler, without a shell. What it says goes to the file "said".
static int compile(const char* folder, const char* language, const char* standard) {
    char from[4200], to[4200], said[4200];
    char* const arguments[] = {"cc", "-x", (char*)language, (char*)standard, "-O2", "-w", "-ffp-contract=off", "-fno-math-errno",
                               "-fPIC", "-shared", "-o", (char*)path_in(folder, "kernel.so", to),
                               (char*)path_in(folder, "kernel.c", from), "-lm", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, path_in(folder, "said", said), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int is_started = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return is_started && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 127;
}

/// Compiles the code in `folder` and opens the library.
static muster_backend_status build_in(const char* folder, const muster_backend_code* code, kernel* to,
                                      muster_backend_error* error) {
    char path[4200];
    if (!write_file(path_in(folder, "kernel.c", path), code->text))
        return fail(error, MUSTER_BACKEND_IO_FAILED, "free some space, or set TMPDIR", "The file %s can't be written.", path);
    const int is_cxx = code->form == MUSTER_BACKEND_CXX;
    const int ended = compile(folder, is_cxx ? "c++" : "c", is_cxx ? "-std=c++17" : "-std=gnu99");
    if (ended == 127)
        return fail(error, MUSTER_BACKEND_UNAVAILABLE, "install a C compiler", "There is no C compiler called cc.");
    if (ended != 0) {
        char said[1024] = "";
        FILE* const file = fopen(path_in(folder, "said", path), "r");
        if (file != NULL) {
            said[fread(said, 1, sizeof said - 1, file)] = '\0';
            fclose(file);
        }
        return fail(error, MUSTER_BACKEND_COMPILE_FAILED, "report this with the program", "cc ends with %d: %s", ended, said);
    }
    to->library = dlopen(path_in(folder, "kernel.so", path), RTLD_NOW | RTLD_LOCAL);
    if (to->library == NULL)
        return fail(error, MUSTER_BACKEND_UNAVAILABLE, "set TMPDIR to a folder that libraries can be opened from",
                    "The library that cc made can't be opened: %s.", dlerror());
    *(void**)&to->run = dlsym(to->library, code->entry.data);
    if (to->run == NULL)
        return fail(error, MUSTER_BACKEND_INTERNAL, "report this", "The library has no function %s.", code->entry.data);
    return MUSTER_BACKEND_OK;
}

static muster_backend_status build(void* device, const muster_backend_code* code, void** executable,
                                   muster_backend_error* error) {
    const char* const temporary = getenv("TMPDIR");
    char folder[4100];
    snprintf(folder, sizeof folder, "%s/muster-c-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    if (strlen(folder) + 1 >= sizeof folder || mkdtemp(folder) == NULL)
        return fail(error, MUSTER_BACKEND_IO_FAILED, "set TMPDIR to a folder for temporary files",
                    "The folder %s can't be made.", folder);
    kernel* const made = calloc(1, sizeof *made);
    muster_backend_status status =
        made == NULL ? fail(error, MUSTER_BACKEND_OUT_OF_MEMORY, "end other programs", "There is no memory for a kernel.")
                     : build_in(folder, code, made, error);
    if (status == MUSTER_BACKEND_OK) {
        memcpy(made->size, code->workgroup_size, sizeof made->size);
        made->meets = (code->flags & MUSTER_BACKEND_MEETS) != 0;
        // Values that the compiler keeps aren't counted, and may be as many.
        made->stack_bytes = (size_t)(2 * code->private_bytes + 65536) & ~(size_t)15;
        *executable = made;
    } else if (made != NULL) {
        release(device, made);
    }
    static const char* const files[] = {"kernel.c", "kernel.so", "said"};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {  // an open library needs its file no more
        char path[4200];
        unlink(path_in(folder, files[i], path));
    }
    rmdir(folder);
    return status;
}

// ---- launches ----

/// An invocation of a workgroup that meets: it runs on a stack of its own until all have to meet.
typedef struct invocation {
    ucontext_t context;
    struct workgroup* group;
    uint32_t ids[3][3];
    int has_ended;
} invocation;

typedef struct workgroup {
    const kernel* built;
    const muster_backend_launch* what;
    ucontext_t back;  // where run_together() goes on
    invocation* now;  // the one that runs
} workgroup;

static void meet(void* self) {
    invocation* const one = self;
    swapcontext(&one->context, &one->group->back);
}

/// The beginning of an invocation's stack. makecontext() passes int alone, so the two halves of a pointer.
static void begin(unsigned high, unsigned low) {
    invocation* const one = (invocation*)(((uintptr_t)high << 16 << 16) | low);
    const muster_backend_launch* const what = one->group->what;
    one->group->built->run(what->addresses, what->lengths, (const uint32_t(*)[3])one->ids, meet, one);
    one->has_ended = 1;  // and goes on at `back`
}

/// Lets each invocation in turn run to where it meets the others, until all have ended.
static void run_together(workgroup* group, invocation* all, char* stacks, uint32_t count) {
    const size_t bytes = group->built->stack_bytes;
    for (uint32_t i = 0; i < count; ++i) {
        const uintptr_t self = (uintptr_t)&all[i];
        getcontext(&all[i].context);
        all[i].context.uc_stack.ss_sp = stacks + i * bytes;
        all[i].context.uc_stack.ss_size = bytes;
        all[i].context.uc_link = &group->back;
        all[i].has_ended = 0;
        makecontext(&all[i].context, (void (*)(void))begin, 2, (unsigned)(self >> 16 >> 16), (unsigned)self);
    }
    for (uint32_t left = count; left > 0;)
        for (uint32_t i = 0; i < count; ++i) {
            if (all[i].has_ended) continue;
            swapcontext(&group->back, &all[i].context);
            if (all[i].has_ended) --left;
        }
}

static void set_ids(uint32_t ids[3][3], const kernel* built, uint32_t local, const uint32_t group[3], const uint32_t grid[3]) {
    const uint32_t x = built->size[0], y = built->size[1];
    const uint32_t own[3] = {local % x, local / x % y, local / x / y};
    memcpy(ids[0], own, sizeof own);
    memcpy(ids[1], group, sizeof own);
    memcpy(ids[2], grid, sizeof own);
}

static void run_workgroup(workgroup* group, invocation* all, char* stacks, uint32_t count, const uint32_t id[3]) {
    const muster_backend_launch* const what = group->what;
    if (group->built->meets) {
        for (uint32_t i = 0; i < count; ++i) {
            all[i].group = group;
            set_ids(all[i].ids, group->built, i, id, what->grid);
        }
        run_together(group, all, stacks, count);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t ids[3][3];
        set_ids(ids, group->built, i, id, what->grid);
        group->built->run(what->addresses, what->lengths, (const uint32_t(*)[3])ids, meet, NULL);
    }
}

static muster_backend_status launch(void* device, const muster_backend_launch* what, void** submission,
                                    muster_backend_error* error) {
    workgroup group = {.built = what->executable, .what = what};
    const uint32_t count = group.built->size[0] * group.built->size[1] * group.built->size[2];
    invocation* const all = group.built->meets ? calloc(count, sizeof *all) : NULL;
    char* const stacks = group.built->meets ? malloc(count * group.built->stack_bytes) : NULL;
    muster_backend_status status = MUSTER_BACKEND_OK;
    (void)device, (void)submission;
    if (group.built->meets && (all == NULL || stacks == NULL)) {
        status = fail(error, MUSTER_BACKEND_OUT_OF_MEMORY, "use smaller workgroups",
                      "There is no memory for the stacks of %u invocations.", count);
    } else {
        uint32_t id[3];
        for (id[2] = what->origin[2]; id[2] < what->origin[2] + what->extent[2]; ++id[2])
            for (id[1] = what->origin[1]; id[1] < what->origin[1] + what->extent[1]; ++id[1])
                for (id[0] = what->origin[0]; id[0] < what->origin[0] + what->extent[0]; ++id[0])
                    run_workgroup(&group, all, stacks, count, id);
    }
    free(stacks);
    free(all);
    return status;
}

// ---- the table and the records ----

#ifndef BACKEND_C_FORMS
#define BACKEND_C_FORMS MUSTER_BACKEND_GNU99
#endif
static const muster_backend_table table = {.struct_size = sizeof(muster_backend_table),
                                           .version = MUSTER_BACKEND_VERSION,
                                           .forms = BACKEND_C_FORMS,
                                           .describe_device = describe_device,
                                           .build = build,
                                           .release = release,
                                           .launch = launch};

// The tag keeps automatic routing from choosing it where another backend is: it runs what names it.
MUSTER_BACKEND_RECORDS(MUSTER_BACKEND_ID, 600, 1, "experimental", &table)
