/* A backend in C without a compiler: whatever it builds, its kernel adds 1 to each word of the first binding. It keeps what it was
   given, for the test to look at. */
#include "c_table/double.h"

#include <stdlib.h>
#include <string.h>

double_seen double_has_seen;

static muster_backend_status describe(uint32_t ordinal, muster_backend_device* to, muster_backend_error* error) {
    (void)ordinal, (void)error;
    strcpy(to->name, "a double");
    strcpy(to->lacks, "fma  atomic_add");
    to->kind = MUSTER_BACKEND_KIND_CPU;
    return MUSTER_BACKEND_OK;
}

static muster_backend_status open_device(uint32_t ordinal, void** device, muster_backend_error* error) {
    if (ordinal != 0) return muster_backend_fail(error, MUSTER_BACKEND_NOT_FOUND, "There is one device.", "open 0");
    ++double_has_seen.open_devices;
    *device = &double_has_seen;
    return MUSTER_BACKEND_OK;
}
static void close_device(void* device) { --((double_seen*)device)->open_devices; }

static muster_backend_status build(void* device, const muster_backend_code* code, void** executable,
                                   muster_backend_error* error) {
    double_seen* const seen = device;
    (void)error;
    seen->form = code->form;
    seen->flags = code->flags;
    seen->stride = code->binding_count != 0 ? code->bindings[0]->array_stride : 0;
    seen->option_count = code->option_count;
    strncpy(seen->entry, code->entry.data, sizeof seen->entry - 1);
    seen->text_ends = code->text.data[code->text.size] == '\0';
    ++seen->executables;
    *executable = seen;
    return MUSTER_BACKEND_OK;
}
static void release(void* device, void* executable) {
    (void)executable;
    --((double_seen*)device)->executables;
}

static muster_backend_status allocate(void* device, uint64_t bytes, void** memory, muster_backend_error* error) {
    *memory = calloc(bytes, 1);
    if (*memory == NULL) return muster_backend_fail(error, MUSTER_BACKEND_OUT_OF_MEMORY, "There is no memory.", "");
    ++((double_seen*)device)->memories;
    return MUSTER_BACKEND_OK;
}
static void free_memory(void* device, void* memory) {
    --((double_seen*)device)->memories;
    free(memory);
}
static muster_backend_status write_memory(void* device, void* memory, uint64_t offset, const void* from, uint64_t bytes,
                                          muster_backend_error* error) {
    (void)device, (void)error;
    memcpy((char*)memory + offset, from, bytes);
    return MUSTER_BACKEND_OK;
}
static muster_backend_status read_memory(void* device, const void* memory, uint64_t offset, void* to, uint64_t bytes,
                                         muster_backend_error* error) {
    (void)device, (void)error;
    memcpy(to, (const char*)memory + offset, bytes);
    return MUSTER_BACKEND_OK;
}
static muster_backend_status copy_memory(void* device, void* to, uint64_t to_offset, const void* from, uint64_t from_offset,
                                         uint64_t bytes, uint32_t word, muster_backend_error* error) {
    (void)device, (void)error;
    if (from != NULL)
        memcpy((char*)to + to_offset, (const char*)from + from_offset, bytes);
    else
        for (uint64_t at = 0; at < bytes; at += sizeof word) memcpy((char*)to + to_offset + at, &word, sizeof word);
    return MUSTER_BACKEND_OK;
}

static muster_backend_status launch(void* device, const muster_backend_launch* what, void** submission,
                                    muster_backend_error* error) {
    double_seen* const seen = device;
    const muster_backend_argument* const first = &what->arguments[0];
    unsigned* const words = (unsigned*)(void*)((char*)first->memory + first->offset);
    (void)submission;
    seen->length = what->lengths[0];
    seen->extent = what->extent[0];
    seen->has_address = what->addresses[0] != NULL;
    if (what->argument_count > 1) {
        seen->value = *(const uint32_t*)what->arguments[1].value;
        seen->value_is_aligned = (uintptr_t)what->addresses[1] % 16 == 0;
    }
    if (seen->value == 666) return muster_backend_fail(error, MUSTER_BACKEND_DEVICE_LOST, "It burns.\n", "put it out");
    for (uint64_t i = 0; i < first->bytes / sizeof *words; ++i) ++words[i];
    return MUSTER_BACKEND_OK;
}

#define TEXT(literal) {literal, sizeof literal - 1}
static const muster_backend_option specs[] = {{TEXT("level"), TEXT("how hard to try")}};

const muster_backend_table double_table = {
    .struct_size = sizeof(muster_backend_table),
    .version = MUSTER_BACKEND_VERSION,
    .forms = MUSTER_BACKEND_GNU99 | MUSTER_BACKEND_WGSL,
    .specs = specs,
    .spec_count = 1,
    .describe_device = describe,
    .open = open_device,
    .close = close_device,
    .build = build,
    .release = release,
    .allocate = allocate,
    .free = free_memory,
    .write = write_memory,
    .read = read_memory,
    .copy = copy_memory,
    .launch = launch,
};
MUSTER_BACKEND_RECORDS("double", 400, 1, "debug experimental", &double_table)
