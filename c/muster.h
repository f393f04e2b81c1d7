// muster.h - muster in C, for programs in any language: the interface that lasts. docs/c.md has the promise and a guide.
//
//     const muster_api* m;
//     if (muster_get_api(MUSTER_API_VERSION, &m, NULL) != MUSTER_OK) return 1;
//     muster_session session; muster_program program; muster_kernel kernel;
//     m->session_open(NULL, &session);
//     muster_wgsl wgsl = {sizeof wgsl};
//     wgsl.text = muster_text("@compute @workgroup_size(64) fn main() {}");
//     m->program_from_wgsl(&wgsl, &program);
//     m->prepare(session, program, NULL, NULL, &kernel);          // then buffer_create, dispatch, wait, read
//
// One function is exported, and gives a table of all others. A table of version N has all functions of the versions before
// it, in their places. C11 and C++98; nothing is included but <stddef.h> and <stdint.h>.
//
// Rules for all functions, unless theirs says otherwise:
// - Threads: any function may be called from any thread, at the same time, also for one object.
// - Errors: a negative status. last_error() then has the whole story. What a function would have written through its
//   pointers is left as it was. A positive status is no error: there is nothing to tell, or not yet.
// - Blocks: no function waits for a device or a driver unless it says "Blocks: yes".
// - Every structure that a function takes begins with its size, `struct_size`: sizeof of the structure, as the caller was
//   compiled. 0 is the default of every other member, so that zeroing the rest is enough. Plain values never change:
//   muster_string, muster_option, muster_range and the handles.
// - A pointer to a structure may be null where all of it has defaults. A null pointer with a length above 0 is an error.
// - Text is UTF-8 with a length, and needs no zero at its end. Text that a function gives lives as long as the object that
//   was asked, unless stated otherwise.
// - Handles are numbers; 0 is none. One that was released, or that is of another kind, another process (after fork()) or
//   no object at all, is the error MUSTER_ERROR_INVALID_HANDLE. Objects keep alive what they need: a kernel its session.
// - Nothing is thrown and no jump crosses. Callbacks mustn't throw or jump through a call either.
#ifndef MUSTER_MUSTER_H
#define MUSTER_MUSTER_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MUSTER_C_API
#elif defined(__GNUC__)
#define MUSTER_C_API __attribute__((visibility("default")))
#else
#define MUSTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the table that this header describes.
#define MUSTER_API_VERSION 2

/// The result of a call. The numbers never change their meaning, and later versions may add some: treat any negative one as an error.
typedef int32_t muster_status;
enum {
    MUSTER_OK = 0,
    MUSTER_NONE = 1,  // there is no such thing to tell, or it isn't known: a device's clock, an index past the end
    MUSTER_ERROR_INVALID_ARGUMENT = -1,    // names, shapes, counts, sizes of structures, null pointers
    MUSTER_ERROR_INVALID_PROGRAM = -2,     // the text or the bytes of a program or model are wrong
    MUSTER_ERROR_UNSUPPORTED = -3,         // nothing here supports this operation, type or format
    MUSTER_ERROR_LIMIT_EXCEEDED = -4,      // a number exceeds a limit of a device or of programs
    MUSTER_ERROR_NOT_FOUND = -5,           // no such backend, binding, entry point, option or file
    MUSTER_ERROR_CONFLICT = -6,            // two things claim one name, or overlap
    MUSTER_ERROR_REFUSED = -7,             // policy or route forbids it
    MUSTER_ERROR_UNAVAILABLE = -8,         // a driver, device or library is missing or doesn't answer
    MUSTER_ERROR_COMPILE_FAILED = -9,      // a target's compiler rejects the code that muster made
    MUSTER_ERROR_COMPILE_TIMED_OUT = -10,  // the compile budget is spent; calling again waits again
    MUSTER_ERROR_DEVICE_LOST = -11,        // the device is gone
    MUSTER_ERROR_OUT_OF_MEMORY = -12,      // the device or the host has no memory left for this
    MUSTER_ERROR_TIMED_OUT = -13,          // the wait has ended; the work may still run
    MUSTER_ERROR_IO_FAILED = -14,          // a file can't be read, written or understood
    MUSTER_ERROR_INTERNAL = -15,           // a defect in muster
    MUSTER_ERROR_INVALID_HANDLE = -16,     // released, of another kind, of the process before a fork, or none
    MUSTER_ERROR_VERSION = -17             // this library doesn't have the version that was asked for
};

/// UTF-8, or bytes. `data` may be null if `size` is 0.
typedef struct muster_string {
    const char* data;
    size_t size;
} muster_string;

/// A name with its value: an option of the policy, an override constant, a compile spec.
typedef struct muster_option {
    muster_string name, value;
} muster_option;

/// The text of a literal, or of any text that ends with a zero.
static inline muster_string muster_text(const char* text) {
    muster_string view;
    view.data = text;
    view.size = 0;
    if (text != NULL) while (text[view.size] != '\0') ++view.size;  // NOLINT(modernize-use-nullptr): C
    return view;
}

/// Waits as long as it takes.
#define MUSTER_FOREVER (~(uint64_t)0)

// Handles. `id` is what functions for any object take: release, duplicate, get_text and their kin.
typedef struct muster_session { uint64_t id; } muster_session;    // policy, backends, opened devices
typedef struct muster_backend { uint64_t id; } muster_backend;    // linked, or in a plugin
typedef struct muster_device { uint64_t id; } muster_device;      // a device and its properties; nothing is opened
typedef struct muster_target { uint64_t id; } muster_target;      // a machine to emit code for
typedef struct muster_program { uint64_t id; } muster_program;    // a valid program, with stored codes if it has some
typedef struct muster_route { uint64_t id; } muster_route;        // where a program runs, and why not elsewhere
typedef struct muster_kernel { uint64_t id; } muster_kernel;      // a program that is ready on a device
typedef struct muster_bound { uint64_t id; } muster_bound;        // a kernel with its arguments
typedef struct muster_buffer { uint64_t id; } muster_buffer;      // memory that kernels use
typedef struct muster_ticket { uint64_t id; } muster_ticket;      // work in flight
typedef struct muster_sequence { uint64_t id; } muster_sequence;  // work that is recorded once
typedef struct muster_artifact { uint64_t id; } muster_artifact;  // code that was generated
typedef struct muster_blob { uint64_t id; } muster_blob;          // text or bytes, MUSTER_CONTENT
typedef struct muster_tensor { uint64_t id; } muster_tensor;      // input or output of a model, in the host's memory
typedef struct muster_model { uint64_t id; } muster_model;        // a model that runs
typedef struct muster_report { uint64_t id; } muster_report;      // results of the conformance suite

/// The process, as an object that can be asked. It needs no release.
#define MUSTER_PROCESS ((uint64_t)1)

/// Types of elements. MUSTER_BYTES fits any binding.
enum {
    MUSTER_BYTES = 0,
    MUSTER_BOOL = 1,  // of a byte
    MUSTER_I8 = 2,
    MUSTER_U8 = 3,
    MUSTER_I16 = 4,
    MUSTER_U16 = 5,
    MUSTER_I32 = 6,
    MUSTER_U32 = 7,
    MUSTER_I64 = 8,
    MUSTER_U64 = 9,
    MUSTER_F16 = 10,
    MUSTER_F32 = 11,
    MUSTER_F64 = 12
};

/// Properties, for get_text, get_number, get_real and get_count. "list": one for each index. Numbers of yes and no are 1 and 0.
enum {
    // of several kinds
    MUSTER_ID = 1,           // text: backend "cuda", device "cuda:0", target "cuda:sm_90"; of a route and a kernel: where it runs
    MUSTER_NAME = 2,         // text: device, model; of program, kernel and artifact: the entry point
    MUSTER_EXPLANATION = 3,  // text: route, as `muster route` prints it
    MUSTER_CONTENT = 4,      // bytes: blob, artifact, tensor
    MUSTER_BACKEND = 5,      // text: the backend's id, of device, target, kernel, route
    MUSTER_TARGET = 6,       // text: of artifact, and of a route that only emits
    MUSTER_FINGERPRINT = 7,  // text: program, kernel, artifact, route; 64 hexadecimal digits
    MUSTER_SIZE_BYTES = 8,   // number: buffer, blob, artifact, tensor
    MUSTER_ELEMENT = 9,      // number: buffer, tensor: the type of its elements

    // of the process
    MUSTER_VERSION_TEXT = 100,      // text: "0.1.0"
    MUSTER_BUILD_TEXT = 101,        // text: what the library was compiled with
    MUSTER_LIVE_OBJECTS = 102,      // number: handles that aren't released
    MUSTER_OPTION_NAME = 103,       // text, list: the policy's options
    MUSTER_OPTION_MEANING = 104,    // text, list: what each does
    MUSTER_VARIABLE_NAME = 105,     // text, list: environment variables that muster reads
    MUSTER_VARIABLE_MEANING = 106,  // text, list
    MUSTER_PACK_ID = 107,           // text, list: packs of patterns for models
    MUSTER_PACK_MODULE = 108,       // text, list: the library that has each
    MUSTER_HAS_MODELS = 109,        // number: 1 if models run here
    MUSTER_HAS_ONNX = 110,          // number: 1 if models in ONNX's format can be opened
    MUSTER_HAS_CHECK = 111,         // number: 1 if the conformance suite is here

    // of a backend
    MUSTER_RANK = 200,            // number: lower comes first
    MUSTER_DISPATCHES = 201,      // number: 1 if it executes, 0 if it only emits
    MUSTER_TAG = 202,             // text, list
    MUSTER_MODULE = 203,          // text: the file that it is in
    MUSTER_IS_OPENED = 204,       // number: 0 for one in a plugin that isn't open yet
    MUSTER_FAULT = 205,           // text: why it can't be used; none if it can
    MUSTER_FORMAT = 206,          // text, list: of code that it emits; of an artifact: its own
    MUSTER_DEFAULT_TARGET = 207,  // text
    MUSTER_SPEC_NAME = 208,       // text, list: the compile specs that it declares
    MUSTER_SPEC_MEANING = 209,    // text, list
    MUSTER_SPEC_RUNS = 210,       // number, list: 1 if it is also for code that runs here
    MUSTER_PROBE_STATE = 211,     // text: "answered", "timed_out", ...; probes. Blocks: yes
    MUSTER_PROBE_ERROR = 212,     // text: none if it answered. Blocks: yes

    // of a device, and those marked (t) of a target
    MUSTER_ARCH = 300,                      // text (t): "sm_90", "x86-64-v4"
    MUSTER_DEVICE_KIND = 301,               // text (t): cpu, integrated_gpu, discrete_gpu, virtual_gpu, other
    MUSTER_DRIVER = 302,                    // text: name and version
    MUSTER_UUID = 303,                      // text
    MUSTER_ORDINAL = 304,                   // number
    MUSTER_IS_EMULATED = 305,               // number: 1 if software plays it
    MUSTER_MEMORY_BYTES = 306,              // number
    MUSTER_FREE_MEMORY_BYTES = 307,         // number: now. Blocks: yes
    MUSTER_SUBGROUP_SIZE = 308,             // number (t)
    MUSTER_SUBGROUP_LEAST = 309,            // number (t)
    MUSTER_SUBGROUP_MOST = 310,             // number (t): 0 if there are no subgroups
    MUSTER_COMPUTE_UNITS = 311,             // number
    MUSTER_CLOCK_MHZ = 312,                 // number
    MUSTER_VENDOR_NUMBER = 313,             // number
    MUSTER_DEVICE_NUMBER = 314,             // number
    MUSTER_PCI_ADDRESS = 315,               // text
    MUSTER_HAS_UNIFIED_MEMORY = 316,        // number
    MUSTER_COPIES_BESIDE_KERNELS = 317,     // number
    MUSTER_IS_EXACT = 318,                  // number (t)
    MUSTER_FEATURE = 319,                   // text, list (t)
    MUSTER_TYPE = 320,                      // text, list (t): the scalar types that it has
    MUSTER_MAX_WORKGROUP_SIZE = 321,        // number, list of 3 (t)
    MUSTER_MAX_WORKGROUP_INVOCATIONS = 322, // number (t)
    MUSTER_MAX_WORKGROUP_BYTES = 323,       // number (t)
    MUSTER_MAX_WORKGROUPS = 324,            // number, list of 3 (t)
    MUSTER_MAX_STORAGE_BINDING_BYTES = 325, // number (t)
    MUSTER_MAX_UNIFORM_BINDING_BYTES = 326, // number (t)
    MUSTER_MAX_STORAGE_BINDINGS = 327,      // number (t)
    MUSTER_MAX_UNIFORM_BINDINGS = 328,      // number (t)
    MUSTER_MAX_PRIVATE_BYTES = 329,         // number (t)
    MUSTER_NO_COMPILER = 330,               // text: why it compiles nothing here; none if it does

    // of a program or a kernel
    MUSTER_WORKGROUP_SIZE = 400,    // number, list of 3
    MUSTER_BINDING_NAME = 401,      // text, list
    MUSTER_BINDING_GROUP = 402,     // number, list
    MUSTER_BINDING_NUMBER = 403,    // number, list
    MUSTER_BINDING_SPACE = 404,     // text, list: storage, uniform
    MUSTER_BINDING_ACCESS = 405,    // text, list: read, write, read_write
    MUSTER_BINDING_TYPE = 406,      // text, list: "array<f32>"
    MUSTER_BINDING_MIN_BYTES = 407, // number, list
    MUSTER_BINDING_ELEMENT = 408,   // number, list: MUSTER_BYTES if it has several types of elements
    MUSTER_BINDING_IS_WRITTEN = 409,// number, list: 1 if the program writes it
    MUSTER_WGSL_TEXT = 410,         // text: the program, printed
    MUSTER_CODE_TARGET = 411,       // text, list: stored codes
    MUSTER_IS_STORED = 412,         // number, of a kernel: 1 if nothing was compiled for it in this process
    MUSTER_IS_OPTIMIZED = 413,      // number, of a kernel: 0 while quick code runs in place of optimised code

    // of a route
    MUSTER_OUTCOME = 500,               // number: MUSTER_EXECUTES, MUSTER_EMITS, MUSTER_REFUSED
    MUSTER_CANDIDATE_ID = 501,          // text, list
    MUSTER_CANDIDATE_BACKEND = 502,     // text, list
    MUSTER_CANDIDATE_DEVICE = 503,      // text, list: the device's name
    MUSTER_CANDIDATE_STAGE = 504,       // text, list: how far it came, such as "probe"
    MUSTER_CANDIDATE_REASON = 505,      // text, list: "chosen", "outranked", "operation_missing", ...
    MUSTER_CANDIDATE_MESSAGE = 506,     // text, list: a sentence
    MUSTER_CANDIDATE_FIX = 507,         // text, list: what to change so that it is chosen; may be empty
    MUSTER_CANDIDATE_RANK = 508,        // number, list
    MUSTER_CANDIDATE_ESTIMATE_US = 509, // real, list: of the dispatch, where the device is measured
    MUSTER_NOTE = 510,                  // text, list

    // of a session
    MUSTER_SETTING_NAME = 600,   // text, list: the settings of its policy that a layer decides
    MUSTER_SETTING_VALUE = 601,  // text, list
    MUSTER_SETTING_FROM = 602,   // text, list: "MUSTER_BACKEND", "the session's policy"

    // of a buffer, a ticket, a sequence
    MUSTER_IS_IN_PLACE = 650,   // number, of a buffer: 1 while dispatches use the host's memory itself
    MUSTER_IS_SHAREABLE = 651,  // number, of a buffer: 1 if it is over memory of the host that sync() gives
    MUSTER_IS_DONE = 652,       // number, of a ticket: 1 once its work has ended
    MUSTER_STEPS = 653,         // number, of a sequence

    // of an artifact
    MUSTER_IS_TEXT = 700,         // number
    MUSTER_SIDE_FILE_NAME = 701,  // text, list: other files that were made, such as a C header
    MUSTER_SIDE_FILE_TEXT = 702,  // text, list

    // of a tensor, a model, a report
    MUSTER_AXES = 750,            // number, of a tensor: how many sizes it has
    MUSTER_EXTENT = 751,          // number, list: by axis
    MUSTER_INPUTS = 752,          // number, of a model: model_end() tells of each
    MUSTER_OUTPUTS = 753,         // number, of a model
    MUSTER_PASSES = 754,          // number, of a report: 1 if every device passes and no case is left out
    MUSTER_LEFT_OUT = 755         // number, of a report: cases that didn't run because the check was stopped
};

enum { MUSTER_EXECUTES = 1, MUSTER_EMITS = 2, MUSTER_REFUSED = 3 };

/// The kinds of objects, for kind_of.
enum {
    MUSTER_KIND_PROCESS = 0,
    MUSTER_KIND_SESSION = 1,
    MUSTER_KIND_BACKEND = 2,
    MUSTER_KIND_DEVICE = 3,
    MUSTER_KIND_TARGET = 4,
    MUSTER_KIND_PROGRAM = 5,
    MUSTER_KIND_ROUTE = 6,
    MUSTER_KIND_KERNEL = 7,
    MUSTER_KIND_BOUND = 8,
    MUSTER_KIND_BUFFER = 9,
    MUSTER_KIND_TICKET = 10,
    MUSTER_KIND_SEQUENCE = 11,
    MUSTER_KIND_ARTIFACT = 12,
    MUSTER_KIND_BLOB = 13,
    MUSTER_KIND_TENSOR = 14,
    MUSTER_KIND_MODEL = 15,
    MUSTER_KIND_REPORT = 16
};

/// An error's whole story. The text is valid until the thread's next call that fails; in a callback, until it returns.
typedef struct muster_error {
    uint32_t struct_size;
    muster_status status;
    muster_string message;  // full sentences, with the given value and the limit
    muster_string fix;      // what to do next; may be empty
    muster_string text;     // all of it, as the tool prints it: message, "while" lines, "Fix: ..."
    const muster_string* steps;  // what was being done, innermost first: "binding arguments of saxpy"
    size_t step_count;
} muster_error;

/// The versions that a library has.
typedef struct muster_versions {
    uint32_t struct_size;
    uint32_t oldest, newest;  // of the table
    uint32_t reserved;
    muster_string library;  // "0.1.0"; lives as long as the process
} muster_versions;

enum {
    MUSTER_SESSION_IGNORES_ENVIRONMENT = 1  // MUSTER_BACKEND and its kin don't count
};
/// A session's policy and what it does at its end.
typedef struct muster_session_options {
    uint32_t struct_size;
    uint32_t flags;
    /// The policy, by the names of the tool's options ("backend", "exclude", "pin", "on-failure", ...) or of the environment's
    /// variables ("MUSTER_BACKEND"); MUSTER_OPTION_NAME lists them. Also "precision": exact or fast, for compile options
    /// that say none. A later option of one name replaces an earlier one.
    const muster_option* options;
    size_t option_count;
    uint64_t close_timeout_ns;  // how long closing waits for work in flight; 0: 5 seconds
} muster_session_options;

enum { MUSTER_PRECISION_OF_SESSION = 0, MUSTER_EXACT = 1, MUSTER_FAST = 2 };
enum {
    MUSTER_COMPILE_UNCHECKED = 1  // no bounds checks
};
/// How to compile.
typedef struct muster_compile_options {
    uint32_t struct_size;
    uint32_t flags;
    uint32_t precision;
    uint32_t subgroup_size;      // of programs that use subgroups and ask for no size; 0: the device's own
    const muster_option* specs;  // declared by the backend that compiles
    size_t spec_count;
} muster_compile_options;

/// A program's text.
typedef struct muster_wgsl {
    uint32_t struct_size;
    uint32_t flags;        // 0
    muster_string text;
    muster_string file;    // for messages; empty: "kernel.wgsl"
    muster_string entry;   // empty: the only entry point
    const muster_option* overrides;
    size_t override_count;
    const muster_string* enables;  // extensions that count as enabled
    size_t enable_count;
} muster_wgsl;

/// An argument of a dispatch: a part of a buffer, or a value, which is copied at the call. In an array of them, the first one's
/// struct_size counts for all.
typedef struct muster_argument {
    uint32_t struct_size;
    uint32_t element;       // of a value: its type; 0: bytes, which fit any binding
    muster_string name;     // empty: by group and binding
    uint32_t group, binding;
    muster_buffer buffer;   // none: a value
    uint64_t offset;        // in the buffer: a multiple of 256
    uint64_t bytes;         // of the buffer, 0: up to its end; of the value
    const void* value;      // of a value, in WGSL's layout
} muster_argument;

enum { MUSTER_GRID_WORKGROUPS = 1, MUSTER_GRID_INVOCATIONS = 2, MUSTER_GRID_IN_BUFFER = 3 };
/// The arguments and the grid of a dispatch.
typedef struct muster_dispatch {
    uint32_t struct_size;
    uint32_t grid;  // how it is counted: MUSTER_GRID_...
    const muster_argument* arguments;
    size_t argument_count;
    uint32_t axes;  // how many of `size` count, 1 to 3; the others are 1
    uint32_t reserved;
    uint64_t size[3];
    muster_buffer grid_buffer;  // of MUSTER_GRID_IN_BUFFER: three u32, the workgroups of each axis
    uint64_t grid_offset;
} muster_dispatch;

/// How long work took.
typedef struct muster_timing {
    uint32_t struct_size;
    uint32_t is_measured;  // 0: nothing measured it
    uint64_t device_ns;
} muster_timing;

enum {
    MUSTER_BUFFER_SHAREABLE = 1  // its memory is the host's: the CPU uses it in place, others have a copy while they use it
};
/// Called once, in a call of the program's to muster, when nothing needs the memory any more; never on a thread of muster's. If
/// a device that uses the memory is stuck (MUSTER_ERROR_DEVICE_LOST), it isn't called.
typedef void (*muster_release_callback)(void* user);
/// Memory for kernels. With neither `from` nor `over` it holds zeros.
typedef struct muster_buffer_options {
    uint32_t struct_size;
    uint32_t flags;
    uint64_t bytes;
    uint32_t element;  // checked against bindings; 0: fits any
    uint32_t reserved;
    const void* from;  // its contents, which are copied
    void* over;        // its memory, aligned to 16, which the caller keeps until `release`; not copied
    muster_release_callback release;  // may be null: then `over` must outlive the session
    void* user;
} muster_buffer_options;

/// A part of a buffer; 0 bytes: up to its end.
typedef struct muster_range {
    muster_buffer buffer;
    uint64_t offset, bytes;
} muster_range;

enum { MUSTER_COPY_NEVER = 0, MUSTER_COPY_IF_NEEDED = 1, MUSTER_COPY_ALWAYS = 2 };
struct DLManagedTensorVersioned;  // DLPack 1.x, dlpack.h
/// How a DLPack tensor is taken.
typedef struct muster_import_options {
    uint32_t struct_size;
    uint32_t copy;  // MUSTER_COPY_...
} muster_import_options;
enum {
    MUSTER_EXPORT_READ_ONLY = 1
};
/// How memory is given as a DLPack tensor.
typedef struct muster_export_options {
    uint32_t struct_size;
    uint32_t copy;     // MUSTER_COPY_...
    uint32_t flags;
    uint32_t element;  // 0: the buffer's, or bytes
    const int64_t* sizes;  // null: one axis with all elements
    size_t rank;
    uint64_t offset;      // bytes
    uint64_t timeout_ns;  // for the work that uses the memory; 0: 10 minutes
} muster_export_options;

enum {
    MUSTER_EMIT_TO_LOAD = 1  // code that another machine of the target loads, instead of code for another host
};
/// The code to generate. Empty: the routed backend, its default target, its first format.
typedef struct muster_emit_options {
    uint32_t struct_size;
    uint32_t flags;
    muster_string backend;
    muster_string target;  // "sm_90"; "cuda:sm_90"; or a device here, "cuda:0"
    muster_string format;
    const muster_compile_options* compile;  // may be null
} muster_emit_options;

enum {
    MUSTER_ROUTE_ASKS_ALL = 1,   // probe every allowed backend, so that no candidate is "not asked". Blocks: yes
    MUSTER_ROUTE_EMISSION = 2    // for emission alone
};

/// A tensor of the host's memory, row-major.
typedef struct muster_tensor_options {
    uint32_t struct_size;
    uint32_t element;  // MUSTER_F32, F16, I8, U8, I32, I64 or BOOL
    const int64_t* sizes;
    size_t rank;
    const void* data;
    uint64_t bytes;
    muster_release_callback release;  // null: the data are copied
    void* user;
} muster_tensor_options;

/// A number for a size that a model leaves open, or a tensor for an input that becomes a constant.
typedef struct muster_model_constant {
    uint32_t struct_size;
    uint32_t reserved;
    muster_string name;
    muster_tensor tensor;  // none: `number` is the size called `name`
    int64_t number;
} muster_model_constant;

/// A model's bytes or file: ONNX's, muster's text of a graph, or an artifact of a model. What it is, is seen from the bytes.
typedef struct muster_model_options {
    uint32_t struct_size;
    uint32_t flags;      // 0
    const void* data;    // of an artifact: kept unchanged, and aligned to 16, until the model is released
    size_t size;
    muster_string path;  // if there are no data
    muster_string folder;  // of external data; empty: the path's own, or none
    const muster_compile_options* compile;
    const muster_model_constant* constants;
    size_t constant_count;
} muster_model_options;

/// An input or output of a model.
typedef struct muster_model_end {
    uint32_t struct_size;
    uint32_t element;
    muster_string name;
    muster_string type;  // "f32[N, 3, 224, 224]"
    const int64_t* sizes;  // -1 where it isn't a number
    const muster_string* texts;  // each size as text: "N", "3"
    size_t rank;
} muster_model_end;

/// How far a long call is.
typedef struct muster_progress {
    uint32_t struct_size;
    uint32_t reserved;
    muster_string device;  // "vulkan:0"
    muster_string what;    // what begins, or what has ended
    muster_string outcome; // of what has ended: "passed", "failed", ...; empty: it begins
    uint64_t done, total;
} muster_progress;
/// Called on the thread that makes the long call. Returns 0 to go on, anything else to stop; what was done is kept.
typedef int32_t (*muster_progress_callback)(void* user, const muster_progress* progress);

enum {
    MUSTER_CHECK_IGNORES_ENVIRONMENT = 1,
    MUSTER_CHECK_WITHOUT_DEVIATIONS = 2  // a device's own arithmetic isn't measured
};
/// The devices, cases and limits of a run of the conformance suite.
typedef struct muster_check_options {
    uint32_t struct_size;
    uint32_t flags;
    const muster_option* options;  // the policy: which devices
    size_t option_count;
    const muster_string* cases;  // globs of names; none: all
    size_t case_count;
    muster_string gaps;      // the text of a file of known gaps
    uint64_t timeout_ns;     // of one case on one device; 0: 20 seconds
    uint64_t reduction_ns;   // for making kernels of failures small, of a device; 0: none
    muster_progress_callback progress;
    void* user;
} muster_check_options;

enum { MUSTER_LOG_ERROR = 1, MUSTER_LOG_WARNING = 2, MUSTER_LOG_INFO = 3 };
/// Receives the log's messages, on any thread, also on several at once.
typedef void (*muster_log_callback)(void* user, int32_t level, muster_string text);
/// Tells once that work has ended. `error` is null, or tells why it failed; both pointers are valid during the call.
typedef void (*muster_end_callback)(void* user, const muster_error* error, const muster_timing* timing);

/// All functions. Slots are only ever added, at the end.
typedef struct muster_api {
    uint32_t struct_size;  // of this table, as the library has it
    uint32_t version;      // of this table; all functions whose \since isn't above it are there

    // Errors and objects --------------------------------------------------------------------------------------------

    /// The story of this thread's last call that failed. Threads: each has its own. Blocks: no. Errors: MUSTER_NONE, if none
    /// has; MUSTER_ERROR_INVALID_ARGUMENT, which changes nothing. \since 1
    muster_status (*last_error)(muster_error* error);
    /// A status's name, "device_lost"; "unknown" for a number that isn't one. It lives as long as the process. Threads: any.
    /// Blocks: no. Errors: none. \since 1
    muster_string (*status_name)(muster_status status);
    /// Gives up a handle. The object goes once nothing needs it. Threads: any. Blocks: a session's last handle, kernels and
    /// buffers included, closes it (session_close). Errors: invalid_handle. 0 is accepted. \since 1
    muster_status (*release)(uint64_t object);
    /// Makes another handle of the same object. Threads: any. Blocks: no. Errors: invalid_handle, out_of_memory. \since 1
    muster_status (*duplicate)(uint64_t object, uint64_t* copy);
    /// Tells what an object is: MUSTER_KIND_.... Threads: any. Blocks: no. Errors: invalid_handle. \since 1
    muster_status (*kind_of)(uint64_t object, int32_t* kind);
    /// A property that is text; `index` is 0 if it is no list. Threads: any. Blocks: where the property says so. Errors:
    /// MUSTER_NONE (unknown, or past the end), invalid_argument (not a property of the object), those of asking. \since 1
    muster_status (*get_text)(uint64_t object, int32_t property, size_t index, muster_string* value);
    /// A property that is a number. Threads: any. Blocks: where the property says so. Errors: as get_text. \since 1
    muster_status (*get_number)(uint64_t object, int32_t property, size_t index, uint64_t* value);
    /// A property that is a real number. Threads: any. Blocks: no. Errors: as get_text. \since 1
    muster_status (*get_real)(uint64_t object, int32_t property, size_t index, double* value);
    /// How many a list has; 1 of what is no list, 0 if it is unknown. Threads: any. Blocks: as get_text. Errors: as
    /// get_text. \since 1
    muster_status (*get_count)(uint64_t object, int32_t property, size_t* count);
    /// An object as JSON, with the members that the tool's --json prints (docs/tool.md): the process as `muster backends`, a
    /// route as `muster route`; backend, device, target, program, artifact, report. Threads: any. Blocks: yes, of process and backend,
    /// which are probed. Errors: invalid_handle, unsupported (no JSON of this kind). \since 1
    muster_status (*get_json)(uint64_t object, muster_blob* json);

    // The process ---------------------------------------------------------------------------------------------------

    /// Sets the receiver of the log's messages; null: standard error. A call of the one before may still end on another
    /// thread. Threads: any. Blocks: no. Errors: out_of_memory. \since 1
    muster_status (*set_log)(muster_log_callback callback, void* user);
    /// Sets the policy below the environment's, for sessions that are opened later; none: the built-in. Threads: any. Blocks:
    /// no. Errors: not_found (an option), invalid_argument (its value). \since 1
    muster_status (*set_default_policy)(const muster_option* options, size_t count);
    /// Opens a plugin, by the id of its backend or by its path (any text with a '/'); does nothing if it is open. Threads: any,
    /// but not a constructor of a library. Blocks: yes. Errors: not_found, refused, unavailable. \since 1
    muster_status (*load_backend)(muster_string id_or_path);
    /// Takes an open plugin out of the registry: later sessions don't see it. Threads: any. Blocks: no. Errors: not_found. \since 1
    muster_status (*retire_backend)(muster_string id_or_path);
    /// Tells if the process has a usable backend of this id, or the library at this path. Threads: any. Blocks: no. Errors:
    /// none of its own. \since 1
    muster_status (*is_loaded)(muster_string id_or_path, uint32_t* is_loaded);
    /// Lists all backends by rank, those that can't be used included. Fills at most `capacity` handles, each to be released, and
    /// sets `count` to how many there are. Threads: any. Blocks: no; opens nothing. Errors: out_of_memory. \since 1
    muster_status (*backends)(muster_backend* list, size_t capacity, size_t* count);
    /// Lists devices: of a session those that its policy allows; of a backend all that its probe found; of MUSTER_PROCESS those
    /// that the policy of the environment and the process allows. As backends(). Threads: any. Blocks: yes, if it probes. Errors:
    /// invalid_handle, invalid_argument (environment), those of the backend's probe. \since 1
    muster_status (*devices)(uint64_t of, muster_device* list, size_t capacity, size_t* count);
    /// Finds a machine to emit for: "cuda:sm_90", "cuda" for its default, or the target of a device here, "cuda:0". Threads: any.
    /// Blocks: yes, for a device here. Errors: invalid_argument, not_found. \since 1
    muster_status (*find_target)(muster_string name, muster_target* target);
    /// Tells if a device can run a program, by its properties. Threads: any. Blocks: no. Errors: unsupported, limit_exceeded,
    /// unavailable (it compiles nothing here), with the first misfit. \since 1
    muster_status (*device_supports)(muster_device device, muster_program program, const muster_compile_options* options);

    // Programs ------------------------------------------------------------------------------------------------------

    /// Parses and validates. Threads: any. Blocks: no. Errors: invalid_program (up to 20 faults, with lines and fixes),
    /// not_found (entry point), invalid_argument (overrides), limit_exceeded. \since 1
    muster_status (*program_from_wgsl)(const muster_wgsl* wgsl, muster_program* program);
    /// Reads a .muster artifact file: a program with codes for several targets. Any bytes give a program or an error, but its
    /// codes run as they are: take a file only from where you would take a library. Threads: any. Blocks: no. Errors:
    /// invalid_argument (no such file, another version, damaged), invalid_program. \since 1
    muster_status (*program_from_bytes)(const void* data, size_t size, muster_program* program);
    /// A program, with its stored codes, as bytes that program_from_bytes() reads. Threads: any. Blocks: no. Errors:
    /// out_of_memory. \since 1
    muster_status (*program_bytes)(muster_program program, muster_blob* bytes);
    /// Gives the declarations of a text as JSON: {"entries": [{"name", "workgroup_size"?, "resources": [...]}], "overrides": [...]}. `entry`
    /// needn't be chosen. Threads: any. Blocks: no. Errors: invalid_program. \since 1
    muster_status (*wgsl_interface)(const muster_wgsl* wgsl, muster_blob* json);
    /// One of a program's stored codes. Threads: any. Blocks: no. Errors: MUSTER_NONE (past the end). \since 1
    muster_status (*program_code)(muster_program program, size_t index, muster_artifact* code);

    // Sessions ------------------------------------------------------------------------------------------------------

    /// Opens a session; null options: all defaults. No driver is called. Threads: any. Blocks: no. Errors: not_found (an
    /// option), invalid_argument (its value, or the environment's). \since 1
    muster_status (*session_open)(const muster_session_options* options, muster_session* session);
    /// Waits for work in flight, and gives up devices whose work doesn't end in time. Later dispatches are refused, other
    /// devices' buffers stay readable. Threads: any. Blocks: yes, up to close_timeout_ns. Errors: invalid_handle. \since 1
    muster_status (*session_close)(muster_session session);
    /// Tells where a program would run: `dispatch`, which may be null, lets it tell estimates, and decides under the policy
    /// "measured". Refusal is an outcome and no error. `flags`: 0 or one of MUSTER_ROUTE_..., which takes no `dispatch`. Threads: any. Blocks: yes, the first
    /// time. Errors: invalid_argument (arguments, options, flags), refused (the session is closed). \since 1
    muster_status (*route)(muster_session session, muster_program program, const muster_compile_options* options,
                           const muster_dispatch* dispatch, uint32_t flags, muster_route* route);
    /// Routes, opens the device, compiles and loads; the second time from a cache. `dispatch` may be null. Threads: any. Blocks: yes, up
    /// to the policy's compile budget. Errors: refused (with every candidate's reason), compile_failed, compile_timed_out,
    /// invalid_argument (specs), those of the device. \since 1
    muster_status (*prepare)(muster_session session, muster_program program, const muster_compile_options* options,
                             const muster_dispatch* dispatch, muster_kernel* kernel);
    /// The route that a kernel was prepared by; its notes tell of each move to another device. Threads: any. Blocks: no. Errors:
    /// invalid_handle. \since 1
    muster_status (*kernel_route)(muster_kernel kernel, muster_route* route);
    /// The code that a kernel runs. Threads: any. Blocks: no. Errors: invalid_handle. \since 1
    muster_status (*kernel_artifact)(muster_kernel kernel, muster_artifact* artifact);
    /// Where the next dispatch of a kernel would run, which remembers where it ran. Threads: any. Blocks: no. Errors: those of
    /// dispatch() that concern arguments and grid. \since 1
    muster_status (*route_kernel)(muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                                  muster_route* route);

    // Buffers -------------------------------------------------------------------------------------------------------

    /// Makes a buffer. It is in the host's memory until a dispatch binds it. On an error `release` isn't called. Threads: any.
    /// Blocks: no. Errors: limit_exceeded, out_of_memory, invalid_argument (`over` not aligned to 16). \since 1
    muster_status (*buffer_create)(muster_session session, const muster_buffer_options* options, muster_buffer* buffer);
    /// Reads bytes, after the work that uses the buffer. Threads: any. Blocks: yes, up to `timeout_ns`. Errors: invalid_argument
    /// (past the end), timed_out, device_lost. \since 1
    muster_status (*buffer_read)(muster_buffer buffer, uint64_t offset, void* to, uint64_t bytes, uint64_t timeout_ns);
    /// Writes bytes, likewise. Threads: any. Blocks: yes. Errors: as buffer_read. \since 1
    muster_status (*buffer_write)(muster_buffer buffer, uint64_t offset, const void* from, uint64_t bytes,
                                  uint64_t timeout_ns);
    /// Waits for the work that uses a buffer over the host's memory (MUSTER_IS_SHAREABLE), and puts its bytes there: until the next
    /// work that uses it, the caller may read and change them. `memory`, which may be null, gets the address. Of any other
    /// buffer the bytes move to the host, and `memory` gets null. Threads: any. Blocks: yes. Errors: as buffer_read. \since 1
    muster_status (*buffer_sync)(muster_buffer buffer, uint64_t timeout_ns, void** memory);
    /// Takes a DLPack tensor of version 1 whose memory is the host's. On success its deleter is called once, as
    /// muster_release_callback is; on an error the tensor stays the caller's. Threads: any. Blocks: no. Errors: unsupported (its
    /// device, type or major version), refused (it isn't contiguous, is read-only or isn't aligned to 16, and `copy` is
    /// never), invalid_argument. \since 1
    muster_status (*buffer_from_dlpack)(muster_session session, struct DLManagedTensorVersioned* tensor,
                                        const muster_import_options* options, muster_buffer* buffer);
    /// Gives a buffer's bytes as a DLPack tensor on the host, after the work that uses them. Without a copy it shares the memory of a
    /// buffer over the host's (MUSTER_IS_SHAREABLE), which buffer_sync() brings up to date again. It keeps its session alive; its deleter
    /// may be called on any thread. Threads: any. Blocks: yes. Errors: refused (a copy is needed, and isn't allowed),
    /// invalid_argument (sizes past the end), as buffer_read. \since 1
    muster_status (*buffer_to_dlpack)(muster_buffer buffer, const muster_export_options* options,
                                      struct DLManagedTensorVersioned** tensor);
    /// Copies bytes between buffers, in order with the work that uses them. Numbers are multiples of 4. `ticket` may be null.
    /// Threads: any. Blocks: no. Errors: invalid_argument, conflict (overlap), those of dispatch. \since 1
    muster_status (*copy)(muster_session session, const muster_range* from, const muster_range* to, muster_ticket* ticket);
    /// Fills with a word of 4 bytes, likewise. Threads: any. Blocks: no. Errors: as copy. \since 1
    muster_status (*fill)(muster_session session, const muster_range* range, uint32_t word, muster_ticket* ticket);
    /// Copies what a buffer holds after the work submitted so far into a buffer that later work doesn't change. Threads: any.
    /// Blocks: no. Errors: as copy. \since 1
    muster_status (*snapshot)(muster_session session, const muster_range* range, muster_buffer* buffer,
                              muster_ticket* ticket);

    // Dispatches ----------------------------------------------------------------------------------------------------

    /// Submits a kernel. `ticket` may be null: then nothing tells of its end but the buffers. Threads: any. Blocks: only if over
    /// a thousand dispatches are in flight, or a buffer is in use on another device; a grid in a buffer waits for it. Errors:
    /// invalid_argument, limit_exceeded, conflict (overlap), device_lost, out_of_memory, refused (closed), invalid_program
    /// (with the policy "validate"). \since 1
    muster_status (*dispatch)(muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                              muster_ticket* ticket);
    /// dispatch() and wait() in one, which is quicker for short kernels; `timing` may be null. Threads: any. Blocks: yes, up to
    /// `timeout_ns`; after timed_out the work goes on, and has no ticket. Errors: those of both. \since 1
    muster_status (*run)(muster_session session, muster_kernel kernel, const muster_dispatch* dispatch, uint64_t timeout_ns,
                         muster_timing* timing);
    /// Checks arguments for dispatches to come; the grid isn't looked at. Threads: any. Blocks: no. Errors: those of dispatch that
    /// concern arguments. \since 1
    muster_status (*bind)(muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                          muster_bound* bound);
    /// Submits a kernel with its arguments over another grid; `dispatch` has no arguments. Threads: any. Blocks: as dispatch.
    /// Errors: as dispatch. \since 1
    muster_status (*dispatch_bound)(muster_session session, muster_bound bound, const muster_dispatch* dispatch,
                                    muster_ticket* ticket);
    /// Moves the buffers of a dispatch to come to the kernel's device. Threads: any. Blocks: yes. Errors: those of dispatch that
    /// concern arguments and memory. \since 1
    muster_status (*place)(muster_session session, muster_kernel kernel, const muster_dispatch* dispatch);
    /// Waits until work has ended; `timing` may be null. Threads: any. Blocks: yes, up to `timeout_ns`. Errors: timed_out (it
    /// still runs: wait again, or abandon), device_lost. \since 1
    muster_status (*wait)(muster_ticket ticket, uint64_t timeout_ns, muster_timing* timing);
    /// Gives up on work: if it still runs, its device isn't used any more by this session. Threads: any. Blocks: no. Errors:
    /// invalid_handle. \since 1
    muster_status (*abandon)(muster_ticket ticket);
    /// Calls back once work has ended: on a thread of muster's, or in this call if it has ended. Keep it short; it may call
    /// muster. Threads: any. Blocks: no. Errors: out_of_memory, internal (no thread), and then no call is made. \since 1
    muster_status (*on_end)(muster_ticket ticket, muster_end_callback callback, void* user);

    // Sequences -----------------------------------------------------------------------------------------------------

    /// An empty sequence. Threads: any. Blocks: no. Errors: refused (closed). \since 1
    muster_status (*sequence_create)(muster_session session, muster_sequence* sequence);
    /// Adds a dispatch, whose arguments and grid are checked now. Threads: one at a time records. Blocks: no. Errors: as dispatch;
    /// conflict (the kernel is on another device than those before it). \since 1
    muster_status (*sequence_dispatch)(muster_sequence sequence, muster_kernel kernel, const muster_dispatch* dispatch);
    /// Likewise, of a kernel with its arguments. Threads: one at a time records. Blocks: no. Errors: as sequence_dispatch. \since 1
    muster_status (*sequence_dispatch_bound)(muster_sequence sequence, muster_bound bound,
                                             const muster_dispatch* dispatch);
    /// Adds a copy. Threads: one at a time records. Blocks: no. Errors: as copy. \since 1
    muster_status (*sequence_copy)(muster_sequence sequence, const muster_range* from, const muster_range* to);
    /// Adds a fill. Threads: one at a time records. Blocks: no. Errors: as copy. \since 1
    muster_status (*sequence_fill)(muster_sequence sequence, const muster_range* range, uint32_t word);
    /// Submits all steps, in order, under one ticket, which may be null. Threads: any. Blocks: as dispatch. Errors: as dispatch, with
    /// the step's number. \since 1
    muster_status (*sequence_submit)(muster_sequence sequence, muster_ticket* ticket);

    // Code ----------------------------------------------------------------------------------------------------------

    /// Generates code without a device. Threads: any. Blocks: yes, while it compiles. Errors: refused, not_found (backend, target,
    /// format), invalid_argument (specs), compile_timed_out. \since 1
    muster_status (*emit)(muster_session session, muster_program program, const muster_emit_options* options,
                          muster_artifact* artifact);
    /// Generates code for several targets, as a .muster file that program_from_bytes() reads on other machines. In the array, the
    /// first struct_size counts for all. Threads: any. Blocks: yes, while it compiles. Errors: as emit. \since 1
    muster_status (*package)(muster_session session, muster_program program, const muster_emit_options* targets,
                             size_t count, muster_blob* bytes);
    /// A listing of code for people. Threads: any. Blocks: no. Errors: unsupported, unavailable (nothing here disassembles it),
    /// not_found (its backend). \since 1
    muster_status (*disassemble)(muster_artifact artifact, muster_blob* text);

    // Models --------------------------------------------------------------------------------------------------------

    /// Makes a tensor over memory, or a copy of it. Threads: any. Blocks: no. Errors: invalid_argument (sizes, bytes, type),
    /// limit_exceeded. On an error `release` isn't called. \since 1
    muster_status (*tensor_create)(const muster_tensor_options* options, muster_tensor* tensor);
    /// Takes a DLPack tensor as a model's input, as buffer_from_dlpack does, but read-only and unaligned ones without a copy. Threads: any. Blocks:
    /// no. Errors: as buffer_from_dlpack. \since 1
    muster_status (*tensor_from_dlpack)(struct DLManagedTensorVersioned* tensor, const muster_import_options* options,
                                        muster_tensor* made);
    /// Gives a tensor, whose sizes count, as a read-only DLPack tensor; copied, it may be written. Threads: any. Blocks: no.
    /// Errors: out_of_memory, invalid_argument. \since 1
    muster_status (*tensor_to_dlpack)(muster_tensor tensor, const muster_export_options* options,
                                      struct DLManagedTensorVersioned** made);
    /// Opens a model. Threads: any. Blocks: reads files. Errors: unavailable (models, or ONNX's format, aren't part of this
    /// installation), not_found, io_failed, invalid_program, unsupported (operators, types), limit_exceeded. \since 1
    muster_status (*model_open)(muster_session session, const muster_model_options* options, muster_model* model);
    /// Tells of an input, or an output if `is_output` isn't 0. Threads: any. Blocks: no. Errors: MUSTER_NONE (past the end). \since 1
    muster_status (*model_end)(muster_model model, uint32_t is_output, size_t index, muster_model_end* end);
    /// Runs a model: a tensor for each input, in order; fills at most `capacity` outputs, each to be released, and sets `count`. The
    /// first run with inputs of certain sizes prepares. Threads: any; runs of the same sizes one after the other. Blocks: yes.
    /// Errors: invalid_argument (number, types or sizes of inputs), unsupported, refused, limit_exceeded, those of dispatch. \since 1
    muster_status (*model_run)(muster_model model, const muster_tensor* inputs, size_t input_count, muster_tensor* outputs,
                               size_t capacity, size_t* count);
    /// Prepares for inputs of these sizes, and tells of each step as JSON. Threads: any. Blocks: yes. Errors: as model_run. \since 1
    muster_status (*model_prepare)(muster_model model, const muster_tensor* inputs, size_t input_count,
                                   muster_blob* json);
    /// Tells where each step would run, as JSON, and compiles nothing. Threads: any. Blocks: yes, the first time. Errors: as
    /// model_run. \since 1
    muster_status (*model_route)(muster_model model, const muster_tensor* inputs, size_t input_count, muster_blob* json);
    /// Runs one kernel at a time: [{"step", "start_ms", "ms"}, ...]. Threads: any. Blocks: yes. Errors: as model_run. \since 1
    muster_status (*model_profile)(muster_model model, const muster_tensor* inputs, size_t input_count,
                                   muster_blob* json);

    // Conformance ---------------------------------------------------------------------------------------------------

    /// Runs the conformance suite on devices; null options: all of it on all. Threads: one call at a time for a device. Blocks: yes,
    /// for minutes. Errors: unavailable (the suite isn't part of this installation), refused (no device), not_found (cases),
    /// invalid_argument (gaps). What goes wrong on a device is in the report. \since 1
    muster_status (*check)(const muster_check_options* options, muster_report* report);
    // The end of version 1.

    // Traces --------------------------------------------------------------------------------------------------------

    /// Begins to record what this process does into a file that ui.perfetto.dev, Chrome and `muster trace` show. `used`, unless null,
    /// becomes its path: another one than was asked for, if another process records there. An older trace is replaced, no other
    /// file. Threads: any. Blocks: no. Errors: conflict (it records already), io_failed. \since 2
    muster_status (*trace_start)(muster_string path, muster_blob* used);
    /// Ends the recording, if there is one. `left_out`, unless null, becomes the number of events that had no room in the file.
    /// Threads: any. Blocks: no. Errors: none. \since 2
    muster_status (*trace_end)(uint64_t* left_out);

    // Optimisation --------------------------------------------------------------------------------------------------

    /// Waits until no program of this process is to be optimised (the option `optimize`), for a process that would end before: later
    /// ones find optimised code alone. Threads: any. Blocks: yes. Errors: timed_out. \since 2
    muster_status (*wait_until_optimized)(uint64_t timeout_ns);
    // The end of version 2.
} muster_api;

/// Gives the table of a version, and what there is: `offered`, which may be null, is filled in any case. A program that can do with
/// an older version asks again, for offered.newest. Threads: any. Blocks: no. Errors: MUSTER_ERROR_VERSION, and `api` is null;
/// MUSTER_ERROR_INVALID_ARGUMENT (`api` is null, the size of `offered`).
MUSTER_C_API muster_status muster_get_api(uint32_t version, const muster_api** api, muster_versions* offered);

#ifdef __cplusplus
}
#endif

#endif
