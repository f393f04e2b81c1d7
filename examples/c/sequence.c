// sequence.c - a pipeline that is recorded once and submitted many times: fill, two kernels, a copy. C11 and C++98.
#include "host.h"

enum { count = 256, rounds = 10 };

int main(void) {
    static const char text[] =
        "@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n"
        "@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3u) { v[id.x] += id.x; }\n";
    static const char doubling[] =
        "@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n"
        "@compute @workgroup_size(64) fn twice(@builtin(global_invocation_id) id: vec3u) { v[id.x] *= 2u; }\n";
    static uint32_t values[count];
    muster_session session;
    muster_program add, twice;
    muster_kernel add_kernel, twice_kernel;
    muster_buffer v, saved;
    muster_argument argument;
    muster_dispatch dispatch;
    muster_sequence sequence;
    muster_range all_of_v, all_of_saved;
    uint32_t i;

    get_api();
    CHECK(m->session_open(NULL, &session));
    add = parse(text);
    twice = parse(doubling);
    CHECK(m->prepare(session, add, NULL, NULL, &add_kernel));
    CHECK(m->prepare(session, twice, NULL, NULL, &twice_kernel));
    v = buffer_of(session, NULL, sizeof values);
    saved = buffer_of(session, NULL, sizeof values);
    memset(&all_of_v, 0, sizeof all_of_v);
    all_of_v.buffer = v;
    memset(&all_of_saved, 0, sizeof all_of_saved);
    all_of_saved.buffer = saved;

    argument = bound("v", v);
    dispatch = over(&argument, 1, count);
    CHECK(m->sequence_create(session, &sequence));
    CHECK(m->sequence_fill(sequence, &all_of_v, 5));
    CHECK(m->sequence_dispatch(sequence, add_kernel, &dispatch));
    CHECK(m->sequence_dispatch(sequence, twice_kernel, &dispatch));
    CHECK(m->sequence_copy(sequence, &all_of_v, &all_of_saved));
    for (i = 0; i < rounds; ++i) {
        muster_ticket ticket;
        CHECK(m->sequence_submit(sequence, &ticket));
        CHECK(m->wait(ticket, MUSTER_FOREVER, NULL));
        CHECK(m->release(ticket.id));
    }
    CHECK(m->buffer_read(saved, 0, values, sizeof values, MUSTER_FOREVER));
    for (i = 0; i < count; ++i)
        if (values[i] != 2 * (5 + i)) return 1;
    printf("%d submissions, the last value is %u\n", (int)rounds, (unsigned)values[count - 1]);
    return 0;
}
