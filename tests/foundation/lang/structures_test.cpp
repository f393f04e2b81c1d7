// Structures and arrays in the language embedded in C++: the same programs as from WGSL text, and errors when a
// kernel is recorded. Errors at compile time are in tests/refusals.
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <support/same_program.hpp>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/lang/kernel.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::lang;
using namespace muster::test;

namespace {

void check_refused(const Result<Program>& program, std::string_view what, std::string_view fix) {
    REQUIRE_FALSE(program);
    CHECK(program.error().code == ErrorCode::invalid_program);
    const std::string text = program.error().to_string();
    CAPTURE(text);
    CHECK(text.find(what) != text.npos);
    CHECK(text.find(fix) != text.npos);
    CHECK(text.find("structures_test.cpp:") != text.npos);
}

struct Particle {
    Field<vec3<f32>> position;
    Field<f32> mass;
    Field<vec3<f32>> velocity;
};
struct Params {
    Field<f32> dt;
    Field<u32> count;
    Field<vec4<f32>> bounds;
};

struct Inner {
    Field<vec2<i32>> corner;
    Field<Array<u32, 3>> counts;
};
struct Outer {
    Field<Inner> first;
    Field<Array<Inner, 2>> rest;
    Field<f32> weight;
    auto total() const { return first.counts[0] + rest[1].counts[2]; }
};
struct Attributed {
    Field<f32> a;
    Field<vec3<f32>, Align<32>> b;
    Field<u32, Size<20>> c;
    Field<u32, Size<8>, Align<8>> d;
};
struct List {
    Field<Atomic<u32>> count;
    Field<Array<Particle>> items;
};
struct Hits {
    Field<Array<Atomic<u32>, 4>> hits;
};
struct Wide {
    Field<f32> a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21;
    Field<i32> b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11;
};
template <class T>
struct Pair {
    Field<T> low, high;
};
struct Camera {
    Field<mat4x4<f32>> view;
    Field<mat3x2<f32>> warp;
};

}  // namespace

TEST_CASE("arrays of structures and a uniform structure are those of the text") {
    check_same(kernel("step(params, from_, to)", {64},
                      [](Uniform<Params> params, In<Particle> from, Out<Particle> to) {
                          auto i = global_invocation_id().x();
                          if_(i >= params.count, [&] { return_(); });
                          to[i].position = from[i].position + params.dt * from[i].velocity;
                          to[i].velocity.y() = from[i].velocity.y() - params.bounds.w() * params.dt;
                          to[i + 1u].mass += from[i].mass;
                          Value<Particle> old = from[i + 2u];
                          to[i + 2u] = old;
                          to[i + 3u].mass = old.mass * old.velocity.swizzle<"yx">().x();
                          to[i + 4u] = to[i + 5u];
                      }),
               R"(
        struct Particle { position: vec3f, mass: f32, velocity: vec3f }
        struct Params { dt: f32, count: u32, bounds: vec4f }
        @group(0) @binding(0) var<uniform> params: Params;
        @group(0) @binding(1) var<storage, read> from_: array<Particle>;
        @group(0) @binding(2) var<storage, read_write> to: array<Particle>;
        @compute @workgroup_size(64) fn step(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            if i >= params.count { return; }
            to[i].position = from_[i].position + params.dt * from_[i].velocity;
            to[i].velocity.y = from_[i].velocity.y - params.bounds.w * params.dt;
            to[i + 1].mass += from_[i].mass;
            let old = from_[i + 2];
            to[i + 2] = old;
            to[i + 3].mass = old.mass * old.velocity.yx.x;
            to[i + 4] = to[i + 5];
        })");
}

TEST_CASE("nested structures and arrays within them are those of the text") {
    check_same(kernel("nest(c, x, y)", {1},
                      [](Uniform<Array<vec4<f32>, 4>> c, In<Outer> x, InOut<Outer> y) {
                          auto i = global_invocation_id().x();
                          y[i].first = x[i].first;
                          y[i].first.counts = x[i].rest[1].counts;
                          y[i].rest[i].counts[2] = x[i].total() - x[i].first.counts[i];
                          y[i].rest = x[i + 1u].rest;
                          y[i].rest[0].corner.x() *= x[i].rest[i].corner[1];
                          y[i].weight = c[i].z() + c[3][i];
                          Value<Outer> all = x[i];
                          Value<Array<Inner, 2>> pair = all.rest;
                          y[i].first = pair[1];
                          y[i].rest[1].counts[0] = pair[i].counts[2] + all.first.counts[i] + all.total();
                          y[i].rest[1].corner = all.rest[i].corner * all.first.corner.y();
                      }),
               R"(
        struct Inner { corner: vec2i, counts: array<u32, 3> }
        struct Outer { first: Inner, rest: array<Inner, 2>, weight: f32 }
        @group(0) @binding(0) var<uniform> c: array<vec4f, 4>;
        @group(0) @binding(1) var<storage, read> x: array<Outer>;
        @group(0) @binding(2) var<storage, read_write> y: array<Outer>;
        @compute @workgroup_size(1) fn nest(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            y[i].first = x[i].first;
            y[i].first.counts = x[i].rest[1].counts;
            y[i].rest[i].counts[2] = x[i].first.counts[0] + x[i].rest[1].counts[2] - x[i].first.counts[i];
            y[i].rest = x[i + 1].rest;
            y[i].rest[0].corner.x *= x[i].rest[i].corner[1];
            y[i].weight = c[i].z + c[3][i];
            let all = x[i];
            let pair = all.rest;
            y[i].first = pair[1];
            y[i].rest[1].counts[0] = pair[i].counts[2] + all.first.counts[i]
                + (all.first.counts[0] + all.rest[1].counts[2]);
            y[i].rest[1].corner = all.rest[i].corner * all.first.corner.y;
        })");
}

TEST_CASE("alignments and sizes that are asked for are those of the text") {
    check_same(kernel("attributes(u, y)", {1},
                      [](Uniform<Attributed> u, InOut<Attributed> y) {
                          y[0].b = u.b * u.a;
                          y[1].d = u.c + u.d;
                      }),
               R"(
        struct Attributed { a: f32, @align(32) b: vec3f, @size(20) c: u32, @size(8) @align(8) d: u32 }
        @group(0) @binding(0) var<uniform> u: Attributed;
        @group(0) @binding(1) var<storage, read_write> y: array<Attributed>;
        @compute @workgroup_size(1) fn attributes() {
            y[0].b = u.b * u.a;
            y[1].d = u.c + u.d;
        })");
}

TEST_CASE("a structure of as many members as there may be is that of the text") {
    std::string members;
    for (int k = 1; k <= 21; ++k) members += "a" + std::to_string(k) + ": f32, ";
    for (int k = 1; k <= 11; ++k) members += "b" + std::to_string(k) + ": i32, ";
    const std::string text = "struct Wide { " + members + R"( }
        @group(0) @binding(0) var<storage, read> w: Wide;
        @group(0) @binding(1) var<storage, read_write> y: f32;
        @compute @workgroup_size(1) fn wide() { y = w.a1 + w.a21 * f32(w.b11); })";
    check_same(kernel("wide(w, y)", {1},
                      [](Storage<const Wide> w, Storage<f32> y) { y = w.a1 + w.a21 * to<f32>(w.b11); }),
               text.c_str());
}

TEST_CASE("hosts are told the size that the program's type has") {
    const auto check = []<class T>(std::type_identity<T>) {
        const Program program = made(kernel("k(y)", {1}, [](InOut<T> y) { y[1] = y[0]; }));
        const TypeTable& types = program.types();
        const Type& array = types[program.variable(program.bindings()[0]).type];
        CHECK(byte_size<T> == types[array.element].size);
        CHECK(detail::Element<T>::align == types[array.element].align);
    };
    check(std::type_identity<vec3<f32>>{});
    check(std::type_identity<Array<vec3<u32>, 3>>{});
    check(std::type_identity<Particle>{});
    check(std::type_identity<Outer>{});
    check(std::type_identity<Attributed>{});
}

TEST_CASE("storage of one thing is that of the text") {
    check_same(kernel("single(a, b, c, d, e, f, g)", {64},
                      [](Storage<f32> a, Storage<const vec3<f32>> b, Storage<Atomic<u32>> c,
                         Storage<Array<f32, 8>> d, Storage<const Array<Particle, 2>> e, Storage<List> f,
                         Storage<const Array<f32>> g) {
                          auto i = local_invocation_index();
                          a = a + b.y() * length(b);
                          a *= 2;
                          c.add(1);
                          d[i] = e[1].mass + g[g.length() - 1u];
                          Value<u32> slot = f.count.add(1);
                          if_(slot < f.items.length(), [&] {
                              f.items[slot] = e[0];
                              f.items[slot].velocity.x() = d[7];
                          });
                          d = construct<Array<f32, 8>>();
                      }),
               R"(
        struct Particle { position: vec3f, mass: f32, velocity: vec3f }
        struct List { count: atomic<u32>, items: array<Particle> }
        @group(0) @binding(0) var<storage, read_write> a: f32;
        @group(0) @binding(1) var<storage, read> b: vec3f;
        @group(0) @binding(2) var<storage, read_write> c: atomic<u32>;
        @group(0) @binding(3) var<storage, read_write> d: array<f32, 8>;
        @group(0) @binding(4) var<storage, read> e: array<Particle, 2>;
        @group(0) @binding(5) var<storage, read_write> f: List;
        @group(0) @binding(6) var<storage, read> g: array<f32>;
        @compute @workgroup_size(64) fn single(@builtin(local_invocation_index) i: u32) {
            a = a + b.y * length(b);
            a *= 2;
            atomicAdd(&c, 1);
            d[i] = e[1].mass + g[arrayLength(&g) - 1];
            let slot = atomicAdd(&f.count, 1);
            if slot < arrayLength(&f.items) {
                f.items[slot] = e[0];
                f.items[slot].velocity.x = d[7];
            }
            d = array<f32, 8>();
        })");
}

TEST_CASE("variables of structures and arrays are those of the text") {
    check_same(kernel("variables(x, y)", {32},
                      [](In<Particle> x, InOut<Particle> y) {
                          Private<Particle> last;
                          Private<f32> seed = 3.0f;
                          Private<vec2<f32>, 2> table =
                              construct<Array<vec2<f32>, 2>>(vec<f32>(1, 2), vec<f32>(3, 4));
                          Workgroup<Particle, 32> tile;
                          Workgroup<Hits> shared;
                          Workgroup<u32> flag;
                          auto l = local_invocation_index();
                          tile[l] = x[l];
                          flag = l;
                          shared.hits[l].add(1);
                          workgroup_barrier();
                          Var<Particle> p = tile[31u - l];
                          Var<Particle> q;
                          q = p;
                          Value<u32> hits = shared.hits[0].load();
                          q.mass = seed + to<f32>(flag) + to<f32>(hits);
                          q.position.z() -= p.mass;
                          last = q;
                          Var<Array<f32, 4>> window;
                          window[l] = last.mass * table[l].y();
                          Var<Array<f32, 4>> other = Value<Array<f32, 4>>(window);
                          window = construct<Array<f32, 4>>(1, other[l], q.mass, 2);
                          q.velocity = vec<f32>(window[1], window[2], other[3]);
                          y[l] = q;
                          y[l + 1u] = last;
                      }),
               R"(
        struct Particle { position: vec3f, mass: f32, velocity: vec3f }
        struct Hits { hits: array<atomic<u32>, 4> }
        @group(0) @binding(0) var<storage, read> x: array<Particle>;
        @group(0) @binding(1) var<storage, read_write> y: array<Particle>;
        var<private> last: Particle;
        var<private> seed = 3.0;
        var<private> table = array(vec2f(1, 2), vec2f(3, 4));
        var<workgroup> tile: array<Particle, 32>;
        var<workgroup> shared_: Hits;
        var<workgroup> flag: u32;
        @compute @workgroup_size(32) fn variables(@builtin(local_invocation_index) l: u32) {
            tile[l] = x[l];
            flag = l;
            atomicAdd(&shared_.hits[l], 1);
            workgroupBarrier();
            var p = tile[31 - l];
            var q: Particle;
            q = p;
            let hits = atomicLoad(&shared_.hits[0]);
            q.mass = seed + f32(flag) + f32(hits);
            q.position.z -= p.mass;
            last = q;
            var window: array<f32, 4>;
            window[l] = last.mass * table[l].y;
            var other = window;
            window = array<f32, 4>(1, other[l], q.mass, 2);
            q.velocity = vec3f(window[1], window[2], other[3]);
            y[l] = q;
            y[l + 1] = last;
        })");
}

TEST_CASE("values of structures and arrays are constructed, copied and taken apart as in the text") {
    check_same(kernel("values(x, y)", {1},
                      [](In<f32> x, InOut<Particle> y) {
                          Value<Particle> p = construct<Particle>(vec<f32>(x[0], 0, 1), x[1], y[0].velocity);
                          y[0] = p;
                          y[1].mass = p.mass + p.position.x();
                          Value<Particle> z = construct<Particle>();
                          y[2] = z;
                          y[3] = construct<Particle>(vec<f32>(1, 2, 3), 4, vec<f32>(5, 6, 7));
                          y[4].mass = construct<Array<f32, 3>>(x[2], 1, x[3])[2];
                          Value<vec3<f32>> v = p.velocity;
                          Value<u32> k = to<u32>(x[4]);
                          y[5].mass = v[k] + v[1];
                          const auto energy = [](const Particle& of) { return of.mass * of.velocity.x(); };
                          y[6].mass = energy(p) + energy(y[7]);
                          p = y[8];
                          y[9] = p;
                      }),
               R"(
        struct Particle { position: vec3f, mass: f32, velocity: vec3f }
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<Particle>;
        @compute @workgroup_size(1) fn values() {
            let p = Particle(vec3f(x[0], 0, 1), x[1], y[0].velocity);
            y[0] = p;
            y[1].mass = p.mass + p.position.x;
            let z = Particle();
            y[2] = z;
            y[3] = Particle(vec3f(1, 2, 3), 4, vec3f(5, 6, 7));
            y[4].mass = array<f32, 3>(x[2], 1, x[3])[2];
            let v = p.velocity;
            let k = u32(x[4]);
            y[5].mass = v[k] + v[1];
            y[6].mass = p.mass * p.velocity.x + y[7].mass * y[7].velocity.x;
            let p2 = y[8];
            y[9] = p2;
        })");
}

TEST_CASE("a place of a structure under a name is WGSL's pointer") {
    check_same(kernel("pointer(y)", {1},
                      [](InOut<Outer> y) {
                          auto i = global_invocation_id().x();
                          auto e = y[i];
                          e.weight = e.weight * 2.0f;
                          if_(e.first.counts[0] > 1u, [&] { e.rest[0] = e.first; });
                          e.rest[1].corner = e.rest[0].corner;
                          Var<u32> k = i;
                          auto f = y[k];
                          k = 5u;
                          f.weight = e.weight;
                      }),
               R"(
        struct Inner { corner: vec2i, counts: array<u32, 3> }
        struct Outer { first: Inner, rest: array<Inner, 2>, weight: f32 }
        @group(0) @binding(0) var<storage, read_write> y: array<Outer>;
        @compute @workgroup_size(1) fn pointer(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            let e = &y[i];
            (*e).weight = (*e).weight * 2;
            if (*e).first.counts[0] > 1 { (*e).rest[0] = (*e).first; }
            (*e).rest[1].corner = (*e).rest[0].corner;
            var k = i;
            let f = &y[k];
            k = 5;
            (*f).weight = (*e).weight;
        })");
}

TEST_CASE("a structure's name is the C++ one, without its scope") {
    const Program program = made(kernel("names(y, z)", {1}, [](InOut<Pair<f32>> y, InOut<Pair<Particle>> z) {
        y[0].low = z[0].high.mass;
        z[0].low = z[0].high;
    }));
    CHECK(program.types().name(program.variable(program.bindings()[0]).type) == "array<Pair<float>>");
    CHECK(wgsl::parse(wgsl::print(program)).has_value());
}

TEST_CASE("the interpreter runs kernels with structures, in the layout that hosts write") {
    struct HostParticle {
        float position[3], mass, velocity[3], padding;
    };
    struct {
        float dt;
        std::uint32_t count, padding[2];
        float bounds[4];
    } params{0.5f, 2, {}, {}};
    const Program program =
        made(kernel("step(params, ps, energy)", {4},
                    [](Uniform<Params> params, InOut<Particle> ps, Storage<Array<f32, 4>> energy) {
                        auto i = global_invocation_id().x();
                        if_(i < params.count, [&] {
                            Var<Particle> p = ps[i];
                            p.position += p.velocity * params.dt;
                            ps[i] = p;
                            energy[i] = p.mass * dot(p.velocity, p.velocity) / 2.0f;
                        });
                    }));
    std::array<HostParticle, 3> particles{{{{1, 2, 3}, 2, {2, 0, 0}, 9}, {{0, 0, 0}, 4, {0, 2, 4}, 9}, {}}};
    std::array<float, 4> energy{};
    const std::array bound{BoundBytes{std::as_writable_bytes(std::span(&params, 1))},
                           BoundBytes{std::as_writable_bytes(std::span(particles))},
                           BoundBytes{std::as_writable_bytes(std::span(energy))}};
    REQUIRE(interpret(*validate(program), bound, {.extent = {1, 1, 1}, .grid = {1, 1, 1}}));
    CHECK(particles[0].position[0] == 2);
    CHECK(particles[1].position[2] == 2);
    CHECK(particles[1].mass == 4);
    CHECK(particles[0].padding == 9);
    CHECK(energy == std::array<float, 4>{4, 40, 0, 0});
}

TEST_CASE("a wrong use of structures is an error, with its place") {
    SUBCASE("a value's member is assigned to") {
        check_refused(kernel("k(y)", {1},
                             [](InOut<Particle> y) {
                                 Value<Particle> p = y[0];
                                 p.mass = 2;
                             }),
                      "A part of a Value is assigned to", "make it a Var");
        check_refused(kernel("k(y)", {1},
                             [](InOut<Outer> y) {
                                 Value<Outer> p = y[0];
                                 p.first.counts[1] += 2u;
                             }),
                      "A part of a Value is assigned to", "make it a Var");
    }
    SUBCASE("a uniform's member is assigned to") {
        check_refused(kernel("k(p, y)", {1},
                             [](Uniform<Params> p, InOut<f32> y) {
                                 y[0] = p.dt;
                                 p.dt = 2;
                             }),
                      "A part of a Uniform or of a Storage<const T> is assigned to", "copy it to a Var");
    }
    SUBCASE("an index is outside") {
        check_refused(kernel("k(y)", {1},
                             [](InOut<Outer> y) {
                                 Value<Outer> p = y[0];
                                 y[1].first.corner = p.rest[2].corner;
                             }),
                      "The index 2 is outside 2 elements", "use 0 to 1");
        check_refused(kernel("k(y)", {1}, [](InOut<vec3<f32>> y) { y[0][3] = 1; }),
                      "The index 3 is outside 3 elements", "use 0 to 2");
        check_refused(kernel("k(y)", {1}, [](Storage<Array<f32, 4>> y) { y[-1] = 1; }), "-1 doesn't fit",
                      "change the number");
    }
    SUBCASE("a private variable starts as what isn't constant") {
        check_refused(kernel("k(y)", {1},
                             [](InOut<f32> y) {
                                 Private<f32> p = y[0];
                                 y[1] = p;
                             }),
                      "A private variable's initial value is computed on the device; it must be constant",
                      "assign to it afterwards");
    }
    SUBCASE("a structure of another kernel") {
        std::optional<Value<Particle>> leaked;
        made(kernel("one(y)", {1}, [&](InOut<Particle> y) {
            leaked.emplace(y[0]);
            y[1] = *leaked;
        }));
        check_refused(kernel("two(y)", {1}, [&](InOut<Particle> y) { y[0].mass = leaked->mass; }),
                      "of another kernel", "make it inside");
    }
}

TEST_CASE("matrices in C++ and in WGSL have one fingerprint") {
    const auto matrices =
        kernel("look(camera, x, y)", {64}, [](Uniform<Camera> camera, In<mat3x3<f32>> x, InOut<vec4<f32>> y) {
            auto i = global_invocation_id().x();
            Value<mat3x3<f32>> turn = 2.0f * x[i] + x[0] * x[1] - transpose(x[2]) * y[i].x();
            Value<vec2<f32>> flat = camera.warp * (turn * vec<f32>(1.0f, 2.0f, 3.0f));
            Value<vec4<f32>> row = y[i] * camera.view;
            Var<mat2x2<f32>> m = construct<mat2x2<f32>>(flat, flat * flat);
            m[1] = m[i % 2u];
            m[i % 2u].x() += row[0];
            y[i] = camera.view * row + camera.view[3];
            y[i].x() = determinant(m) + determinant(turn) + determinant(camera.view);
            y[i].y() = (m * construct<mat3x2<f32>>())[2].x();
        });
    check_same(matrices, R"(
        struct Camera { view: mat4x4f, warp: mat3x2f }
        @group(0) @binding(0) var<uniform> camera: Camera;
        @group(0) @binding(1) var<storage, read> x: array<mat3x3f>;
        @group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
        @compute @workgroup_size(64) fn look(@builtin(global_invocation_id) id: vec3u) {
            let i = id.x;
            let turn = 2 * x[i] + x[0] * x[1] - transpose(x[2]) * y[i].x;
            let flat = camera.warp * (turn * vec3f(1, 2, 3));
            let row = y[i] * camera.view;
            var m = mat2x2(flat, flat * flat);
            m[1] = m[i % 2];
            m[i % 2].x += row[0];
            y[i] = camera.view * row + camera.view[3];
            y[i].x = determinant(m) + determinant(turn) + determinant(camera.view);
            y[i].y = (m * mat3x2f())[2].x;
        })");
    static_assert(byte_size<Camera> == 96 && byte_size<mat3x3<f32>> == 48 && byte_size<mat4x2<f32>> == 32);
}
