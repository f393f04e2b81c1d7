// saxpy.c - computes y = 2 * x + y on the best backend that is linked: examples/saxpy in C. C11 and C++98.
#include "host.h"

enum { count = 1000 };

int main(void) {
    static const char text[] =
        "@group(0) @binding(0) var<uniform> a: f32;\n"
        "@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
        "@group(0) @binding(2) var<storage, read_write> y: array<f32>;\n"
        "@compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3u) {\n"
        "    y[id.x] = a * x[id.x] + y[id.x];\n"
        "}\n";
    static float x[count], y[count];
    const float a = 2.0f;
    muster_session session;
    muster_program program;
    muster_kernel kernel;
    muster_buffer on_x, on_y;
    muster_argument arguments[3];
    muster_dispatch dispatch;
    muster_ticket ticket;
    muster_string where;
    int i;

    get_api();
    for (i = 0; i < count; ++i) {
        x[i] = 3.0f;
        y[i] = 1.0f;
    }
    CHECK(m->session_open(NULL, &session));
    program = parse(text);
    CHECK(m->prepare(session, program, NULL, NULL, &kernel));
    on_x = buffer_of(session, x, sizeof x);
    on_y = buffer_of(session, y, sizeof y);

    memset(arguments, 0, sizeof arguments);
    arguments[0].struct_size = sizeof arguments[0];
    arguments[0].name = muster_text("a");
    arguments[0].element = MUSTER_F32;
    arguments[0].value = &a;
    arguments[0].bytes = sizeof a;
    arguments[1] = bound("x", on_x);
    arguments[2] = bound("y", on_y);
    dispatch = over(arguments, 3, count);
    CHECK(m->dispatch(session, kernel, &dispatch, &ticket));
    CHECK(m->wait(ticket, MUSTER_FOREVER, NULL));
    CHECK(m->buffer_read(on_y, 0, y, sizeof y, MUSTER_FOREVER));

    CHECK(m->get_text(kernel.id, MUSTER_ID, 0, &where));
    printf("2 * 3 + 1 = %g on %.*s\n", (double)y[count - 1], (int)where.size, where.data);
    for (i = 0; i < count; ++i)
        if (y[i] != 7.0f) return 1;
    CHECK(m->release(ticket.id));
    CHECK(m->release(on_x.id));
    CHECK(m->release(on_y.id));
    CHECK(m->release(kernel.id));
    CHECK(m->release(program.id));
    CHECK(m->release(session.id));
    return 0;
}
