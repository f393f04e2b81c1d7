// expect:
#include <muster/foundation/lang/kernel.hpp>

using namespace muster::lang;

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> mass;
};
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
