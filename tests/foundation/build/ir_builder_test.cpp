#include <array>
#include <bit>

#include <doctest/doctest.h>

#include <muster/foundation/build/ir_builder.hpp>

using namespace muster;

namespace {

struct Doubler {
    IrBuilder ir{"double_it", {64, 1, 1}};
    VariableId data = ir.variable(
        {.name = "data", .type = ir.types().runtime_array(f32_type), .space = AddressSpace::storage});
    NodeId place() {
        const NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
        ir.name(i, "i");
        return ir.ref_index(ir.ref(data), i);
    }
};

Program finished(IrBuilder&& ir) {
    Result<Program> program = std::move(ir).finish();
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    return *program;
}

Program doubled(bool with_noise, std::string_view name = "i") {
    Doubler d;
    if (with_noise) {
        d.ir.constant(17.0f);
        d.ir.types().array(i32_type, 9);
        d.ir.variable({.name = "unused", .type = f32_type});
    }
    const NodeId place = d.place();
    const NodeId value = d.ir.load(place);
    d.ir.name(value, name);
    if (with_noise) d.ir.binary(Op::add, value, value);
    d.ir.store(place, d.ir.binary(Op::mul, value, d.ir.constant(2.0f)));
    return finished(std::move(d.ir));
}

}  // namespace

TEST_CASE("the arena is canonical: unused nodes, types and variables are gone, names of locals don't count") {
    const Program plain = doubled(false);
    const Program noisy = doubled(true, "x");
    CHECK(same_structure(plain, noisy));
    CHECK(plain.fingerprint() == noisy.fingerprint());
    CHECK(plain.variables().size() == 1);
    CHECK(noisy.variables().size() == 1);
    CHECK(plain.types().count() == fixed_type_count + 1);
    CHECK(plain.block(plain.body()).size() == 4);  // extract, load, mul, store
}

TEST_CASE("what matters outside changes the fingerprint") {
    const auto with = [](std::string entry, Extent3 size, std::string name, std::uint32_t binding,
                         Access access) {
        IrBuilder ir(std::move(entry), size);
        const VariableId data = ir.variable({.name = std::move(name),
                                             .type = ir.types().runtime_array(f32_type),
                                             .space = AddressSpace::storage,
                                             .access = access,
                                             .binding = binding});
        const VariableId sink =
            ir.variable({.name = "sink", .type = f32_type, .space = AddressSpace::storage, .group = 1});
        ir.store(ir.ref(sink), ir.load(ir.ref_index(ir.ref(data), ir.constant(1u))));
        return finished(std::move(ir)).fingerprint();
    };
    const Fingerprint base = with("main", {1, 1, 1}, "data", 0, Access::read);
    CHECK(base == with("main", {1, 1, 1}, "data", 0, Access::read));
    CHECK(base != with("other", {1, 1, 1}, "data", 0, Access::read));
    CHECK(base != with("main", {2, 1, 1}, "data", 0, Access::read));
    CHECK(base != with("main", {1, 1, 1}, "date", 0, Access::read));
    CHECK(base != with("main", {1, 1, 1}, "data", 1, Access::read));
    CHECK(base != with("main", {1, 1, 1}, "data", 0, Access::read_write));
}

TEST_CASE("free nodes are one per value") {
    IrBuilder ir("main", {});
    CHECK(ir.constant(1.5f) == ir.constant(1.5f));
    CHECK(ir.constant(0.0f) != ir.constant(-0.0f));
    CHECK(ir.constant(1) != ir.constant(1u));
    CHECK(ir.constant(f32_type, std::array{0u}) == ir.zero(f32_type));
    CHECK(ir.builtin(Builtin::workgroup_id) == ir.builtin(Builtin::workgroup_id));
    const VariableId v = ir.variable({.name = "v", .type = ir.types().array(f32_type, 4)});
    CHECK(ir.ref_index(ir.ref(v), ir.constant(1u)) == ir.ref_index(ir.ref(v), ir.constant(1u)));
}

TEST_CASE("operations on constants are folded by the run-time semantics") {
    IrBuilder ir("main", {});
    CHECK(ir.binary(Op::add, ir.constant(INT32_MAX), ir.constant(1)) == ir.constant(INT32_MIN));
    CHECK(ir.binary(Op::div, ir.constant(7), ir.constant(0)) == ir.constant(7));
    CHECK(ir.convert(Scalar::u32, ir.constant(-1.0f)) == ir.constant(0u));
    CHECK(ir.splat(ir.constant(2.0f), 3) ==
          ir.constant(type_of(Scalar::f32, 3), std::array{0x40000000u, 0x40000000u, 0x40000000u}));
    const NodeId infinite = ir.binary(Op::div, ir.constant(1.0f), ir.constant(0.0f));
    CHECK_FALSE(ir.is_constant(infinite));  // has no text, so it isn't a constant
}

TEST_CASE("control constructs nest, code after a jump is dropped") {
    IrBuilder ir("main", {});
    const VariableId sum = ir.variable({.name = "sum", .type = u32_type, .space = AddressSpace::storage});
    ir.begin_loop();
    ir.begin_if(ir.binary(Op::gt, ir.load(ir.ref(sum)), ir.constant(9u)));
    ir.break_();
    ir.store(ir.ref(sum), ir.constant(1u));  // unreachable
    ir.end_if();
    ir.begin_switch(ir.load(ir.ref(sum)));
    ir.begin_case(std::array{1u, 2u}, false);
    ir.continue_();
    ir.begin_case({}, true);
    ir.end_switch();
    ir.begin_continuing();
    ir.break_if(ir.binary(Op::eq, ir.load(ir.ref(sum)), ir.constant(7u)));
    ir.end_loop();
    ir.begin_scope();
    ir.return_();
    ir.end_scope();
    const Program program = finished(std::move(ir));
    const auto body = program.block(program.body());
    REQUIRE(body.size() == 2);
    REQUIRE(program.node(body[0]).op == Op::loop);
    CHECK(program.node(body[1]).op == Op::scope);
    const auto loop = program.block(program.blocks(body[0])[0]);
    REQUIRE(loop.size() == 5);  // load, gt, if, load, switch
    CHECK(program.block(program.blocks(loop[2])[0]).size() == 1);
    CHECK(program.block(program.blocks(loop[2])[1]).empty());
    const auto cases = program.switch_cases(loop[4]);
    REQUIRE(cases.size() == 2);
    CHECK(cases[0].selectors.size() == 2);
    CHECK(cases[0].selectors[1] == 2);
    CHECK(cases[1].is_default);
}

TEST_CASE("code behind a control node is dropped if no invocation goes on there") {
    const auto stores_behind = [](const auto& control) {
        IrBuilder ir("main", {});
        const VariableId sum = ir.variable({.name = "sum", .type = u32_type, .space = AddressSpace::storage});
        const NodeId some = ir.binary(Op::gt, ir.load(ir.ref(sum)), ir.constant(9u));
        ir.begin_loop();
        control(ir, some);
        const bool ended = ir.block_ended();
        ir.store(ir.ref(sum), ir.constant(1u));
        ir.break_();
        ir.end_loop();
        const Program program = finished(std::move(ir));
        const bool stores = program.required_ops().contains(Op::store);
        CHECK(stores != ended);
        return stores;
    };
    CHECK_FALSE(stores_behind([](IrBuilder& ir, NodeId some) {
        ir.begin_if(some), ir.continue_(), ir.begin_else(), ir.break_(), ir.end_if();
    }));
    CHECK(stores_behind([](IrBuilder& ir, NodeId some) { ir.begin_if(some), ir.return_(), ir.end_if(); }));
    CHECK_FALSE(stores_behind([](IrBuilder& ir, NodeId) {
        ir.begin_switch(ir.constant(2u));
        ir.begin_case(std::array{1u}, false), ir.continue_();
        ir.begin_case({}, true), ir.return_(), ir.end_switch();
    }));
    CHECK(stores_behind([](IrBuilder& ir, NodeId some) {
        ir.begin_switch(ir.constant(2u));
        ir.begin_case(std::array{1u}, false), ir.begin_if(some), ir.break_(), ir.end_if(), ir.return_();
        ir.begin_case({}, true), ir.return_(), ir.end_switch();
    }));
    CHECK_FALSE(stores_behind([](IrBuilder& ir, NodeId some) {
        ir.begin_loop(), ir.begin_if(some), ir.return_(), ir.end_if(), ir.end_loop();
    }));
    CHECK(stores_behind([](IrBuilder& ir, NodeId some) {
        ir.begin_loop(), ir.begin_continuing(), ir.break_if(some), ir.end_loop();
    }));
    CHECK_FALSE(stores_behind([](IrBuilder& ir, NodeId) { ir.begin_scope(), ir.return_(), ir.end_scope(); }));
    CHECK(stores_behind([](IrBuilder& ir, NodeId) { ir.begin_scope(), ir.break_(), ir.end_scope(); }));
}

TEST_CASE("needs and required operations are computed once") {
    Doubler d;
    d.ir.variable(
        {.name = "unused", .type = d.ir.types().array(u32_type, 100), .space = AddressSpace::workgroup});
    const VariableId tile = d.ir.variable(
        {.name = "tile", .type = d.ir.types().array(f32_type, 5), .space = AddressSpace::workgroup});
    const NodeId place = d.place();
    d.ir.store(d.ir.ref_index(d.ir.ref(tile), d.ir.constant(0u)), d.ir.load(place));
    d.ir.store(place, d.ir.unary(Op::exp, d.ir.load(place)));
    d.ir.extension("muster.example", no_type, {});
    const Program program = finished(std::move(d.ir));
    CHECK(program.needs().workgroup_bytes == 32);
    CHECK(program.needs().storage_bindings == 1);
    CHECK(program.required_ops().contains(Op::exp));
    CHECK_FALSE(program.required_ops().contains(Op::add));
    CHECK_FALSE(OpSet::all_exact().contains(program.required_ops()));
    CHECK(OpSet::all_exact().missing(program.required_ops()) ==
          std::vector<std::string>{"exp", "muster.example"});
    CHECK(program.variable(program.bindings()[0]).is_read);
    CHECK(program.variable(program.bindings()[0]).is_written);
    CHECK(program.name(program.block(program.body())[0]) == "i");
}

TEST_CASE("a program that is too large, too deep or not closed is an error") {
    SUBCASE("too large") {
        Doubler d;
        const NodeId place = d.place();
        for (std::uint32_t i = 0; i < IrBuilder::max_nodes; ++i) d.ir.load(place);
        const auto program = std::move(d.ir).finish();
        REQUIRE_FALSE(program);
        CHECK(program.error().code == ErrorCode::limit_exceeded);
    }
    SUBCASE("too deep") {
        IrBuilder ir("main", {});
        for (int i = 0; i < 100'000; ++i) ir.begin_scope();
        for (int i = 0; i < 100'000; ++i) ir.end_scope();
        const auto program = std::move(ir).finish();
        REQUIRE_FALSE(program);
        CHECK(program.error().code == ErrorCode::limit_exceeded);
    }
    SUBCASE("not closed") {
        IrBuilder ir("main", {});
        ir.begin_loop();
        CHECK_FALSE(std::move(ir).finish());
    }
    SUBCASE("closed twice") {
        IrBuilder ir("main", {});
        ir.end_if();
        CHECK_FALSE(std::move(ir).finish());
    }
}

TEST_CASE("a part of a composed structure, and a return at the body's end, leave no nodes") {
    const auto build = [](bool roundabout) {
        IrBuilder ir("main", {1, 1, 1});
        const VariableId out = ir.variable({.name = "out", .type = u32_type, .space = AddressSpace::storage});
        const NodeId value = ir.load(ir.ref(out));
        if (roundabout) {
            const TypeId pair = ir.types().structure(
                "Pair", std::array{MemberDeclaration{"a", u32_type}, MemberDeclaration{"b", u32_type}});
            ir.store(ir.ref(out), ir.extract(ir.compose(pair, std::array{ir.constant(1u), value}), 1));
            ir.return_();
        } else {
            ir.store(ir.ref(out), value);
        }
        return std::move(ir).finish()->fingerprint();
    };
    CHECK(build(true) == build(false));
}
