// known_values.hpp - the values of one invocation, as far as they are known before it runs: those that follow
// from its ids, the bindings' sizes and the bytes that the host has. Internal to the analysis.
//
// The caller says in which order nodes are evaluated. Followed are function and private variables of scalars
// and vectors of 32 bits, where they are named whole. Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <muster/foundation/analysis/dispatch_work.hpp>
#include <muster/foundation/ir/program.hpp>

namespace muster {

/// A scalar or a vector of scalars of 32 bits, or, without components, anything that isn't known.
struct KnownValue {
    std::uint32_t width = 0;
    std::array<std::uint32_t, 4> words{};

    static KnownValue scalar(std::uint32_t word) { return {1, {word}}; }
    static KnownValue vector(Extent3 extent) { return {3, {extent.x, extent.y, extent.z}}; }
    bool is_known() const { return width != 0; }
    bool operator==(const KnownValue&) const = default;
};

class KnownValues {
  public:
    using Variables = std::vector<KnownValue>;  // by variable

    /// `binding_of`: by variable, its place in Program::bindings(). The references must outlive this object.
    KnownValues(const Program& program, const KnownDispatch& dispatch,
                std::span<const std::uint32_t> binding_of, Extent3 workgroup, Extent3 local);

    /// The value of a node as it was evaluated last.
    KnownValue of(NodeId node) const;
    /// Evaluates a node that isn't control flow, and assigns what it declares or stores.
    void evaluate(NodeId node);
    /// True if a reference names a variable whole that may be followed.
    bool is_followed(NodeId reference) const;
    Variables& variables() { return variables_; }
    const Variables& variables() const { return variables_; }

  private:
    KnownValue zero(TypeId type) const;
    KnownValue constant(NodeId node) const;
    KnownValue builtin(Builtin which) const;
    KnownValue computed(NodeId node) const;
    KnownValue loaded(NodeId reference) const;
    KnownValue length(NodeId array) const;
    const KnownBinding& binding(VariableId variable) const {
        return dispatch_.bindings[binding_of_[variable.index]];
    }

    const Program& program_;
    const KnownDispatch& dispatch_;
    const std::span<const std::uint32_t> binding_of_;
    const Extent3 workgroup_, local_;
    std::vector<KnownValue> values_;  // by node
    Variables variables_;
};

}  // namespace muster
