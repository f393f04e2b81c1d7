// ask.c - asks before it dispatches: which devices there are, which one a program would run on, and why not on the others. It
// needs no table of its own of what devices can do. C11 and C++98.
#include "host.h"

static void print(const char* before, uint64_t object, int32_t property, size_t index) {
    muster_string text;
    if (m->get_text(object, property, index, &text) != MUSTER_OK) return;
    printf("%s%.*s", before, (int)text.size, text.data);
}

int main(void) {
    muster_session session;
    muster_device devices[16];
    muster_program program;
    muster_route route;
    muster_blob json;
    muster_string text;
    size_t count, i;
    uint64_t number;

    get_api();
    CHECK(m->session_open(NULL, &session));
    CHECK(m->devices(session.id, devices, 16, &count));
    program = parse("@group(0) @binding(0) var<storage, read_write> v: array<f32>;\n"
                    "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { v[i] = 1.0; }\n");
    for (i = 0; i < count && i < 16; ++i) {
        print("", devices[i].id, MUSTER_ID, 0);
        print("  ", devices[i].id, MUSTER_NAME, 0);
        if (m->get_number(devices[i].id, MUSTER_MAX_WORKGROUP_INVOCATIONS, 0, &number) == MUSTER_OK)
            printf(", workgroups of up to %lu", (unsigned long)number);
        printf(m->device_supports(devices[i], program, NULL) == MUSTER_OK ? ", can run it\n" : ", can't run it\n");
    }

    CHECK(m->route(session, program, NULL, NULL, MUSTER_ROUTE_ASKS_ALL, &route));
    CHECK(m->get_number(route.id, MUSTER_OUTCOME, 0, &number));
    if (number != MUSTER_EXECUTES) {
        print("", route.id, MUSTER_EXPLANATION, 0);
        return 1;
    }
    CHECK(m->get_count(route.id, MUSTER_CANDIDATE_ID, &count));
    for (i = 0; i < count; ++i) {
        print("  ", route.id, MUSTER_CANDIDATE_ID, i);
        print(": ", route.id, MUSTER_CANDIDATE_REASON, i);
        print(". ", route.id, MUSTER_CANDIDATE_MESSAGE, i);
        printf("\n");
    }
    print("It would run on ", route.id, MUSTER_ID, 0);
    printf("\n");
    CHECK(m->get_json(route.id, &json));
    CHECK(m->get_text(json.id, MUSTER_CONTENT, 0, &text));
    if (text.size == 0 || text.data[0] != '{') return 1;
    return 0;
}
