// muster_backend.h - a backend for muster in C, or in any language that can lay out C's structures: a table of functions,
// and records that lead to it. docs/writing-a-backend.md walks through one.
//
//     static muster_backend_status build(void* device, const muster_backend_code* code, void** executable,
//                                        muster_backend_error* error) { ... }
//     static muster_backend_status launch(void* device, const muster_backend_launch* what, void** submission,
//                                         muster_backend_error* error) { ... }
//     static const muster_backend_table table = {
//         sizeof(muster_backend_table), MUSTER_BACKEND_VERSION, MUSTER_BACKEND_GNU99, 0, 0, 0, 0, 0, 0, build, 0, ...};
//     MUSTER_BACKEND_RECORDS("mine", 500, 1, "experimental", &table)
//
// That is a whole backend: the driver writes the code, keeps the memory, runs launches on a thread, splits grids at grid
// barriers and checks every argument. All other slots have defaults. Nothing of muster has to be linked.
//
// The form `gnu99` is a file for `cc -std=gnu99 -ffp-contract=off`, and `c++` one for `c++ -std=c++17 -ffp-contract=off`. Both
// define one function with C's linkage, a muster_backend_kernel, which runs one invocation. `wgsl` is WGSL.
//
// Rules:
// - Every structure begins with its size, `struct_size`, but the plain values muster_backend_string, muster_backend_option and
//   muster_backend_argument, which never change. Later versions add members behind the last one. What the driver gives to be
//   filled in has room for members of later versions, and holds the defaults: change what differs.
// - Functions return 0, or a negative status and the error's text. Nothing is thrown and no jump crosses.
// - Any function may be called on any thread, several at a time, unless it says otherwise. Launches of one device come one
//   after the other.
// - What a function gets lives until it returns, unless it says otherwise. Strings have lengths; texts are UTF-8.
#ifndef MUSTER_MUSTER_BACKEND_H
#define MUSTER_MUSTER_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the table that this header describes. A driver takes tables of its own version and of those before.
#define MUSTER_BACKEND_VERSION 1
/// What a record of this kind is compiled against: nothing but this interface.
#define MUSTER_BACKEND_ABI "muster-c/1"

/// The result of a call. The driver takes any other negative number for MUSTER_BACKEND_INTERNAL.
typedef int32_t muster_backend_status;
enum {
    MUSTER_BACKEND_OK = 0,
    MUSTER_BACKEND_NONE = 1,               // there is no such target; or the work still runs
    MUSTER_BACKEND_INVALID_ARGUMENT = -1,  // an option's value is wrong
    MUSTER_BACKEND_UNSUPPORTED = -3,       // the device can't do that
    MUSTER_BACKEND_LIMIT_EXCEEDED = -4,    // a number exceeds a limit of the device
    MUSTER_BACKEND_NOT_FOUND = -5,         // there is no such device, or no driver for one: routing goes on quietly
    MUSTER_BACKEND_UNAVAILABLE = -8,       // something that is needed is missing: the program goes elsewhere
    MUSTER_BACKEND_COMPILE_FAILED = -9,    // the compiler rejects the code
    MUSTER_BACKEND_DEVICE_LOST = -11,      // the device is gone: it isn't used again
    MUSTER_BACKEND_OUT_OF_MEMORY = -12,
    MUSTER_BACKEND_IO_FAILED = -14,        // a file can't be read or written
    MUSTER_BACKEND_INTERNAL = -15          // a defect of the backend
};

typedef struct muster_backend_string {
    const char* data;
    size_t size;
} muster_backend_string;

/// A compile spec's name with its value, or with what it means.
typedef struct muster_backend_option {
    muster_backend_string name, value;
} muster_backend_option;

/// An error's text, for the backend to write: each ends with a zero. What doesn't fit is cut off.
typedef struct muster_backend_error {
    uint32_t struct_size;
    uint32_t reserved;
    char message[2048];  // full sentences, with the given value and the limit
    char fix[512];       // what to do next; may be empty
} muster_backend_error;

/// Writes an error's text, and returns `status`.
static inline muster_backend_status muster_backend_fail(muster_backend_error* error, muster_backend_status status,
                                                        const char* message, const char* fix) {
    size_t i = 0;
    for (; message[i] != '\0' && i + 1 < sizeof error->message; ++i) error->message[i] = message[i];
    error->message[i] = '\0';
    for (i = 0; fix[i] != '\0' && i + 1 < sizeof error->fix; ++i) error->fix[i] = fix[i];
    error->fix[i] = '\0';
    return status;
}

/// Forms of code, as bits.
enum {
    MUSTER_BACKEND_GNU99 = 1,
    MUSTER_BACKEND_CXX = 2,
    MUSTER_BACKEND_WGSL = 4
};

/// A kernel of the forms `gnu99` and `c++`: runs one invocation. `memory` and `lengths` are a launch's `addresses` and
/// `lengths`. `ids` has three rows: local_invocation_id, workgroup_id and num_workgroups. Where the kernel calls `meet(self)`,
/// all invocations of the workgroup have to get there before one goes on: run them on threads, or on stacks of their own. Without
/// MUSTER_BACKEND_MEETS among the code's flags it never calls that, and one loop can run them all. Variables in workgroup memory
/// are declared with the macro MUSTER_WORKGROUP, which is `static` unless the compiler gets another definition: one workgroup
/// of a kernel runs at a time. With `static __thread`, each thread can run a workgroup of its own.
typedef void (*muster_backend_kernel)(void* const* memory, const uint32_t* lengths, const uint32_t (*ids)[3],
                                      void (*meet)(void* self), void* self);

enum {
    MUSTER_BACKEND_EMULATED = 1,        // software plays the device: routing takes it last
    MUSTER_BACKEND_UNIFIED_MEMORY = 2,  // it uses the host's memory as its own
    MUSTER_BACKEND_WIDE_ATOMICS = 4     // it has atomics of 64 bits. Default: set for gnu99 and c++
};
enum {
    MUSTER_BACKEND_KIND_OTHER = 0,
    MUSTER_BACKEND_KIND_CPU = 1,
    MUSTER_BACKEND_KIND_INTEGRATED_GPU = 2,
    MUSTER_BACKEND_KIND_DISCRETE_GPU = 3,
    MUSTER_BACKEND_KIND_VIRTUAL_GPU = 4
};
/// Promises of a device's arithmetic. Default: all for gnu99 and c++, as compilers keep them with the options above; none for wgsl.
/// What isn't promised is computed with other operations, but for the first two: without them, exact programs go elsewhere.
enum {
    MUSTER_BACKEND_NEAREST_EVEN = 1,  // f32 rounds to nearest even
    MUSTER_BACKEND_SPECIALS = 2,      // signed zeros, infinities and NaN are kept
    MUSTER_BACKEND_SUBNORMALS = 4,    // subnormals are kept
    MUSTER_BACKEND_DIVISION = 8,      // correctly rounded
    MUSTER_BACKEND_SQUARE_ROOT = 16,  // correctly rounded
    MUSTER_BACKEND_FMA = 32           // one rounding
};
/// Types besides bool, i32, u32 and f32. Default: all for gnu99 and c++, none for wgsl.
enum {
    MUSTER_BACKEND_F16 = 1,
    MUSTER_BACKEND_I8 = 2,
    MUSTER_BACKEND_U8 = 4,
    MUSTER_BACKEND_I16 = 8,
    MUSTER_BACKEND_U16 = 16,
    MUSTER_BACKEND_I64 = 32,
    MUSTER_BACKEND_U64 = 64,
    MUSTER_BACKEND_F64 = 128
};

/// A device, or a target to emit code for. The driver gives it with the defaults filled in. Texts end with a zero.
typedef struct muster_backend_device {
    uint32_t struct_size;
    uint32_t form;      // one of the table's. Default: the first of gnu99, c++, wgsl, for which the other defaults are
    char name[128];     // default: the backend's id
    char arch[64];      // as in a target, "mine:ARCH": letters, digits, '.', '_', '-'. Default: the form's name, cxx for c++
    char driver[128];   // name and version
    char compiler[256]; // what compiled code depends on besides; empty, the default: none is kept on disk
    char lacks[1024];   // operations that it doesn't have, as docs/ir.md names them, separated by spaces
    uint32_t kind;      // default: MUSTER_BACKEND_KIND_OTHER
    uint32_t flags;
    uint32_t promises;
    uint32_t types;
    uint64_t memory_bytes;               // 0: unknown
    uint32_t max_workgroup_size[3];      // default: 1024 each
    uint32_t max_workgroup_invocations;  // default: 1024
    uint32_t max_workgroups[3];          // of one launch; default: 65535 each. The driver cuts larger grids
    uint32_t max_storage_bindings;       // default: 1024
    uint32_t max_uniform_bindings;       // default: 1024
    uint32_t compute_units;              // 0: unknown
    uint64_t max_workgroup_bytes;        // default: 65536
    uint64_t max_storage_binding_bytes;  // default: 2^33 - 4
    uint64_t max_uniform_binding_bytes;  // default: 65536
    uint64_t max_private_bytes;          // of one invocation's variables; default: 65536
} muster_backend_device;

enum { MUSTER_BACKEND_STORAGE = 0, MUSTER_BACKEND_UNIFORM = 1 };
typedef struct muster_backend_binding {
    uint32_t struct_size;
    uint32_t group, binding;
    uint32_t space;         // MUSTER_BACKEND_STORAGE or MUSTER_BACKEND_UNIFORM
    uint32_t is_written;    // 1 if the program writes it
    uint32_t array_stride;  // of its run-time array, in bytes; 0: it has none
    uint64_t array_offset;  // where that array begins
    uint64_t min_bytes;
    muster_backend_string name;
    muster_backend_string type;  // WGSL's: "array<f32>"
} muster_backend_binding;

enum {
    MUSTER_BACKEND_MEETS = 1,  // invocations of a workgroup wait for each other
    MUSTER_BACKEND_FAST = 2    // fast mode: the compiler may contract, and approximate as WGSL lets it
};
/// Code to build.
typedef struct muster_backend_code {
    uint32_t struct_size;
    uint32_t form;
    uint32_t flags;
    uint32_t workgroup_size[3];
    muster_backend_string text;   // ends with a zero, which isn't counted; so does `entry`
    muster_backend_string entry;  // the kernel's name in the text
    const muster_backend_binding* const* bindings;
    size_t binding_count;
    const muster_backend_option* options;  // those of the table's specs that were given
    size_t option_count;
    uint64_t workgroup_bytes;  // of workgroup memory
    uint64_t private_bytes;    // of one invocation's variables; values that the compiler keeps aren't counted
} muster_backend_code;

/// A range of memory, or a value.
typedef struct muster_backend_argument {
    void* memory;       // of allocate(); null: a value, or the host's memory
    uint64_t offset;    // in the memory: a multiple of 256
    uint64_t bytes;
    const void* value;  // `bytes` of it, aligned to 16, which the kernel only reads; null if it isn't a value
} muster_backend_argument;

/// Workgroups to run: workgroup_id goes over [origin, origin + extent), and num_workgroups is `grid`. Arguments are in the order
/// of the code's bindings. All of it lives until the launch has ended.
typedef struct muster_backend_launch {
    uint32_t struct_size;
    uint32_t argument_count;
    void* executable;
    const muster_backend_argument* arguments;
    void* const* addresses;   // of values and of the host's memory, aligned to 16; null of the backend's own memory
    const uint32_t* lengths;  // elements of each argument's run-time array; 0 if it has none
    uint32_t origin[3], extent[3], grid[3];
} muster_backend_launch;

/// The functions of a backend. It never changes and is never freed. `device` is what open() gave.
typedef struct muster_backend_table {
    uint32_t struct_size;
    uint32_t version;  // MUSTER_BACKEND_VERSION
    uint32_t forms;    // those that it takes, as bits; it is asked for code in these forms also where it only emits
    uint32_t flags;    // 0
    const muster_backend_option* specs;  // names of compile specs and what they mean (`muster run --spec NAME=VALUE`)
    size_t spec_count;

    /// Counts the devices; touches no device longer than it has to (3 seconds). Default: there is one. \since 1
    muster_backend_status (*count_devices)(uint32_t* count, muster_backend_error* error);
    /// Describes a device: changes what differs from the defaults. Default: nothing differs. \since 1
    muster_backend_status (*describe_device)(uint32_t ordinal, muster_backend_device* to, muster_backend_error* error);
    /// Opens a device. Default: `device` is null in all calls. \since 1
    muster_backend_status (*open)(uint32_t ordinal, void** device, muster_backend_error* error);
    /// Closes a device, whose executables and memory are released. Default: there is nothing to do. \since 1
    void (*close)(void* device);

    /// Makes code ready to launch. Default: there is none; a backend without build and launch only emits. \since 1
    muster_backend_status (*build)(void* device, const muster_backend_code* code, void** executable,
                                   muster_backend_error* error);
    /// Releases what build() made. Default: there is nothing to do. \since 1
    void (*release)(void* device, void* executable);

    /// Allocates memory that is zero, of any size but 0. Default: the host's memory, which the driver allocates, reads,
    /// writes and copies: then `free`, `write`, `read` and `copy` are null, too. \since 1
    muster_backend_status (*allocate)(void* device, uint64_t bytes, void** memory, muster_backend_error* error);
    /// Frees memory that no launch uses. Default: none, needed beside allocate. \since 1
    void (*free)(void* device, void* memory);
    /// Writes to memory that no launch uses: any range in it, never an empty one. Default: none, needed beside allocate. \since 1
    muster_backend_status (*write)(void* device, void* memory, uint64_t offset, const void* from, uint64_t bytes,
                                   muster_backend_error* error);
    /// Reads as write() writes. Default: none, needed beside allocate. \since 1
    muster_backend_status (*read)(void* device, const void* memory, uint64_t offset, void* to, uint64_t bytes,
                                  muster_backend_error* error);
    /// Copies `bytes` between ranges that don't overlap, or, if `from` is null, fills them with `word`; all numbers are multiples
    /// of 4. It has ended when it returns. Called in order with launches: without wait(), between two of them; with wait(), the
    /// backend waits for those before. Default: the driver launches small kernels that copy and fill. \since 1
    muster_backend_status (*copy)(void* device, void* to, uint64_t to_offset, const void* from, uint64_t from_offset,
                                  uint64_t bytes, uint32_t word, muster_backend_error* error);

    /// Runs workgroups. With wait(), submits them and returns: launches take effect in the order of the calls. Without wait(), it
    /// returns when they have ended, and is called on a thread of the driver's, one launch of a device at a time. Default: none,
    /// needed beside build. \since 1
    muster_backend_status (*launch)(void* device, const muster_backend_launch* what, void** submission,
                                    muster_backend_error* error);
    /// Waits for a launch, up to `timeout_ns`: MUSTER_BACKEND_NONE if it still runs. It isn't called again for a submission that
    /// has ended, well or not. `device_ns`: how long it took, if the device measured that; else left alone. Default: launches have
    /// ended when launch() returns. \since 1
    muster_backend_status (*wait)(void* device, void* submission, uint64_t timeout_ns, uint64_t* device_ns,
                                  muster_backend_error* error);
    /// Stops what runs, if that is possible, without waiting: afterwards the device isn't used, closed or freed. It may be
    /// called while launch() runs. Default: nothing is stopped. \since 1
    void (*abandon)(void* device);

    /// Describes the target of this number to emit code for: its `arch`, limits and the like. MUSTER_BACKEND_NONE behind the
    /// last one. Touches no device. Default: one target, with the defaults of each form. \since 1
    muster_backend_status (*describe_target)(uint32_t number, muster_backend_device* to, muster_backend_error* error);
} muster_backend_table;

// Records, which muster reads from a library's file before it opens it.
typedef struct muster_backend_record {
    char magic[8];
    uint32_t schema, kind, size, reserved;
    char abi[64];
    char origin[64];
} muster_backend_record;
typedef struct muster_backend_registration {
    muster_backend_record header;
    char id[32];
    const muster_backend_table* table;
    const void* reserved;
    char tags[96];
} muster_backend_registration;
typedef struct muster_backend_precedence {
    muster_backend_record header;
    char id[32];
    uint32_t rank, reserved;
} muster_backend_precedence;
typedef struct muster_backend_capability {
    muster_backend_record header;
    char id[32];
    char dispatches, reserved[7];
} muster_backend_capability;

#if defined(__FILE_NAME__)
#define MUSTER_BACKEND_ORIGIN __FILE_NAME__
#else
#define MUSTER_BACKEND_ORIGIN ""
#endif
#define MUSTER_BACKEND_HEADER(kind, type) \
    { {'M', 'U', 'S', 'T', 'E', 'R', 'r', 1}, 1, kind, (uint32_t)sizeof(type), 0, MUSTER_BACKEND_ABI, MUSTER_BACKEND_ORIGIN }

#if defined(__ELF__)
// Sections are kept though nothing refers to them, also where the compiler doesn't know `retain`.
#if defined(__has_attribute)
#if __has_attribute(retain)
#define MUSTER_BACKEND_KEPT used, retain
#endif
#endif
#if !defined(MUSTER_BACKEND_KEPT)
#define MUSTER_BACKEND_KEPT used
#endif
#define MUSTER_BACKEND_SECTION __attribute__((MUSTER_BACKEND_KEPT, aligned(8), section("muster_records")))
#if __SIZEOF_POINTER__ == 8
#define MUSTER_BACKEND_POINTER ".quad "
#else
#define MUSTER_BACKEND_POINTER ".balign 8\n.long "
#endif
// The note that leads to the section, and a mark that names the driver that the module is linked to, if there is one.
#define MUSTER_BACKEND_NOTE                                                \
    __asm__(".weak __start_muster_records\n.hidden __start_muster_records\n" \
            ".weak __stop_muster_records\n.hidden __stop_muster_records\n"   \
            ".ifndef .Lmuster_driver_named\n"                                \
            ".set .Lmuster_driver_named, 1\n"                                \
            ".weakref muster_driver_here, _ZN6muster15driver_identityE\n"    \
            ".endif\n"                                                       \
            ".pushsection muster_note,\"aGR\",%note,muster_inventory_note,comdat\n" \
            ".balign 4\n"                                                    \
            ".long 7, 8, 0x3153554d\n"                                       \
            ".asciz \"muster\"\n"                                            \
            ".balign 4\n"                                                    \
            ".long __start_muster_records - .\n"                             \
            ".long __stop_muster_records - .\n"                              \
            ".popsection\n"                                                  \
            ".pushsection muster_records,\"awGR\",%progbits,muster_inventory_note,comdat\n" \
            ".balign 8\n"                                                    \
            ".ascii \"MUSTERd\\001\"\n" MUSTER_BACKEND_POINTER "muster_driver_here\n" \
            ".balign 8\n"                                                    \
            ".popsection\n");
#elif defined(__APPLE__)
#define MUSTER_BACKEND_SECTION __attribute__((used, aligned(8), section("__DATA,muster_records,regular,no_dead_strip")))
#define MUSTER_BACKEND_NOTE
#elif defined(_WIN32) && !defined(_MSC_VER)
#define MUSTER_BACKEND_SECTION __attribute__((used, aligned(8), section("mustrec")))
#define MUSTER_BACKEND_NOTE
#else
#error "muster knows no record section for this object format."
#endif

/// Submits a backend's records: once in a library, at file scope. `id`: up to 31 lower-case letters, digits, '-' and '_', a letter
/// first. `rank`: lower comes first, the CPU's is 100. `dispatches`: 1 if it runs programs, 0 if it only emits. `tags`: words
/// separated by spaces; routing passes over "experimental" ones unless they are named.
#define MUSTER_BACKEND_RECORDS(id, rank, dispatches, tags, table)                                      \
    MUSTER_BACKEND_NOTE                                                                                \
    MUSTER_BACKEND_SECTION static muster_backend_registration muster_backend_registration_of_library = \
        {MUSTER_BACKEND_HEADER(1, muster_backend_registration), id, table, NULL, tags};                \
    MUSTER_BACKEND_SECTION static muster_backend_precedence muster_backend_precedence_of_library =     \
        {MUSTER_BACKEND_HEADER(2, muster_backend_precedence), id, rank, 0};                            \
    MUSTER_BACKEND_SECTION static muster_backend_capability muster_backend_capability_of_library =     \
        {MUSTER_BACKEND_HEADER(3, muster_backend_capability), id, dispatches, {0}};

#ifdef __cplusplus
}
#endif
#endif
