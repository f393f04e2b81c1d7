// The interpreter: operations, control flow, memory. Order, findings and limits: order_test.cpp.

#include <array>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/semantics/semantics.hpp>

#include "support/run_kernel.hpp"

using namespace muster;
using namespace muster::test;

namespace {

// Words at the edges of every scalar type, then random words.
std::vector<std::uint32_t> interesting_words() {
    std::vector<std::uint32_t> words{0,          1,          2,          31,         32,         33,
                                     0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x3f800000,
                                     0xbf800000, 0x40200000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001,
                                     0x807fffff, 0x00800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x4b000001,
                                     0x3effffff, 0xc0200000};
    std::uint32_t word = 12345;
    while (words.size() < 64) words.push_back(word = word * 1664525u + 1013904223u);
    return words;
}

// Runs `op` on vectors of `width` made of the operands' words, and expects fold()'s results.
void check_like_fold(Op op, Scalar of, Scalar to, std::uint32_t width, const std::vector<Scalar>& operands) {
    Kernel k;
    const VariableId out = k.words("out");
    std::vector<NodeId> values;
    for (std::uint32_t i = 0; i < operands.size(); ++i) {
        const VariableId in = k.words("in" + std::to_string(i));
        std::vector<NodeId> parts;
        for (std::uint32_t c = 0; c < width; ++c) {
            const NodeId index = k.add(k.ir.binary(Op::mul, k.global_x(), k.u(width)), k.u(c));
            const NodeId word = k.get(in, index);
            parts.push_back(operands[i] == Scalar::boolean ? k.ir.convert(Scalar::boolean, word)
                                                           : k.ir.bitcast(operands[i], word));
        }
        values.push_back(width == 1 ? parts[0] : k.ir.compose(type_of(operands[i], width), parts));
    }
    NodeId result;
    if (op == Op::convert) result = k.ir.convert(to, values[0]);
    if (op == Op::bitcast) result = k.ir.bitcast(to, values[0]);
    if (op == Op::fma) result = k.ir.fma(values[0], values[1], values[2]);
    if (op == Op::select) result = k.ir.select(values[0], values[1], values[2]);
    if (!result)
        result = values.size() == 1 ? k.ir.unary(op, values[0]) : k.ir.binary(op, values[0], values[1]);
    const Type type = k.ir.types()[k.ir.type(result)];
    for (std::uint32_t c = 0; c < type.width; ++c) {
        const NodeId part = type.width == 1 ? result : k.ir.extract(result, c);
        const NodeId index = k.add(k.ir.binary(Op::mul, k.global_x(), k.u(width)), k.u(c));
        k.set_at(out, index,
                 type.scalar == Scalar::boolean ? k.ir.convert(Scalar::u32, part)
                                                : k.ir.bitcast(Scalar::u32, part));
    }

    const auto words = interesting_words();
    const std::uint32_t cases = 256;
    std::vector<Words> memory(operands.size() + 1, Words(cases * width));
    for (std::uint32_t i = 0; i < cases * width; ++i)
        for (std::size_t o = 0; o < operands.size(); ++o)
            memory[o + 1][i] = words[(o == 0 ? i : o == 1 ? i / 7 + i * 5 : i / 3) % words.size()];
    const ValidProgram program = k.finish();
    memory = run(program, std::move(memory), groups(cases));

    const TypeTable types;
    for (std::uint32_t i = 0; i < cases; ++i) {
        std::vector<Words> given;
        std::vector<ConstantValue> constants;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            Words& now = given.emplace_back();
            for (std::uint32_t c = 0; c < width; ++c) {
                const std::uint32_t word = memory[o + 1][i * width + c];
                now.push_back(operands[o] == Scalar::boolean ? word != 0 : word);
            }
        }
        for (std::size_t o = 0; o < operands.size(); ++o)
            constants.push_back({type_of(operands[o], width), given[o]});
        const auto expected = fold(op, types, type_of(type.scalar, type.width), constants);
        if (!expected) continue;  // NaN or infinite
        for (std::uint32_t c = 0; c < type.width; ++c) {
            const bool is_float = type.scalar == Scalar::f32;
            const std::uint32_t word =
                is_float ? semantics::to_bits(std::bit_cast<float>((*expected)[c])) : (*expected)[c];
            if (memory[0][i * width + c] == word) continue;
            FAIL_CHECK(info(op).name << " of " << info(of).name << " at " << i << "." << c << ": got "
                                     << memory[0][i * width + c] << ", not " << (*expected)[c]);
            return;
        }
    }
}

}  // namespace

TEST_CASE("every operation on scalars and vectors is what semantics.hpp says") {
    using enum Scalar;
    const std::vector<Scalar> numbers{f32, i32, u32}, integers{i32, u32}, every{f32, i32, u32, boolean};
    std::vector<std::pair<std::vector<Op>, std::vector<Scalar>>> binary{
        {{Op::add, Op::sub, Op::mul, Op::div, Op::rem, Op::min, Op::max, Op::lt, Op::le, Op::gt, Op::ge},
         numbers},
        {{Op::eq, Op::ne}, every},
        {{Op::bit_and, Op::bit_or, Op::bit_xor}, {i32, u32, boolean}}};
    const std::vector<std::pair<std::vector<Op>, std::vector<Scalar>>> unary{
        {{Op::neg}, {f32, i32}},
        {{Op::abs}, numbers},
        {{Op::floor, Op::ceil, Op::trunc, Op::round, Op::sqrt}, {f32}},
        {{Op::logical_not, Op::all, Op::any}, {boolean}},
        {{Op::bit_not, Op::count_one_bits, Op::count_leading_zeros, Op::count_trailing_zeros,
          Op::reverse_bits},
         integers}};
    for (std::uint32_t width = 1; width <= 4; ++width) {
        for (const auto& [ops, scalars] : binary)
            for (const Op op : ops)
                for (const Scalar s : scalars) check_like_fold(op, s, s, width, {s, s});
        for (const auto& [ops, scalars] : unary)
            for (const Op op : ops)
                for (const Scalar s : scalars) check_like_fold(op, s, s, width, {s});
        for (const Op op : {Op::shift_left, Op::shift_right})
            for (const Scalar s : integers) check_like_fold(op, s, s, width, {s, u32});
        check_like_fold(Op::fma, f32, f32, width, {f32, f32, f32});
        for (const Scalar s : every) check_like_fold(Op::select, s, s, width, {s, s, boolean});
        for (const Scalar from : every)
            for (const Scalar to : every)
                if (from != to) check_like_fold(Op::convert, from, to, width, {from});
        for (const Scalar from : numbers)
            for (const Scalar to : numbers)
                if (from != to) check_like_fold(Op::bitcast, from, to, width, {from});
    }
}

TEST_CASE("NaN and infinity come out where the operations make them") {
    Kernel k;
    const VariableId data = k.storage("data", k.ir.types().runtime_array(f32_type));
    const VariableId out = k.words("out");
    const NodeId zero = k.get(data, 0u), one = k.get(data, 1u);
    k.set_at(out, 0u, k.ir.bitcast(Scalar::u32, k.ir.binary(Op::div, zero, zero)));
    k.set_at(out, 1u, k.ir.bitcast(Scalar::u32, k.ir.binary(Op::div, one, zero)));
    k.set_at(out, 2u, k.ir.bitcast(Scalar::u32, k.ir.unary(Op::sqrt, k.ir.unary(Op::neg, one))));
    CHECK(run(k.finish(), {{bits(0.0f), bits(1.0f)}, Words(3)})[1] ==
          Words{0x7fc00000u, 0x7f800000u, 0x7fc00000u});
}

TEST_CASE("composites are made, taken apart and permuted") {
    Kernel k;
    const VariableId in = k.words("in"), out = k.words("out");
    std::vector<NodeId> w;
    for (std::uint32_t i = 0; i < 4; ++i) w.push_back(k.get(in, i));
    const NodeId v = k.ir.compose(type_of(Scalar::u32, 4), w);
    const NodeId wzyx = k.ir.swizzle(v, std::array<std::uint8_t, 4>{3, 2, 1, 0});
    const NodeId xx = k.ir.swizzle(v, std::array<std::uint8_t, 2>{0, 0});
    const TypeId array = k.ir.types().array(type_of(Scalar::u32, 4), 2);
    const std::array both{v, wzyx};
    const NodeId a = k.ir.compose(array, both);
    const NodeId three = k.ir.compose(type_of(Scalar::u32, 3), std::array{w[3], k.ir.extract(xx, 1), w[0]});
    k.set_at(out, 0u, k.ir.extract(wzyx, 1));
    k.set_at(out, 1u, k.ir.extract(xx, 1));
    k.set_at(out, 2u, k.ir.extract(k.ir.extract(a, 1), 0));
    k.set_at(out, 3u, k.ir.extract_dynamic(v, w[1]));
    k.set_at(out, 4u, k.ir.extract(k.ir.extract_dynamic(a, w[0]), 3));
    k.set_at(out, 5u, k.ir.extract_dynamic(v, w[3]));  // out of range
    k.set_at(out, 6u, k.ir.extract(three, 2));
    CHECK(run(k.finish(), {{1, 2, 3, 4}, Words(7, 9)})[1] == Words{3, 1, 4, 3, 1, 0, 1});
}

TEST_CASE("select takes whole composites by one condition") {
    Kernel k;
    const VariableId in = k.words("in"), out = k.words("out");
    const TypeId array = k.ir.types().array(u32_type, 6);
    const VariableId a = k.local(array), b = k.local(array);
    for (std::uint32_t i = 0; i < 6; ++i) k.set_at(a, i, k.u(i)), k.set_at(b, i, k.u(10 + i));
    const NodeId yes = k.ir.convert(Scalar::boolean, k.get(in, 0u));
    const NodeId chosen = k.ir.select(k.get(a), k.get(b), yes);
    for (std::uint32_t i = 0; i < 6; ++i) k.set_at(out, i, k.ir.extract(chosen, i));
    CHECK(run(k.finish(), {{1}, Words(6)})[1] == Words{10, 11, 12, 13, 14, 15});
}

TEST_CASE("if takes one side") {
    Kernel k;
    const VariableId data = k.words("data");
    const NodeId x = k.get(data, k.global_x());
    const VariableId r = k.local(u32_type);
    k.ir.begin_if(k.ir.binary(Op::lt, x, k.u(10)));
    k.set(r, k.u(1));
    k.ir.begin_else();
    k.ir.begin_if(k.ir.unary(Op::logical_not, k.ir.binary(Op::lt, x, k.u(20))));
    k.set(r, k.u(3));
    k.ir.begin_else();
    k.set(r, k.u(2));
    k.ir.end_if();
    k.ir.end_if();
    k.set_at(data, k.global_x(), k.get(r));
    CHECK(run(k.finish(), {{5, 15, 25, 10, 20}}, groups(5))[0] == Words{1, 2, 3, 2, 3});
}

TEST_CASE("loops run their continuing block, break and continue") {
    // for (i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; sum += i; }   0+1+2+4+5+6 = 18
    Kernel k;
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type), sum = k.local(u32_type);
    k.ir.begin_loop();
    k.ir.begin_if(k.ir.binary(Op::lt, k.get(i), k.u(10)));
    k.ir.begin_else();
    k.ir.break_();
    k.ir.end_if();
    k.ir.begin_if(k.ir.binary(Op::eq, k.get(i), k.u(3)));
    k.ir.continue_();
    k.ir.end_if();
    k.ir.begin_if(k.ir.binary(Op::eq, k.get(i), k.u(7)));
    k.ir.break_();
    k.ir.end_if();
    k.set(sum, k.add(k.get(sum), k.get(i)));
    k.ir.begin_continuing();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(sum));
    k.set_at(out, 1u, k.get(i));
    CHECK(run(k.finish(), {Words(2)})[0] == Words{18, 7});
}

TEST_CASE("break_if ends a loop behind its continuing block") {
    Kernel k;
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type);
    k.ir.begin_loop();
    const NodeId before = k.get(i);
    k.ir.begin_continuing();
    k.set(i, k.add(before, k.u(2)));  // sees the body's value
    k.ir.break_if(k.ir.binary(Op::ge, k.get(i), k.u(9)));
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(i));
    CHECK(run(k.finish(), {Words(1)})[0] == Words{10});
}

TEST_CASE("switch takes the case of its selector, or the default; break leaves the switch alone") {
    Kernel k;
    const VariableId data = k.words("data");
    const VariableId r = k.local(u32_type), i = k.local(u32_type);
    k.ir.begin_loop();
    k.ir.begin_switch(k.get(data, k.global_x()));
    k.ir.begin_case(std::array{1u, 5u}, false);
    k.set(r, k.add(k.get(r), k.u(10)));
    k.ir.begin_case({}, true);
    k.set(r, k.add(k.get(r), k.u(20)));
    k.ir.begin_if(k.ir.binary(Op::eq, k.get(i), k.u(1)));
    k.ir.break_();
    k.ir.end_if();
    k.set(r, k.add(k.get(r), k.u(1)));
    k.ir.begin_case(std::array{0xffffffffu}, false);
    k.ir.continue_();
    k.ir.end_switch();
    k.set(r, k.add(k.get(r), k.u(100)));
    k.ir.begin_continuing();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.break_if(k.ir.binary(Op::eq, k.get(i), k.u(2)));
    k.ir.end_loop();
    k.set_at(data, k.global_x(), k.get(r));
    CHECK(run(k.finish(), {{1, 5, 2, 0xffffffffu}}, groups(4))[0] == Words{220, 220, 241, 0});
}

TEST_CASE("an empty default skips unknown selectors") {
    Kernel k;
    const VariableId data = k.words("data");
    k.ir.begin_switch(k.get(data, 0u));
    k.ir.begin_case(std::array{1u}, false);
    k.set_at(data, 0u, k.u(9));
    k.ir.begin_case({}, true);
    k.ir.end_switch();
    const ValidProgram program = k.finish();
    CHECK(run(program, {{2}})[0] == Words{2});
    CHECK(run(program, {{1}})[0] == Words{9});
}

TEST_CASE("scopes are left by break, the invocation by return") {
    Kernel k;
    const VariableId data = k.words("data");
    const NodeId x = k.get(data, k.global_x());
    k.ir.begin_scope();
    k.ir.begin_if(k.ir.binary(Op::eq, x, k.u(0)));
    k.ir.break_();
    k.ir.end_if();
    k.ir.begin_if(k.ir.binary(Op::eq, x, k.u(1)));
    k.ir.return_();
    k.ir.end_if();
    k.set_at(data, k.global_x(), k.u(50));
    k.ir.end_scope();
    k.set_at(data, k.global_x(), k.add(k.get(data, k.global_x()), k.u(1)));
    CHECK(run(k.finish(), {{0, 1, 2}}, groups(3))[0] == Words{1, 1, 51});
}

TEST_CASE("values are those of when they were made, whatever is stored since") {
    Kernel k;
    const VariableId out = k.words("out");
    const VariableId a = k.local(u32_type, k.u(1)), b = k.local(u32_type, k.u(2));
    const NodeId old_a = k.get(a);  // swap
    k.set(a, k.get(b));
    k.set(b, old_a);
    const TypeId vec2 = type_of(Scalar::u32, 2);
    const VariableId v = k.local(vec2, k.ir.compose(vec2, std::array{k.get(a), k.get(b)}));
    k.set(v, k.ir.swizzle(k.get(v), std::array<std::uint8_t, 2>{1, 0}));  // (1, 2)
    k.ir.store(k.at(v, 0u), k.add(k.get(v, 0u), k.get(v, 1u)));           // (3, 2)
    const NodeId whole = k.get(v);
    const NodeId second = k.ir.extract(whole, 1);
    k.set(v, k.ir.zero(vec2));
    k.set_at(out, 0u, k.get(a));
    k.set_at(out, 1u, k.get(b));
    k.set_at(out, 2u, k.ir.extract(whole, 0));
    k.set_at(out, 3u, second);
    k.set_at(out, 4u, k.get(v, 1u));
    CHECK(run(k.finish(), {Words(5, 7)})[0] == Words{2, 1, 3, 2, 0});
}

TEST_CASE("a structure may be made of its own parts") {
    Kernel k;
    const VariableId out = k.words("out");
    const std::array members{MemberDeclaration{"a", u32_type}, MemberDeclaration{"b", u32_type}};
    const TypeId structure = k.ir.types().structure("S", members);
    const VariableId s = k.local(structure, k.ir.constant(structure, Words{1, 2}));
    const NodeId a = k.ir.load(k.ir.ref_member(k.ir.ref(s), 0)),
                 b = k.ir.load(k.ir.ref_member(k.ir.ref(s), 1));
    k.set(s, k.ir.compose(structure, std::array{b, a}));
    k.set_at(out, 0u, k.ir.load(k.ir.ref_member(k.ir.ref(s), 0)));
    k.set_at(out, 1u, k.ir.load(k.ir.ref_member(k.ir.ref(s), 1)));
    CHECK(run(k.finish(), {Words(2)})[0] == Words{2, 1});
}

TEST_CASE("a value from outside a loop is the same in every iteration") {
    Kernel k;
    const VariableId out = k.words("out");
    const VariableId i = k.local(u32_type), x = k.local(u32_type, k.u(5)), sum = k.local(u32_type);
    const NodeId before = k.get(x);
    const NodeId computed = k.ir.binary(Op::mul, k.get(out, 0u), k.u(3));
    k.ir.begin_loop();
    k.set(sum, k.add(k.add(k.get(sum), before), computed));
    const NodeId a = k.add(k.get(i), k.u(1)), b = k.add(a, k.u(1)), c = k.add(b, k.u(1));
    k.set(x, k.add(k.add(a, b), c));
    k.ir.begin_continuing();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.break_if(k.ir.binary(Op::eq, k.get(i), k.u(4)));
    k.ir.end_loop();
    k.set_at(out, 0u, k.get(sum));
    CHECK(run(k.finish(), {{2}})[0] == Words{4 * (5 + 6)});
}

TEST_CASE("variables are zero before use, each time, for each invocation") {
    Kernel k({4, 1, 1});
    const VariableId out = k.words("out");
    const VariableId counter = k.in(AddressSpace::private_, u32_type);
    const VariableId started = k.ir.variable(
        {.name = "started", .type = u32_type, .space = AddressSpace::private_, .initial = k.u(40)});
    const VariableId i = k.local(u32_type);
    k.ir.begin_loop();
    const VariableId fresh = k.local(k.ir.types().array(u32_type, 3));
    k.set_at(fresh, 1u, k.add(k.get(fresh, 1u), k.u(1)));
    k.set(counter, k.add(k.get(counter), k.get(fresh, 1u)));
    k.ir.begin_continuing();
    k.set(i, k.add(k.get(i), k.u(1)));
    k.ir.break_if(k.ir.binary(Op::eq, k.get(i), k.u(3)));
    k.ir.end_loop();
    k.set(started, k.add(k.get(started), k.get(counter)));
    k.set_at(out, k.global_x(), k.get(started));
    CHECK(run(k.finish(), {Words(8)}, groups(2))[0] == Words(8, 43));
}

TEST_CASE("built-in values") {
    Kernel k({2, 3, 2});
    const VariableId out = k.words("out");
    const NodeId gid = k.ir.builtin(Builtin::global_invocation_id), wid = k.ir.builtin(Builtin::workgroup_id);
    const NodeId lid = k.ir.builtin(Builtin::local_invocation_id), n = k.ir.builtin(Builtin::num_workgroups);
    const auto part = [&](NodeId v, std::uint32_t c) { return k.ir.extract(v, c); };
    const auto mul = [&](NodeId a, NodeId b) { return k.ir.binary(Op::mul, a, b); };
    // Computes this invocation's index from group and local ids, and compares it with the global id.
    const NodeId group =
        k.add(part(wid, 0), mul(part(n, 0), k.add(part(wid, 1), mul(part(n, 1), part(wid, 2)))));
    const NodeId place = k.add(mul(group, k.u(12)), k.local_index());
    const NodeId from_local =
        k.add(part(lid, 0), mul(k.u(2), k.add(part(lid, 1), mul(k.u(3), part(lid, 2)))));
    const NodeId global =
        k.add(part(gid, 0), k.add(mul(part(gid, 1), k.u(100)), mul(part(gid, 2), k.u(10000))));
    k.ir.begin_if(k.ir.binary(Op::eq, from_local, k.local_index()));
    k.set_at(out, place, global);
    k.ir.end_if();
    const Words got = run(k.finish(), {Words(12 * 4, 1)}, groups(2, 1, 2))[0];
    for (std::uint32_t g = 0; g < 4; ++g)
        for (std::uint32_t l = 0; l < 12; ++l) {
            const std::uint32_t x = g % 2 * 2 + l % 2, y = l / 2 % 3, z = g / 2 * 2 + l / 6;
            CHECK(got[g * 12 + l] == x + y * 100 + z * 10000);
        }
}

TEST_CASE("a launch runs its part of the grid alone") {
    Kernel k({2, 1, 1});
    const VariableId out = k.words("out");
    k.set_at(out, k.global_x(), k.ir.extract(k.ir.builtin(Builtin::num_workgroups), 0));
    const LaunchGrid part{.origin = {1, 0, 0}, .extent = {2, 1, 1}, .grid = {5, 1, 1}};
    CHECK(run(k.finish(), {Words(10)}, part)[0] == Words{0, 0, 5, 5, 5, 5, 0, 0, 0, 0});
}

TEST_CASE("structures and padded arrays have WGSL's layout in bindings") {
    Kernel k;
    const TypeId vec3 = type_of(Scalar::u32, 3);
    const std::array inner_members{MemberDeclaration{"v", vec3}, MemberDeclaration{"w", u32_type}};
    const TypeId inner = k.ir.types().structure("Inner", inner_members);                    // 16 bytes
    const std::array outer_members{MemberDeclaration{"first", u32_type},                    // 0
                                   MemberDeclaration{"in", inner},                          // 16
                                   MemberDeclaration{"rows", k.ir.types().array(vec3, 2)},  // 32, 48
                                   MemberDeclaration{"last", u32_type}};                    // 64; size 80
    const TypeId outer = k.ir.types().structure("Outer", outer_members);
    const VariableId in = k.storage("in", k.ir.types().runtime_array(outer));
    const VariableId out = k.storage("out", k.ir.types().runtime_array(outer));
    const VariableId length = k.words("length");
    const NodeId copied = k.get(in, k.global_x());  // the whole structure, through a variable
    const VariableId local = k.local(outer, copied);
    const NodeId row = k.ir.ref_index(k.ir.ref_member(k.ir.ref(local), 2), k.global_x());
    k.ir.store(k.ir.ref_index(row, k.u(1)), k.u(99));
    k.set_at(out, k.global_x(), k.get(local));
    k.set_at(length, 0u, k.ir.array_length(k.ir.ref(in)));
    Words memory(42);  // two structures and half of a third
    for (std::uint32_t i = 0; i < memory.size(); ++i) memory[i] = i;
    const auto got = run(k.finish(), {memory, Words(40, 7), Words(1)}, groups(2));
    const auto pad = [](Words words, std::uint32_t changed) {
        for (const std::uint32_t i : {1u, 2u, 3u, 11u, 15u, 17u, 18u, 19u}) words[i] = 7;
        words[changed] = 99;
        return words;
    };
    CHECK(Words(got[1].begin(), got[1].begin() + 20) == pad(Words(memory.begin(), memory.begin() + 20), 9));
    CHECK(Words(got[1].begin() + 20, got[1].end()) ==
          pad(Words(memory.begin() + 20, memory.begin() + 40), 13));
    CHECK(got[2][0] == 2);
}

TEST_CASE("out-of-bounds loads give zero and stores do nothing, in every memory") {
    for (const AddressSpace space :
         {AddressSpace::function, AddressSpace::private_, AddressSpace::workgroup, AddressSpace::storage}) {
        CAPTURE(name(space));
        Kernel k;
        const VariableId in = k.words("in"), out = k.words("out");
        const TypeId row = k.ir.types().array(u32_type, 3);
        const TypeId table = k.ir.types().array(row, 2);
        const VariableId v = space == AddressSpace::storage ? k.storage("v", table) : k.in(space, table);
        if (space == AddressSpace::function) k.ir.declare(v);
        const auto place = [&](NodeId i, NodeId j) { return k.ir.ref_index(k.at(v, i), j); };
        for (std::uint32_t n = 0; n < 6; ++n) k.ir.store(place(k.u(n / 3), k.u(n % 3)), k.u(n + 1));
        const NodeId four = k.get(in, 0u), huge = k.get(in, 1u), zero = k.get(in, 2u);
        // Within the table's memory, but outside the row: out of bounds.
        k.set_at(out, 0u, k.ir.load(place(zero, four)));
        k.set_at(out, 1u, k.ir.load(place(four, zero)));
        k.set_at(out, 2u, k.ir.load(place(huge, k.ir.bitcast(Scalar::i32, huge))));
        k.set_at(out, 3u, k.ir.load(place(k.u(9), zero)));
        k.set_at(out, 4u, k.ir.extract(k.ir.load(k.at(v, four)), 1));
        k.ir.store(place(zero, four), k.u(77));
        k.ir.store(place(huge, zero), k.u(77));
        k.ir.store(k.at(v, four), k.ir.load(k.at(v, zero)));
        k.ir.store(place(zero, zero), k.u(50));
        for (std::uint32_t n = 0; n < 6; ++n) k.set_at(out, 5 + n, k.ir.load(place(k.u(n / 3), k.u(n % 3))));
        std::vector<Words> memory{{4, 0xffffffffu, 0}, Words(11, 9)};
        if (space == AddressSpace::storage) memory.push_back(Words(6));
        CHECK(run(k.finish(), memory)[1] == Words{0, 0, 0, 0, 0, 50, 2, 3, 4, 5, 6});
    }
}

TEST_CASE("a run-time array ends where its binding does") {
    Kernel k;
    const VariableId data = k.words("data");
    k.set_at(data, k.global_x(), k.u(5));
    CHECK(run(k.finish(), {{1, 2, 3}}, groups(8))[0] == Words{5, 5, 5});
}

TEST_CASE("atomics change memory and give the old value") {
    struct Case {
        Op op;
        std::uint32_t start, operand, signed_end, unsigned_end;
    };
    const std::array cases{Case{Op::atomic_add, 0xffffffffu, 3, 2, 2},
                           Case{Op::atomic_sub, 1, 3, 0xfffffffeu, 0xfffffffeu},
                           Case{Op::atomic_max, 0xffffffffu, 3, 3, 0xffffffffu},
                           Case{Op::atomic_min, 0xffffffffu, 3, 0xffffffffu, 3},
                           Case{Op::atomic_and, 6, 3, 2, 2},
                           Case{Op::atomic_or, 6, 3, 7, 7},
                           Case{Op::atomic_xor, 6, 3, 5, 5},
                           Case{Op::atomic_exchange, 6, 3, 3, 3}};
    for (const AddressSpace space : {AddressSpace::workgroup, AddressSpace::storage})
        for (const Scalar scalar : {Scalar::i32, Scalar::u32})
            for (const Case& c : cases) {
                CAPTURE(info(c.op).name);
                Kernel k;
                const VariableId out = k.words("out");
                const TypeId type = k.ir.types().runtime_array(k.ir.types().atomic(scalar));
                const TypeId sized = k.ir.types().array(k.ir.types().atomic(scalar), 3);
                const VariableId a =
                    space == AddressSpace::storage ? k.storage("a", type) : k.in(space, sized);
                const auto value = [&](std::uint32_t w) { return k.ir.constant(type_of(scalar), Words{w}); };
                k.ir.atomic(Op::atomic_store, k.at(a, 1u), value(c.start));
                const NodeId old = k.ir.atomic(c.op, k.at(a, 1u), value(c.operand));
                const NodeId outside = k.ir.atomic(c.op, k.at(a, k.get(out, 0u)), value(c.operand));
                k.ir.atomic(Op::atomic_store, k.at(a, k.get(out, 0u)), value(c.operand));
                k.set_at(out, 0u, k.ir.bitcast(Scalar::u32, old));
                k.set_at(out, 1u, k.ir.bitcast(Scalar::u32, k.ir.atomic(Op::atomic_load, k.at(a, 1u))));
                k.set_at(out, 2u, k.ir.bitcast(Scalar::u32, outside));
                std::vector<Words> memory{{500, 9, 9}};
                if (space == AddressSpace::storage) memory.push_back(Words(3));
                memory = run(k.finish(), memory);
                CHECK(memory[0] == Words{c.start, scalar == Scalar::i32 ? c.signed_end : c.unsigned_end, 0});
            }
}

TEST_CASE("compare-exchange stores only where the old value is the expected one") {
    Kernel k;
    const VariableId out = k.words("out");
    const VariableId a = k.in(AddressSpace::workgroup, k.ir.types().atomic(Scalar::u32));
    const NodeId place = k.ir.ref(a);
    k.set_at(out, 0u, k.ir.atomic(Op::atomic_compare_exchange, place, k.u(5), k.u(1)));
    k.set_at(out, 1u, k.ir.atomic(Op::atomic_compare_exchange, place, k.u(7), k.u(0)));
    k.set_at(out, 2u, k.ir.atomic(Op::atomic_load, place));
    CHECK(run(k.finish(), {Words(3, 9)})[0] == Words{0, 0, 7});
}

TEST_CASE("subnormals are kept, or flushed where asked for") {
    Kernel k;
    const VariableId in = k.storage("in", k.ir.types().runtime_array(f32_type));
    const VariableId out = k.words("out");
    const NodeId tiny = k.get(in, 0u), half = k.get(in, 1u), least = k.get(in, 2u);
    k.set_at(out, 0u, k.ir.bitcast(Scalar::u32, k.ir.binary(Op::add, tiny, tiny)));   // operand
    k.set_at(out, 1u, k.ir.bitcast(Scalar::u32, k.ir.binary(Op::mul, least, half)));  // result
    k.set_at(out, 2u, k.ir.bitcast(Scalar::u32, k.ir.unary(Op::neg, tiny)));          // a move
    k.set_at(out, 3u, k.ir.convert(Scalar::u32, k.ir.binary(Op::gt, tiny, k.ir.constant(0.0f))));
    const VariableId r = k.local(u32_type);
    k.ir.begin_if(k.ir.binary(Op::gt, tiny, k.ir.constant(0.0f)));
    k.set(r, k.u(1));
    k.ir.end_if();
    k.set_at(out, 4u, k.get(r));
    const ValidProgram program = k.finish();
    const std::vector<Words> memory{{1, bits(0.5f), 0x00800000u}, Words(5)};
    CHECK(run(program, memory)[1] == Words{2, 0x00400000u, 0x80000001u, 1, 1});
    CHECK(run(program, memory, groups(1), {.flush_subnormals = true})[1] == Words{0, 0, 0x80000001u, 0, 0});
}

TEST_CASE("the math group is what math::evaluate says, on vectors too") {
    for (std::size_t n = 0; n < op_count; ++n) {
        const Op op = static_cast<Op>(n);
        if (info(op).group != OpGroup::math) continue;
        CAPTURE(info(op).name);
        for (const std::uint32_t width : {1u, 3u}) {
            Kernel k;
            const TypeId type = type_of(Scalar::f32, width);
            const VariableId x = k.storage("x", type), y = k.storage("y", type), out = k.storage("out", type);
            const NodeId a = k.get(x);
            k.set(out, info(op).operands == 1 ? k.ir.unary(op, a) : k.ir.binary(op, a, k.get(y)));
            const Words xs{bits(0.75f), bits(-0.5f), bits(1.25f)}, ys{bits(0.5f), bits(2.0f), bits(-1.5f)};
            std::vector<Words> memory{xs, Words(4)};
            if (info(op).operands == 2) memory = {xs, ys, Words(4)};
            for (Words& words : memory) words.resize(4);
            memory = run(k.finish(), memory);
            for (std::uint32_t c = 0; c < width; ++c) {
                const float expected =
                    math::evaluate(op, std::bit_cast<float>(xs[c]), std::bit_cast<float>(ys[c]));
                CHECK(semantics::to_bits(std::bit_cast<float>(memory.back()[c])) ==
                      semantics::to_bits(expected));
            }
        }
    }
}

TEST_CASE("loads through dynamic component and member steps") {
    Kernel k;
    const VariableId out = k.words("out");
    const std::array members{MemberDeclaration{"a", u32_type},
                             MemberDeclaration{"v", type_of(Scalar::u32, 3)}};
    const TypeId structure = k.ir.types().structure("S", members);
    const VariableId s = k.local(k.ir.types().array(structure, 3));
    const NodeId i = k.global_x();
    const NodeId v = k.ir.ref_member(k.at(s, i), 1);
    k.ir.store(k.ir.ref_index(v, i), k.u(4));
    k.ir.store(k.ir.ref_member(k.at(s, i), 0), k.u(6));
    k.set_at(out, i,
             k.add(k.ir.load(k.ir.ref_index(k.ir.ref_member(k.at(s, i), 1), i)),
                   k.ir.extract(k.ir.load(k.at(s, i)), 0)));
    CHECK(run(k.finish(), {Words(3)}, groups(3))[0] == Words{10, 10, 10});
}
