// lang.cpp - kernels in C++ that must not compile, and some that must (check_refusals).
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> mass;
};

struct Counter {
    Field<Atomic<u32>> count;
};

// case accepted
// compiles
struct List {
    Field<Atomic<u32>, Align<16>, Size<8>> count;
    Field<Array<Particle>> items;
};

auto structures() {
    return kernel("k(x, y, list)", {64}, [](In<Particle> x, Uniform<Particle> y, Storage<List> list) {
        Value<u32> slot = list.count.add(1u);
        list.items[slot] = construct<Particle>(x[slot].position, y.mass);
        list.items[slot].mass += 1.0f;
    });
}

auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if_((x[i] < a) & (i < 7u), [&] { y[i] = x[i]; });
    });
}

// case assign_to_constant_storage
// error: a Storage<const T> is read-only: declare the parameter as Storage<T>
auto program() {
    return kernel("k(x, y)", {64}, [](Storage<const f32> x, Storage<f32> y) { x = y; });
}

// case assign_to_in
// error: an In or Uniform is read-only: declare the parameter as InOut or Out
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        x[i] = a + y[i];
    });
}

// case assign_to_in_member
// error: an In or Uniform is read-only: declare the parameter as InOut or Out
auto program() {
    return kernel("k(x)", {64}, [](In<Particle> x) { x[global_invocation_id().x()].mass = 1.0f; });
}

// case assign_to_uniform
// error: an In or Uniform is read-only: declare the parameter as InOut or Out
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        a = y[i] + x[i];
    });
}

// case atomic_value
// error: a Value holds no atomics, and nothing that is sized at run time
auto program() {
    return kernel("k(x)", {64}, [](Storage<Counter> x) { Value<Counter> copy = x; });
}

// case bool_member
// error: a bool has no layout outside the program: use a u32, 0 or 1
struct Flags {
    Field<bool> on;
};

auto program() {
    return kernel("k(x, y)", {64}, [](Uniform<Flags> x, Storage<u32> y) { if_(x.on, [&] { y = 1u; }); });
}

// case constant_atomic
// error: an atomic is never only read: declare Storage<T>
auto program() {
    return kernel("k(x, y)", {64}, [](Storage<const Counter> x, Storage<u32> y) { y = x.count.load(); });
}

// case construct_scalar
// error: construct makes structures, fixed-size arrays and matrices; vec<f32>.* makes vectors
auto program() {
    return kernel("k(x)", {64}, [](Storage<vec2<f32>> x) { x = construct<vec2<f32>>(1.0f, 2.0f); });
}

// case host_condition
// error: could not convert|not contextually convertible
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if (x[i] < a) y[i] = 1.0f;
    });
}

// case kept_component
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<vec3<f32>> y) {
        auto i = global_invocation_id().x();
        auto v = y[i].x();
        v = x[i] + a;
    });
}

// case kept_place
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        auto element = y[i];
        y[i] = element + x[i] + a;
    });
}

// case kept_place_assigned
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<vec3<f32>> y) {
        auto i = global_invocation_id().x();
        auto v = y[i];
        v = a * y[i];
    });
}

// case kept_place_component
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<vec3<f32>> y) {
        auto i = global_invocation_id().x();
        auto v = y[i];
        y[i].y() = v.x() + x[i] + a;
    });
}

// case kept_place_updated
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<vec3<f32>> y) {
        auto i = global_invocation_id().x();
        auto v = y[i];
        v += x[i] + a;
    });
}

// case kept_read_only_place
// error: write Value<f32> v = x\[i\] to read it there, once, and x\[i\] = ... to assign
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<vec3<f32>> y) {
        auto i = global_invocation_id().x();
        auto v = x[i];
        y[i].x() = v * v + a;
    });
}

// case logical_and
// error: && on device values doesn't stop at its left side: use &
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if_(x[i] < a && y[i] < a, [&] { y[i] = 1.0f; });
    });
}

// case logical_or
// error: \|\| on device values doesn't stop at its left side: use \|
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        if_(x[i] < a || true, [&] { y[i] = 1.0f; });
    });
}

// case missing_component
// error: the value has no such component
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = vec<f32>(x[i], a).z();
    });
}

// case mixed_scalars
// error: no match for .*operator|invalid operands to binary expression
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = x[i] + i + a;
    });
}

// case plain_field
// error: each field of a structure is a Field<...>
struct Mixed {
    Field<f32> a;
    float b;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Mixed> x) { x.a = 1.0f; });
}

// case runtime_array_inside
// error: an array sized at run time is the last member of the outermost structure
struct List {
    Field<Array<f32>> items;
    Field<u32> count;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<List> x) { x.count = 1u; });
}

// case small_align
// error: a Field.s Align is a power of two, and no less than its type.s own alignment
struct Tight {
    Field<vec4<f32>, Align<8>> colour;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Tight> x) { x.colour = x.colour; });
}

// case small_size
// error: a Field.s Size is no less than its type.s own size
struct Tight {
    Field<vec4<f32>, Size<12>> colour;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Tight> x) { x.colour = x.colour; });
}

// case structure_operator
// error: no match for .operator\+.|invalid operands
auto program() {
    return kernel("k(x)", {64}, [](InOut<Particle> x) { x[0] = x[1] + x[2]; });
}

// case swizzle_letters
// error: no matching (member )?function for call to .*swizzle
auto program() {
    return kernel("k(a, x, y)", {64}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = dot(vec<f32>(x[i], a).swizzle<"xq">(), vec<f32>(a, a));
    });
}

// case too_many_members
// error: a structure has at most 32 members: nest some in another
struct Wide {
    Field<f32> a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21,
        a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33;
};

auto program() {
    return kernel("k(x)", {64}, [](Storage<Wide> x) { x.a1 = 1.0f; });
}
