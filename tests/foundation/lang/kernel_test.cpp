// The language embedded in C++: the same programs as from WGSL text, and errors when a kernel is recorded.
// Errors at compile time are in tests/refusals.
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include <doctest/doctest.h>
#include <support/same_program.hpp>
#include <support/text.hpp>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/lang/kernel.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::lang;
using namespace muster::test;

TEST_CASE("saxpy in C++ and in WGSL have one fingerprint") {
    const auto saxpy = kernel("saxpy(a, x, y)", {256}, [](Uniform<f32> a, In<f32> x, InOut<f32> y) {
        auto i = global_invocation_id().x();
        y[i] = a * x[i] + y[i];
    });
    check_same(saxpy, R"(
        @group(0) @binding(0) var<uniform> a: f32;
        @group(0) @binding(1) var<storage, read> x: array<f32>;
        @group(0) @binding(2) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(256) fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            y[i] = a * x[i] + y[i];
        })");
}

TEST_CASE("operands are evaluated from left to right, whatever order C++ chooses") {
    check_same(kernel("order(x, y)", {64},
                      [](In<f32> x, Out<f32> y) {
                          auto i = global_invocation_id().x();
                          y[i * 2u + 1u] =
                              (x[i] * x[i + 1u] - x[i + 2u]) / max(x[i + 3u] * x[i], x[i + 4u] + x[i + 5u]);
                          y[i + 7u] += x[i + 8u] * 3;
                      }),
               R"(
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(64) fn order(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            y[i * 2u + 1u] = (x[i] * x[i + 1u] - x[i + 2u]) / max(x[i + 3u] * x[i], x[i + 4u] + x[i + 5u]);
            y[i + 7u] += x[i + 8u] * 3;
        })");
}

TEST_CASE("a named value is computed where it is named, before later stores") {
    check_same(kernel("swap(y)", {1},
                      [](InOut<f32> y) {
                          Value<f32> old = y[0];
                          auto sum = old + y[1];
                          y[0] = y[1];
                          y[1] = old;
                          y[2] = sum;
                      }),
               R"(
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn swap() {
            let old = y[0];
            let sum = old + y[1];
            y[0] = y[1];
            y[1] = old;
            y[2] = sum;
        })");
}

TEST_CASE("control flow is that of the text") {
    check_same(
        kernel("flow(n, x, y)", {64},
               [](Uniform<i32> n, In<i32> x, InOut<i32> y) {
                   auto i = global_invocation_id().x();
                   if_(i >= x.length(), [&] { return_(); });
                   Var<i32> sum = 0;
                   for_(0, n, [&](auto& k) {
                       if_(k == 3, [&] { continue_(); }).else_if_(k > 100, [&] { break_(); }).else_([&] {
                           sum -= 1;
                       });
                       sum += x[k];
                   });
                   while_([&] { return sum > 1000; }, [&] { sum /= 2; });
                   loop_([&] { sum += 1; }, [&] { break_if_(sum % 4 == 0); });
                   switch_(sum, case_(-1, [&] { sum = 5; }), case_({2, 3}, [&] { sum = sum * sum; }),
                           default_([&] {}));
                   y[i] = sum;
               }),
        R"(
        @group(0) @binding(0) var<uniform> n: i32;
        @group(0) @binding(1) var<storage, read> x: array<i32>;
        @group(0) @binding(2) var<storage, read_write> y: array<i32>;
        @compute @workgroup_size(64) fn flow(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            if i >= arrayLength(&x) { return; }
            var sum = 0i;
            for (var k = 0i; k < n; k++) {
                if k == 3 { continue; } else if k > 100 { break; } else { sum -= 1; }
                sum += x[k];
            }
            while sum > 1000 { sum /= 2; }
            loop { sum += 1; continuing { break if sum % 4 == 0; } }
            switch sum { case -1: { sum = 5; } case 2, 3: { sum = sum * sum; } default: {} }
            y[i] = sum;
        })");
}

TEST_CASE("vectors, conversions, bits and functions are those of the text") {
    check_same(kernel("vectors(c, x, y)", {8, 8},
                      [](Uniform<vec4<f32>> c, In<vec4<f32>> x, InOut<vec4<f32>> y) {
                          auto i = global_invocation_id().y();
                          Var<vec3<f32>> v = vec<f32>(1, x[i].x(), c.w());
                          v.y() = 2.0f;
                          v *= 0.5f;
                          Value<u32> word = bits<u32>(v.z()) >> 3u;
                          y[i] = x[i].swizzle<"wzyx">() * to<f32>(word & 255u) + select(c, y[i], x[i] < y[i]);
                          y[i + 1].w() = clamp(dot(v, v), 0.0f, 1.0f) - exp(-length(v)) + pow(v.x(), 2.5f);
                      }),
               R"(
        @group(0) @binding(0) var<uniform> c: vec4f;
        @group(0) @binding(1) var<storage, read> x: array<vec4f>;
        @group(0) @binding(2) var<storage, read_write> y: array<vec4f>;
        @compute @workgroup_size(8, 8) fn vectors(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.y;
            var v = vec3f(1, x[i].x, c.w);
            v.y = 2.0;
            v *= 0.5;
            let word = bitcast<u32>(v.z) >> 3u;
            y[i] = x[i].wzyx * f32(word & 255u) + select(c, y[i], x[i] < y[i]);
            y[i + 1].w = clamp(dot(v, v), 0.0, 1.0) - exp(-length(v)) + pow(v.x, 2.5);
        })");
}

TEST_CASE("functions of two results are those of the text") {
    check_same(kernel("parts(x, y)", {1},
                      [](In<f32> x, Out<f32> y) {
                          auto split = frexp(x[0]);
                          y[0] = ldexp(split.fract, split.exp + 1);
                          auto [fract, whole] = modf(x[1]);
                          y[1] = whole - fract;
                      }),
               R"(
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn parts() {
            let split = frexp(x[0]);
            y[0] = ldexp(split.fract, split.exp + 1);
            let m = modf(x[1]);
            y[1] = m.whole - m.fract;
        })");
}

TEST_CASE("workgroup memory, atomics, private arrays and barriers are those of the text") {
    check_same(kernel("gather(x, h)", {64},
                      [](In<u32> x, InOut<Atomic<u32>> h) {
                          Workgroup<u32, 64> tile;
                          Workgroup<Atomic<i32>, 4> bins;
                          Private<f32, 3> mine;
                          auto l = local_invocation_index();
                          tile[l] = x[global_invocation_id().x()];
                          bins[l % 4u].add(1);
                          workgroup_barrier();
                          mine[1] = to<f32>(tile[63u - l]);
                          Value<u32> old = h[0].max(to<u32>(mine[l]));
                          storage_barrier();
                          h[1].store(old + to<u32>(bins[2].load()));
                      }),
               R"(
        @group(0) @binding(0) var<storage, read> x: array<u32>;
        @group(0) @binding(1) var<storage, read_write> h: array<atomic<u32>>;
        var<workgroup> tile: array<u32, 64>;
        var<workgroup> bins: array<atomic<i32>, 4>;
        var<private> mine: array<f32, 3>;
        @compute @workgroup_size(64) fn gather(@builtin(global_invocation_id) id: vec3<u32>,
                                               @builtin(local_invocation_index) l: u32) {
            tile[l] = x[id.x];
            atomicAdd(&bins[l % 4u], 1);
            workgroupBarrier();
            mine[1] = f32(tile[63u - l]);
            let old = atomicMax(&h[0], u32(mine[l]));
            storageBarrier();
            atomicStore(&h[1], old + u32(atomicLoad(&bins[2])));
        })");
}

TEST_CASE("grid barriers and what is loaded behind them are those of the text") {
    struct State {
        Field<u32> limit;
        Field<Atomic<i32>> count;
    };
    check_same(kernel("flood(wet, rounds, state)", {64},
                      [](InOut<u32> wet, Storage<i32> rounds, Storage<State> state) {
                          auto i = global_invocation_id().x();
                          if_(i >= wet.length(), [&] { return_(); });
                          auto groups = num_workgroups().x();
                          for_(0u, groups, [&](Var<u32>& turn) {
                              state.count.add(1);
                              grid_barrier();
                              Value<i32> count = grid_uniform_load(state.count);
                              Value<u32> limit = grid_uniform_load(state.limit);
                              if_(count > to<i32>(limit), [&] { break_(); });
                              grid_barrier();
                              Value<i32> most = grid_uniform_load(rounds);
                              Value<u32> first = grid_uniform_load(wet[turn]);
                              wet[i] = first + to<u32>(most);
                          });
                      }),
               R"(
        enable muster_grid_barrier;
        struct State { limit: u32, count: atomic<i32> }
        @group(0) @binding(0) var<storage, read_write> wet: array<u32>;
        @group(0) @binding(1) var<storage, read_write> rounds: i32;
        @group(0) @binding(2) var<storage, read_write> state: State;
        @compute @workgroup_size(64) fn flood(@builtin(global_invocation_id) id: vec3u,
                                              @builtin(num_workgroups) all: vec3u) {
            let i = id.x;
            if i >= arrayLength(&wet) { return; }
            let groups = all.x;
            for (var turn = 0u; turn < groups; turn++) {
                atomicAdd(&state.count, 1);
                gridBarrier();
                let count = gridUniformLoad(&state.count);
                let limit = gridUniformLoad(&state.limit);
                if count > i32(limit) { break; }
                gridBarrier();
                let most = gridUniformLoad(&rounds);
                let first = gridUniformLoad(&wet[turn]);
                wet[i] = first + u32(most);
            }
        })");
}

TEST_CASE("C++ around device code is metaprogramming, and the interpreter runs the result") {
    for (const int taps : {1, 3}) {
        const Program program = made(kernel("sum", {4}, [&](Uniform<f32> scale, In<f32> x, Out<f32> y) {
            auto i = global_invocation_id().x();
            Value<f32> total = 0.0f;
            for (int k = 0; k < taps; ++k) total = total + x[i + k];
            y[i] = total * scale;
        }));
        CHECK(program.variable(program.bindings()[2]).name == "p2");
        std::array<float, 1> scale{10};
        std::array<float, 8> x{1, 2, 3, 4, 5, 6, 7, 8};
        std::array<float, 4> y{};
        const std::array bound{BoundBytes{std::as_writable_bytes(std::span(scale))},
                               BoundBytes{std::as_writable_bytes(std::span(x))},
                               BoundBytes{std::as_writable_bytes(std::span(y))}};
        const auto report = interpret(*validate(program), bound, {.extent = {1, 1, 1}, .grid = {1, 1, 1}});
        REQUIRE(report);
        CHECK(y ==
              (taps == 1 ? std::array<float, 4>{10, 20, 30, 40} : std::array<float, 4>{60, 90, 120, 150}));
    }
}

TEST_CASE("nodes know the line of C++ that makes them") {
    const std::uint32_t first = __LINE__;
    const Program program = made(kernel("lines(y)", {1}, [](InOut<f32> y) {
        Value<f32> root = sqrt(y[0]);
        y[0] = root  //
               + 1.0f;
    }));
    for (std::uint32_t n = 0; n < program.node_count(); ++n) {
        const NodeId id{n};
        const Op op = program.node(id).op;
        const std::uint32_t line = program.location(id).line - first;
        if (op == Op::sqrt) CHECK(line == 2);
        if (op == Op::add) CHECK((line == 3 || line == 4));
        if (op == Op::store) CHECK(has(program.file(program.location(id)).name, "kernel_test.cpp"));
    }
}

TEST_CASE("a wrong kernel is an error, not undefined behaviour") {
    SUBCASE("a value of another kernel") {
        std::optional<Value<f32>> leaked;
        made(kernel("one(y)", {1}, [&](InOut<f32> y) {
            leaked.emplace(y[0] + 1.0f);
            y[0] = *leaked;
        }));
        const auto two = kernel("two(y)", {1}, [&](InOut<f32> y) { y[0] = *leaked * 2.0f; });
        REQUIRE_FALSE(two);
        CHECK(two.error().code == ErrorCode::invalid_program);
        CHECK(has(two.error().to_string(), "A value or variable of another kernel, or of none, is used."));
        CHECK(has(two.error().to_string(), "kernel_test.cpp:"));
    }
    SUBCASE("a value of no kernel") {
        const Value<f32> outside = 1.0f;
        CHECK_FALSE(kernel("k(y)", {1}, [&](InOut<f32> y) { y[0] = outside; }));
    }
    SUBCASE("a value that left its block") {
        const auto program = kernel("k(y)", {1}, [](InOut<f32> y) {
            Value<f32> inner = 0.0f;
            if_(y[0] > 0.0f, [&] { inner = y[1] * 2.0f; });
            y[0] = inner;
        });
        REQUIRE(program);
        const auto valid = validate(*program);
        REQUIRE_FALSE(valid);
        CHECK(has(valid.error().to_string(), "isn't visible here"));
    }
    SUBCASE("a jump without a target") {
        const auto program = kernel("k(y)", {1}, [](InOut<f32> y) {
            y[0] = 1.0f;
            break_();
        });
        REQUIRE(program);
        CHECK_FALSE(validate(*program));
    }
    SUBCASE("a number that doesn't fit") {
        const auto program = kernel("k(y)", {1}, [](InOut<u32> y) { y[0] = y[1] + -1; });
        REQUIRE_FALSE(program);
        CHECK(has(program.error().to_string(), "-1 doesn't fit"));
    }
    SUBCASE("signatures") {
        const auto refused = [](const char* signature, std::string_view part) {
            const auto program = kernel(signature, {1}, [](InOut<u32> y) { y[0] = 1; });
            if (program) {
                const auto valid = validate(*program);
                REQUIRE_FALSE(valid);
                CHECK(has(valid.error().to_string(), part));
            } else {
                CHECK(program.error().code == ErrorCode::invalid_argument);
                CHECK(has(program.error().to_string(), part));
            }
        };
        refused("k(a, b)", "names 2 parameters; its function takes 1");
        refused("k(a", "doesn't end in a parenthesis");
        refused("k()", "names 0 parameters");
        refused("my kernel(a)", "isn't a WGSL identifier");
        refused("shared(a)", "isn't a WGSL identifier");
        refused("k(1st)", "isn't a WGSL identifier");
    }
    SUBCASE("barriers in non-uniform control flow, with their lines") {
        const auto program = kernel("k(y)", {64}, [](InOut<u32> y) {
            if_(local_invocation_index() < 3u, [&] { workgroup_barrier(); });
            y[0] = 1;
        });
        REQUIRE(program);
        const auto valid = validate(*program);
        REQUIRE_FALSE(valid);
        CHECK(has(valid.error().to_string(), "depends on local_invocation_index"));
    }
    SUBCASE("grid barriers and their loads where they can't be, with their lines") {
        const auto why = [](const Result<Program>& program) {
            REQUIRE(program);
            const auto valid = validate(*program);
            return valid ? "" : valid.error().to_string();
        };
        CHECK(has(why(kernel("k(y)", {64}, [](InOut<u32> y) { if_(y[0] < 3u, [&] { grid_barrier(); }); })),
                  "kernel_test.cpp:"));
        CHECK(has(why(kernel("k(y)", {64},
                             [](InOut<u32> y) {
                                 grid_barrier();
                                 Var<u32> x = 1u;
                                 y[0] = grid_uniform_load(x);
                             })),
                  "in address space function"));
    }
}

TEST_CASE("long metaprograms need no deep stack") {
    const auto program = kernel("deep(y)", {1}, [](InOut<f32> y) {
        Value<f32> sum = y[0];
        for (int k = 0; k < 50'000; ++k) sum = sum + 1.0f;
        y[0] = sum;
    });
    CHECK(made(program).node_count() > 50'000);
}

TEST_CASE("kernels nest: each records itself") {
    std::optional<Program> inner;
    const auto outer = kernel("outer(y)", {1}, [&](InOut<f32> y) {
        y[0] = 1.0f;
        inner = made(kernel("inner(z)", {1}, [](InOut<f32> z) { z[0] = 2.0f; }));
        y[1] = 3.0f;
    });
    CHECK(made(outer).block(made(outer).body()).size() == 2);
    REQUIRE(inner);
    CHECK(inner->block(inner->body()).size() == 1);
}
