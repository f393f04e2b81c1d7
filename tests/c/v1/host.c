// host.c - a program of version 1 of the interface in C, as somebody may have compiled it years ago: it includes the header that stands frozen
// beside it, and has to run with today's library. It calls every slot once and prints "ok". C11 and C++98.
#include "muster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const muster_api* m;

static void fail(const char* what, int line) {
    muster_error error;
    memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    if (m != NULL && m->last_error(&error) == MUSTER_OK)
        fprintf(stderr, "%.*s\n", (int)error.text.size, error.text.data);
    fprintf(stderr, "host.c:%d: %s\n", line, what);
    exit(1);
}
#define CHECK(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))
#define OK(call) CHECK((call) == MUSTER_OK)
#define ZERO(structure) (memset(&structure, 0, sizeof structure), structure.struct_size = sizeof structure)

static const char doubling[] =
    "override step: u32 = 1;\n"
    "@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n"
    "@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) i: vec3u) { v[i.x] = 2 * v[i.x] + step; }\n";

static int released, ended, progressed, logged;
static void on_release(void* user) { released += *(int*)user; }
static void on_end(void* user, const muster_error* error, const muster_timing* timing) {
    *(int*)user = error == NULL && timing != NULL ? 1 : -1;
}
static int32_t on_progress(void* user, const muster_progress* progress) {
    ++*(int*)user;
    return progress->total == 0;
}
static void on_log(void* user, int32_t level, muster_string text) {
    *(int*)user += level > 0 && text.size > 0;
}

// All slots but those of models and conformance.
static void run_kernels(void) {
    static uint32_t values[64];  // a multiple of 256 bytes
    static uint64_t aligned[64];
    const int one = 1;
    uint32_t word = 0;
    size_t count = 0;
    uint64_t number = 0;
    double real = 0;
    int32_t kind = 0;
    uint32_t is_loaded = 0;
    uint64_t copied = 0;
    void* memory = NULL;
    muster_string text;
    muster_option option;
    muster_session_options session_options;
    muster_session session;
    muster_backend backends[32];
    muster_device devices[8];
    muster_target target;
    muster_wgsl wgsl;
    muster_program program, again;
    muster_compile_options compile;
    muster_argument argument;
    muster_dispatch dispatch;
    muster_route route;
    muster_kernel kernel;
    muster_bound bound;
    muster_buffer_options options;
    muster_buffer buffer, other, over;
    muster_range from, to;
    muster_ticket ticket;
    muster_timing timing;
    muster_sequence sequence;
    muster_emit_options emit;
    muster_artifact artifact;
    muster_blob blob;
    struct DLManagedTensorVersioned* tensor = NULL;
    muster_import_options import;
    muster_export_options export_;

    CHECK(muster_text("four").size == 4);
    CHECK(m->status_name(MUSTER_ERROR_DEVICE_LOST).size > 0);
    OK(m->set_log(on_log, &logged));
    option.name = muster_text("on-failure");
    option.value = muster_text("next");
    OK(m->set_default_policy(&option, 1));
    CHECK(m->load_backend(muster_text("no such backend")) < 0);
    CHECK(m->retire_backend(muster_text("no such backend")) < 0);
    OK(m->is_loaded(muster_text("reference"), &is_loaded));
    CHECK(is_loaded == 1);
    OK(m->backends(backends, 32, &count));
    CHECK(count >= 1);
    OK(m->get_text(backends[0].id, MUSTER_ID, 0, &text));
    OK(m->get_text(MUSTER_PROCESS, MUSTER_VERSION_TEXT, 0, &text));
    OK(m->get_json(backends[0].id, &blob));
    OK(m->release(blob.id));

    ZERO(session_options);
    option.name = muster_text("backend");
    option.value = muster_text("reference");
    session_options.options = &option;
    session_options.option_count = 1;
    session_options.flags = MUSTER_SESSION_IGNORES_ENVIRONMENT;
    OK(m->session_open(&session_options, &session));
    OK(m->devices(session.id, devices, 8, &count));
    CHECK(count == 1);
    OK(m->find_target(muster_text("reference"), &target));

    ZERO(wgsl);
    wgsl.text.data = doubling;
    wgsl.text.size = sizeof doubling - 1;
    OK(m->wgsl_interface(&wgsl, &blob));
    option.name = muster_text("step");
    option.value = muster_text("3");
    wgsl.overrides = &option;
    wgsl.override_count = 1;
    OK(m->program_from_wgsl(&wgsl, &program));
    ZERO(compile);
    compile.precision = MUSTER_EXACT;
    OK(m->device_supports(devices[0], program, &compile));
    OK(m->program_bytes(program, &blob));
    OK(m->get_text(blob.id, MUSTER_CONTENT, 0, &text));
    OK(m->program_from_bytes(text.data, text.size, &again));
    CHECK(m->program_code(again, 0, &artifact) == MUSTER_NONE);

    ZERO(options);
    options.bytes = sizeof values;
    options.element = MUSTER_U32;
    options.from = values;
    OK(m->buffer_create(session, &options, &buffer));
    options.from = NULL;
    options.flags = MUSTER_BUFFER_SHAREABLE;
    OK(m->buffer_create(session, &options, &other));
    ZERO(options);
    options.bytes = 256;
    options.over = (void*)(((uintptr_t)aligned + 15) / 16 * 16);
    options.release = on_release;
    options.user = (void*)&one;
    OK(m->buffer_create(session, &options, &over));

    ZERO(argument);
    argument.name = muster_text("v");
    argument.buffer = buffer;
    ZERO(dispatch);
    dispatch.grid = MUSTER_GRID_INVOCATIONS;
    dispatch.arguments = &argument;
    dispatch.argument_count = 1;
    dispatch.axes = 1;
    dispatch.size[0] = 8;
    OK(m->route(session, program, &compile, NULL, MUSTER_ROUTE_ASKS_ALL, &route));
    OK(m->route(session, program, &compile, &dispatch, 0, &route));
    OK(m->get_number(route.id, MUSTER_OUTCOME, 0, &number));
    CHECK(number == MUSTER_EXECUTES);
    OK(m->get_count(route.id, MUSTER_CANDIDATE_ID, &count));
    CHECK(m->get_real(route.id, MUSTER_CANDIDATE_ESTIMATE_US, 0, &real) >= 0);
    OK(m->prepare(session, program, &compile, &dispatch, &kernel));
    OK(m->kernel_route(kernel, &route));
    OK(m->kernel_artifact(kernel, &artifact));
    OK(m->route_kernel(session, kernel, &dispatch, &route));
    OK(m->place(session, kernel, &dispatch));
    OK(m->dispatch(session, kernel, &dispatch, &ticket));
    OK(m->on_end(ticket, on_end, &ended));
    ZERO(timing);
    OK(m->wait(ticket, MUSTER_FOREVER, &timing));
    OK(m->abandon(ticket));
    OK(m->run(session, kernel, &dispatch, MUSTER_FOREVER, &timing));
    OK(m->bind(session, kernel, &dispatch, &bound));
    dispatch.arguments = NULL;
    dispatch.argument_count = 0;
    OK(m->dispatch_bound(session, bound, &dispatch, NULL));
    OK(m->buffer_read(buffer, 28, &word, 4, MUSTER_FOREVER));
    CHECK(word == 21);  // ((0 * 2 + 3) * 2 + 3) * 2 + 3
    OK(m->buffer_read(buffer, 32, &word, 4, MUSTER_FOREVER));
    CHECK(word == 0);

    word = 5;
    OK(m->buffer_write(buffer, 0, &word, 4, MUSTER_FOREVER));
    from.buffer = buffer;
    from.offset = from.bytes = 0;
    to.buffer = other;
    to.offset = to.bytes = 0;
    OK(m->copy(session, &from, &to, NULL));
    OK(m->buffer_sync(other, MUSTER_FOREVER, &memory));
    CHECK(memory != NULL && *(uint32_t*)memory == 5);
    OK(m->fill(session, &to, 7, NULL));
    OK(m->snapshot(session, &to, &buffer, NULL));
    OK(m->buffer_read(buffer, 252, &word, 4, MUSTER_FOREVER));
    CHECK(word == 7);

    ZERO(export_);
    export_.copy = MUSTER_COPY_IF_NEEDED;
    OK(m->buffer_to_dlpack(other, &export_, &tensor));
    ZERO(import);
    OK(m->buffer_from_dlpack(session, tensor, &import, &buffer));

    OK(m->sequence_create(session, &sequence));
    OK(m->sequence_fill(sequence, &from, 1));
    OK(m->sequence_copy(sequence, &from, &to));
    OK(m->sequence_dispatch_bound(sequence, bound, &dispatch));
    dispatch.arguments = &argument;
    dispatch.argument_count = 1;
    OK(m->sequence_dispatch(sequence, kernel, &dispatch));
    OK(m->sequence_submit(sequence, &ticket));
    OK(m->wait(ticket, MUSTER_FOREVER, NULL));
    OK(m->buffer_read(argument.buffer, 0, &word, 4, MUSTER_FOREVER));
    CHECK(word == 13);

    ZERO(emit);
    emit.backend = muster_text("reference");
    CHECK(m->emit(session, program, &emit, &artifact) <= 0);
    CHECK(m->package(session, program, &emit, 1, &blob) <= 0);
    CHECK(m->disassemble(artifact, &blob) <= 0);

    OK(m->duplicate(over.id, &copied));
    OK(m->kind_of(copied, &kind));
    CHECK(kind == MUSTER_KIND_BUFFER);
    OK(m->release(over.id));
    CHECK(m->release(over.id) == MUSTER_ERROR_INVALID_HANDLE);
    CHECK(released == 0);
    OK(m->release(copied));
    CHECK(released == 1);
    OK(m->session_close(session));
    CHECK(ended == 1);
    CHECK(m->dispatch(session, kernel, &dispatch, NULL) == MUSTER_ERROR_REFUSED);
}

// Models and conformance, which may not be installed: then each is "unavailable".
static void run_parts(void) {
    static const char graph[] = "not a graph";
    const int64_t sizes[1] = {2};
    const float data[2] = {1, 2};
    size_t count = 0;
    muster_session session;
    muster_tensor_options options;
    muster_tensor tensor, taken;
    muster_export_options export_;
    struct DLManagedTensorVersioned* made = NULL;
    muster_model_options model_options;
    muster_model model;
    muster_model_end end;
    muster_check_options check;
    muster_report report;
    muster_blob json;
    muster_string nothing;

    OK(m->session_open(NULL, &session));
    ZERO(options);
    options.element = MUSTER_F32;
    options.sizes = sizes;
    options.rank = 1;
    options.data = data;
    options.bytes = sizeof data;
    if (m->tensor_create(&options, &tensor) == MUSTER_OK) {
        ZERO(export_);
        export_.copy = MUSTER_COPY_ALWAYS;
        OK(m->tensor_to_dlpack(tensor, &export_, &made));
        OK(m->tensor_from_dlpack(made, NULL, &taken));
    }
    ZERO(model_options);
    model_options.data = graph;
    model_options.size = sizeof graph - 1;
    CHECK(m->model_open(session, &model_options, &model) < 0);
    memset(&model, 0, sizeof model);
    memset(&tensor, 0, sizeof tensor);
    ZERO(end);
    CHECK(m->model_end(model, 0, 0, &end) < 0);
    CHECK(m->model_run(model, &tensor, 1, &taken, 1, &count) < 0);
    CHECK(m->model_prepare(model, &tensor, 1, &json) < 0);
    CHECK(m->model_route(model, &tensor, 1, &json) < 0);
    CHECK(m->model_profile(model, &tensor, 1, &json) < 0);
    ZERO(check);
    nothing = muster_text("no such case");
    check.cases = &nothing;
    check.case_count = 1;
    check.progress = on_progress;
    check.user = &progressed;
    CHECK(m->check(&check, &report) < 0);
}

int main(void) {
    muster_versions offered;
    ZERO(offered);
    CHECK(muster_get_api(1000000, &m, &offered) == MUSTER_ERROR_VERSION);
    CHECK(m == NULL && offered.oldest <= 1 && offered.newest >= 1 && offered.library.size > 0);
    OK(muster_get_api(1, &m, NULL));
    CHECK(m->version >= 1 && m->struct_size >= sizeof(muster_api));
    run_kernels();
    run_parts();
    printf("ok\n");
    return 0;
}
