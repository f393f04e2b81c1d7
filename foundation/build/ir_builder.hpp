// ir_builder.hpp - builds Programs, node by node. Every Program is made here: the WGSL front end, the C++
// builder and every rewrite use it.
//
// Nodes are appended to the open block. Operations whose operands are all constants are folded by the
// run-time semantics (semantics.hpp), so that WGSL and C++ with the same meaning give the same structure.
// Operand types must fit the operation as program.hpp states. Callers check users' input first; a wrong call
// is a defect of the caller, which validate() finds.
//
//     IrBuilder ir("double_it", {64, 1, 1});
//     VariableId data = ir.variable({.name = "data", .type = ir.types().runtime_array(f32_type),
//                                    .space = AddressSpace::storage});
//     NodeId i = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
//     NodeId place = ir.ref_index(ir.ref(data), i);
//     ir.store(place, ir.binary(Op::mul, ir.load(place), ir.constant(2.0f)));
//     Result<Program> program = std::move(ir).finish();
//
// Threads: one. Memory: proportional to what was emitted; finish() refuses programs over `max_nodes`.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/f16.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {
MUSTER_API_BEGIN

class IrBuilder {
  public:
    /// The most placed nodes that a program may have; the front end's budget for inlining.
    static constexpr std::uint32_t max_nodes = 1'000'000;

    /// `subgroup_size`: the size that the program asks for, or 0.
    IrBuilder(std::string entry, Extent3 workgroup_size, std::uint32_t subgroup_size = 0);
    IrBuilder(IrBuilder&&) noexcept;
    IrBuilder& operator=(IrBuilder&&) noexcept;
    ~IrBuilder();

    TypeTable& types();
    const TypeTable& types() const;
    TypeId type(NodeId id) const;
    const Node& node(NodeId id) const;
    std::span<const NodeId> operands(NodeId id) const;
    std::uint32_t node_count() const;
    /// Number of nodes placed so far, including those that finish() will drop as unused.
    std::uint32_t placed_count() const;

    // The source location of the nodes made from now on.
    std::uint32_t file(SourceFile file);
    void at(SourceLocation where);
    SourceLocation here() const;
    /// Names a value (`let x = ...`); the first name given is kept.
    void name(NodeId id, std::string_view name);

    /// Adds a module-scope or function-scope variable. A function-scope one needs a declare() where its scope
    /// begins.
    VariableId variable(Variable variable);
    const Variable& variable(VariableId id) const;

    // Free nodes.
    NodeId constant(float value);
    NodeId constant(f16 value);
    NodeId constant(std::int32_t value);
    NodeId constant(std::uint32_t value);
    NodeId constant(bool value);
    NodeId constant(std::int64_t value);
    NodeId constant(std::uint64_t value);
    NodeId constant(double value);
    /// `words`: those of the type's scalars in order, without padding. If all words are zero
    /// the result is zero(type).
    NodeId constant(TypeId type, std::span<const std::uint32_t> words);
    NodeId zero(TypeId type);
    NodeId builtin(Builtin builtin);
    NodeId ref(VariableId variable);
    NodeId ref_index(NodeId place, NodeId index);
    NodeId ref_member(NodeId place, std::uint32_t member);
    bool is_constant(NodeId id) const;
    /// Returns every word of a constant, zeros included. Precondition: is_constant(id).
    std::vector<std::uint32_t> constant_words(NodeId id) const;

    // Placed nodes. The result type is inferred from the operands.
    NodeId unary(Op op, NodeId a);             // neg, abs, floor, ..., bit_not, logical_not, all, any, math
    NodeId binary(Op op, NodeId a, NodeId b);  // both of one type; scalars are splat to the other's width;
                                               // shifts take a u32 count of the same width
    NodeId fma(NodeId a, NodeId b, NodeId c);
    NodeId select(NodeId if_false, NodeId if_true, NodeId condition);
    NodeId convert(Scalar to, NodeId a);  // componentwise, by way of 32 bits from and to narrow integers;
                                          // if the scalar is the same: a itself
    NodeId bitcast(Scalar to, NodeId a);  // as wide as the bits need; if the scalar is the same: a itself
    NodeId splat(NodeId scalar, std::uint32_t width);  // width 1: the scalar itself
    NodeId compose(TypeId type, std::span<const NodeId> parts);
    NodeId extract(NodeId composite, std::uint32_t which);  // from a composed structure: the part itself
    NodeId extract_dynamic(NodeId composite, NodeId index);
    NodeId swizzle(NodeId vector, std::span<const std::uint8_t> components);  // one component: extract
    NodeId declare(VariableId variable, NodeId initial = {});
    NodeId load(NodeId place);
    NodeId store(NodeId place, NodeId value);
    NodeId array_length(NodeId place);
    NodeId atomic(Op op, NodeId place, NodeId value = {}, NodeId expected = {});
    NodeId barrier(Op op);
    /// Appends an operation of the group subgroup; `lane` is the second operand of broadcasts and shuffles.
    NodeId subgroup(Op op, NodeId value, NodeId lane = {});
    /// Sets the payload of the subgroup operations made from now on: 0, may_diverge or
    /// known_uniform (program.hpp).
    void set_subgroup_flow(std::uint32_t flow);
    NodeId grid_barrier();                   // grid_barrier.hpp
    NodeId grid_uniform_load(NodeId place);  // grid_barrier.hpp
    NodeId extension(std::string_view id, TypeId type, std::span<const NodeId> operands);

    // Control. Each begin_ opens a block; blocks nest; code that can't be reached is dropped: after
    // break_, continue_ or return_, behind a control node that no invocation leaves, and in a
    // continuing block that none enters.
    void begin_if(NodeId condition);
    void begin_else();  // optional
    void end_if();
    void begin_loop();
    void begin_continuing();  // optional
    void break_if(NodeId condition);
    void end_loop();
    void begin_switch(NodeId selector);
    void begin_case(std::span<const std::uint32_t> selectors, bool is_default);
    void end_switch();
    void begin_scope();
    void end_scope();
    void break_();
    void continue_();
    void return_();
    /// True if code that is appended to the open block can't be reached.
    bool block_ended() const;

    /// Numbers the nodes canonically and computes needs and fingerprint; drops a return_ at the body's end.
    /// Doesn't validate. Errors: limit_exceeded (over max_nodes, or control flow nested too deeply),
    /// invalid_program (begin_ and end_ don't pair).
    Result<Program> finish() &&;

    struct State;  // ir_builder_state.hpp: internal

  private:
    NodeId pure(Op op, TypeId type, std::span<const NodeId> operands, std::uint32_t payload);
    std::unique_ptr<State> state_;
};

MUSTER_API_END
}  // namespace muster
