// WGSL's section "Uniformity": its examples, then the effect of each construct, then large programs.
#include <array>
#include <string>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/analysis/uniformity.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/validate/validate.hpp>

using namespace muster;
using muster::test::has;

namespace {

// A program with one mutable array, one read-only array and one uniform.
struct UniformityDraft {
    IrBuilder ir{"draft", {16, 1, 1}};
    std::uint32_t file = ir.file({"draft.wgsl", nullptr});
    VariableId mutable_ = bound("a", AddressSpace::storage, Access::read_write, 0);
    VariableId read_only = bound("b", AddressSpace::storage, Access::read, 1);
    VariableId uniform = ir.variable({.name = "u",
                                      .type = i32_type,
                                      .space = AddressSpace::uniform,
                                      .access = Access::read,
                                      .binding = 2});

    VariableId bound(const char* name, AddressSpace space, Access access, std::uint32_t binding) {
        const TypeId type = ir.types().runtime_array(i32_type);
        return ir.variable(
            {.name = name, .type = type, .space = space, .access = access, .binding = binding});
    }
    void line(std::uint32_t number) { ir.at({file, number, 5}); }
    NodeId zero() { return ir.constant(0); }
    NodeId load_mutable() { return ir.load(ir.ref_index(ir.ref(mutable_), zero())); }
    NodeId load_read_only(NodeId at) { return ir.load(ir.ref_index(ir.ref(read_only), at)); }
    NodeId load_uniform() { return ir.load(ir.ref(uniform)); }
    NodeId lane() { return ir.bitcast(Scalar::i32, ir.extract(ir.builtin(Builtin::local_invocation_id), 0)); }
    NodeId group() { return ir.bitcast(Scalar::i32, ir.extract(ir.builtin(Builtin::workgroup_id), 0)); }
    NodeId positive(NodeId value) { return ir.binary(Op::gt, value, zero()); }
    VariableId local(const char* name, NodeId initial = {}) {
        const VariableId made = ir.variable({.name = name, .type = i32_type});
        ir.declare(made, initial);
        return made;
    }
    NodeId get(VariableId variable) { return ir.load(ir.ref(variable)); }
    void set(VariableId variable, NodeId value) { ir.store(ir.ref(variable), value); }
    void keep(NodeId value) { ir.store(ir.ref_index(ir.ref(mutable_), zero()), value); }
    void barrier() { ir.barrier(Op::workgroup_barrier); }
};

std::string verdict(UniformityDraft& draft) {
    Result<Program> program = std::move(draft.ir).finish();
    REQUIRE(program);
    const Result<ValidProgram> valid = validate(*program);
    return valid ? "valid" : valid.error().to_string();
}

// The uniformity of the value of the program's last store.
UniformOver last_stored(UniformityDraft& draft) {
    Result<Program> program = std::move(draft.ir).finish();
    REQUIRE(program);
    REQUIRE(validate(*program));
    const Uniformity uniformity = analyse(*program);
    NodeId last;
    for (const NodeId id : program->block(program->body()))
        if (program->node(id).op == Op::store) last = id;
    return uniformity.of(program->operand(last, 1));
}

}  // namespace

TEST_CASE("WGSL example: function-scope variables have periods of uniformity") {
    UniformityDraft d;
    d.line(1);
    const VariableId x = d.local("x");
    d.line(2);
    d.set(x, d.load_mutable());
    const bool wrong = [&] {
        bool given = false;
        SUBCASE("barrier under the first condition") { given = true; }
        SUBCASE("barrier under the second condition alone") { given = false; }
        return given;
    }();
    d.line(3);
    d.ir.begin_if(d.positive(d.get(x)));
    d.line(4);
    if (wrong) d.barrier();
    d.ir.end_if();
    d.set(x, d.load_uniform());
    d.ir.begin_if(d.positive(d.get(x)));
    d.ir.barrier(Op::storage_barrier);
    d.ir.end_if();
    d.keep(d.get(x));
    const std::string message = verdict(d);
    if (!wrong) {
        CHECK(message == "valid");
        return;
    }
    CHECK_MESSAGE(
        has(message,
            "draft.wgsl:4:5: error: The workgroup barrier stands in non-uniform control flow: whether "
            "an invocation gets here is decided at draft.wgsl:3:5 and depends on what \"a\" holds at "
            "draft.wgsl:2:5, which invocations may have written."),
        message);
    CHECK(has(message, "Fix: move the barrier out"));
}

TEST_CASE("WGSL example: a barrier before a non-uniform break in a loop") {
    for (const bool divergent : {true, false}) {
        UniformityDraft d;
        const VariableId i = d.local("i");
        d.ir.begin_loop();
        d.ir.begin_if(d.ir.binary(Op::ge, d.get(i), d.ir.constant(10)));
        d.ir.break_();
        d.ir.end_if();
        d.line(7);
        d.barrier();
        d.line(8);
        const NodeId sum = d.ir.binary(Op::add, divergent ? d.lane() : d.group(), d.get(i));
        d.ir.begin_if(d.ir.binary(Op::gt, sum, d.ir.constant(7)));
        d.ir.break_();
        d.ir.end_if();
        d.ir.begin_continuing();
        d.set(i, d.ir.binary(Op::add, d.get(i), d.ir.constant(1)));
        d.ir.end_loop();
        const std::string message = verdict(d);
        if (divergent)
            CHECK_MESSAGE(
                has(message,
                    "draft.wgsl:7:5: error: The workgroup barrier stands in non-uniform control flow: "
                    "whether an invocation gets here is decided at draft.wgsl:8:5 and depends on "
                    "local_invocation_id, which differs between invocations."),
                message);
        else
            CHECK(message == "valid");
    }
}

TEST_CASE(
    "control flow is uniform again after a branch that all leave at its end, not after one that some leave") {
    for (const bool returns : {false, true}) {
        UniformityDraft d;
        d.line(2);
        d.ir.begin_if(d.positive(d.lane()));
        d.keep(d.zero());
        if (returns) d.ir.return_();
        d.ir.end_if();
        d.barrier();
        CHECK(has(verdict(d), returns ? "decided at draft.wgsl:2:5" : "valid"));
    }
}

TEST_CASE("a scope that some invocations leave early is uniform inside until then, and after its end") {
    for (const bool inside : {false, true}) {
        UniformityDraft d;
        d.ir.begin_scope();
        d.barrier();
        d.ir.begin_if(d.positive(d.lane()));
        d.ir.break_();
        d.ir.end_if();
        if (inside) d.barrier();
        d.keep(d.zero());
        d.ir.end_scope();
        d.barrier();
        CHECK(has(verdict(d), inside ? "non-uniform" : "valid"));
    }
}

TEST_CASE("a return_ from a loop makes what follows as non-uniform as its condition") {
    for (const bool divergent : {false, true}) {
        UniformityDraft d;
        d.ir.begin_loop();
        d.ir.begin_if(d.positive(divergent ? d.lane() : d.load_uniform()));
        d.ir.return_();
        d.ir.end_if();
        d.ir.begin_continuing();
        d.ir.break_if(d.positive(d.load_uniform()));
        d.ir.end_loop();
        d.barrier();
        CHECK(has(verdict(d), divergent ? "non-uniform" : "valid"));
    }
}

TEST_CASE("switches: a case is as uniform as the selector, and break_ in one as its condition") {
    for (const bool divergent : {false, true}) {
        UniformityDraft d;
        d.ir.begin_switch(divergent ? d.lane() : d.group());
        d.ir.begin_case(std::array{1u}, false);
        d.ir.begin_if(d.positive(d.lane()));
        d.ir.break_();
        d.ir.end_if();
        d.keep(d.zero());
        d.ir.begin_case({}, true);
        d.barrier();
        d.ir.end_switch();
        d.barrier();
        CHECK(has(verdict(d), divergent ? "non-uniform" : "valid"));
    }
}

TEST_CASE("code that nothing reaches doesn't count") {
    UniformityDraft d;
    d.ir.begin_if(d.positive(d.lane()));
    d.ir.return_();
    d.ir.begin_else();
    d.ir.return_();
    d.ir.end_if();
    d.barrier();
    CHECK(verdict(d) == "valid");
}

TEST_CASE("where values come from decides how uniform they are") {
    const auto level = [](auto make) {
        UniformityDraft d;
        d.keep(make(d));
        return last_stored(d);
    };
    CHECK(level([](UniformityDraft& d) { return d.ir.constant(3); }) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d) { return d.load_uniform(); }) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d) {
              return d.ir.bitcast(Scalar::i32, d.ir.extract(d.ir.builtin(Builtin::num_workgroups), 1));
          }) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d) { return d.group(); }) == UniformOver::workgroup);
    CHECK(level([](UniformityDraft& d) { return d.lane(); }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d) { return d.load_mutable(); }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d) { return d.load_read_only(d.zero()); }) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d) { return d.load_read_only(d.group()); }) == UniformOver::workgroup);
    CHECK(level([](UniformityDraft& d) { return d.load_read_only(d.lane()); }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d) { return d.ir.binary(Op::add, d.group(), d.lane()); }) ==
          UniformOver::nothing);
    CHECK(level([](UniformityDraft& d) {
              const VariableId p =
                  d.ir.variable({.name = "p", .type = i32_type, .space = AddressSpace::private_});
              d.set(p, d.zero());
              return d.get(p);
          }) == UniformOver::nothing);
}

TEST_CASE("variables: what reaches them decides, with the control flow that it is stored in") {
    const auto level = [](auto make) {
        UniformityDraft d;
        const VariableId x = d.local("x");
        make(d, x);
        d.keep(d.get(x));
        return last_stored(d);
    };
    CHECK(level([](UniformityDraft&, VariableId) {}) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d, VariableId x) { d.set(x, d.lane()); }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {
              d.set(x, d.lane());
              d.set(x, d.group());
          }) == UniformOver::workgroup);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // stored by some invocations
              d.ir.begin_if(d.positive(d.lane()));
              d.set(x, d.ir.constant(1));
              d.ir.end_if();
          }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // stored by all invocations or none
              d.ir.begin_if(d.positive(d.group()));
              d.set(x, d.ir.constant(1));
              d.ir.end_if();
          }) == UniformOver::workgroup);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // stored in one branch only
              d.ir.begin_if(d.positive(d.load_uniform()));
              d.set(x, d.lane());
              d.ir.end_if();
          }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // the branch that stores it returns
              d.ir.begin_if(d.positive(d.load_uniform()));
              d.set(x, d.lane());
              d.keep(d.get(x));
              d.ir.return_();
              d.ir.end_if();
          }) == UniformOver::grid);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // carried from one turn to the next
              const VariableId y = d.local("y");
              d.ir.begin_loop();
              d.set(x, d.get(y));
              d.set(y, d.lane());
              d.ir.begin_continuing();
              d.ir.break_if(d.positive(d.load_uniform()));
              d.ir.end_loop();
          }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // each invocation takes its own number of turns
              d.ir.begin_loop();
              d.set(x, d.ir.binary(Op::add, d.get(x), d.ir.constant(1)));
              d.ir.begin_continuing();
              d.ir.break_if(d.positive(d.lane()));
              d.ir.end_loop();
          }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // stored before a break_
              d.ir.begin_loop();
              d.ir.begin_if(d.positive(d.load_uniform()));
              d.set(x, d.lane());
              d.ir.break_();
              d.ir.end_if();
              d.set(x, d.zero());
              d.ir.begin_continuing();
              d.ir.break_if(d.positive(d.load_uniform()));
              d.ir.end_loop();
          }) == UniformOver::nothing);
    CHECK(level([](UniformityDraft& d, VariableId x) {  // set again before the loop is left
              d.ir.begin_loop();
              d.set(x, d.lane());
              d.keep(d.get(x));
              d.set(x, d.group());
              d.ir.begin_continuing();
              d.ir.break_if(d.positive(d.load_uniform()));
              d.ir.end_loop();
          }) == UniformOver::workgroup);
}

TEST_CASE("a part of a variable keeps what the other parts hold") {
    UniformityDraft d;
    const VariableId v = d.ir.variable({.name = "v", .type = type_of(Scalar::i32, 2)});
    d.ir.declare(v, d.ir.splat(d.lane(), 2));
    d.ir.store(d.ir.ref_index(d.ir.ref(v), d.zero()), d.load_uniform());
    d.keep(d.ir.load(d.ir.ref_index(d.ir.ref(v), d.zero())));
    CHECK(last_stored(d) == UniformOver::nothing);
}

TEST_CASE("among those who stay, a loop's own counter is uniform") {
    UniformityDraft d;
    d.ir.begin_if(d.positive(d.lane()));  // the usual beginning of a kernel
    d.ir.return_();
    d.ir.end_if();
    const VariableId i = d.local("i");
    d.ir.begin_loop();
    const NodeId turn = d.get(i);
    d.keep(turn);
    d.ir.begin_continuing();
    d.set(i, d.ir.binary(Op::add, d.get(i), d.ir.constant(1)));
    d.ir.break_if(d.ir.binary(Op::ge, d.get(i), d.load_uniform()));
    d.ir.end_loop();
    d.keep(d.get(i));
    Result<Program> program = std::move(d.ir).finish();
    REQUIRE(validate(*program));
    const Uniformity uniformity = analyse(*program);
    for (std::uint32_t n = 0; n < program->node_count(); ++n) {
        const NodeId id{n};
        if (program->node(id).op != Op::loop) continue;
        const BlockId body = program->blocks(id)[0];
        CHECK(uniformity.of(program->block(body)[0]) == UniformOver::grid);
        CHECK(uniformity.of_control(body) == UniformOver::nothing);
        CHECK(uniformity.of_control(program->body()) == UniformOver::grid);
    }
}

// No time is asserted: an analysis that grows with the square of the program or worse reaches the runner's time
// limit.
TEST_CASE("large and awkward programs are analysed") {
    const auto analyse_all = [](UniformityDraft& d) {
        Result<Program> program = std::move(d.ir).finish();
        REQUIRE(program);
        REQUIRE(program->node_count() > 20'000);
        const Uniformity uniformity = analyse(*program);
        CHECK(uniformity.of_control(program->body()) == UniformOver::grid);
    };
    SUBCASE("100,000 operations in nested loops over a few variables") {
        UniformityDraft d;
        const VariableId x = d.local("x");
        for (int depth = 0; depth < 300; ++depth) {
            d.ir.begin_loop();
            for (int i = 0; i < 90; ++i) d.set(x, d.ir.binary(Op::add, d.get(x), d.lane()));
        }
        for (int depth = 0; depth < 300; ++depth) {
            d.ir.begin_continuing();
            d.ir.break_if(d.positive(d.get(x)));
            d.ir.end_loop();
        }
        analyse_all(d);
    }
    SUBCASE("10,000 variables and 10,000 jumps in one loop") {
        UniformityDraft d;
        std::vector<VariableId> variables;
        for (int i = 0; i < 10'000; ++i) variables.push_back(d.local("x"));
        d.ir.begin_loop();
        for (const VariableId variable : variables) {
            d.set(variable, d.get(variables[0]));
            d.ir.begin_if(d.positive(d.get(variable)));
            d.ir.break_();
            d.ir.end_if();
        }
        d.ir.end_loop();
        d.keep(d.get(variables[0]));
        analyse_all(d);
    }
}
