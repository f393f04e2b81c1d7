// group_lowering.hpp - one group of nodes on its way to kernels: what its lowering reads, and where its
// kernels go. Internal to graph/kernels.
//
// A group has at most one node that isn't element-wise, its anchor. The element-wise nodes behind it are
// computed where the anchor's elements are, before they are stored. Before the anchor there may be
// DequantizeLinear nodes that make its operands.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/ir/graph.hpp>
#include <muster/graph/kernel_text/kernel_text.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

/// The group's anchor: its product, or else its first node that isn't element-wise; none if all are.
NodeId anchor_of(const Graph& graph, std::span<const NodeId> nodes);

class GroupLowering {
  public:
    /// Precondition: all shapes are numbers.
    GroupLowering(const Graph& graph, const Group& group, const StorageOf& storage_of);

    const Graph& graph() const { return graph_; }
    std::span<const NodeId> nodes() const { return group_.nodes; }
    std::span<const ValueId> outputs() const { return group_.outputs; }
    /// The algorithm that the group's pattern asks for.
    Algorithm algorithm() const { return group_.pattern ? group_.pattern->algorithm : Algorithm(); }
    std::string_view pattern_name() const { return group_.pattern ? group_.pattern->name : ""; }
    /// None if all nodes are element-wise.
    NodeId anchor() const { return anchor_; }
    Operator op() const { return graph_.node(anchor_).op; }
    Attributes attributes() const { return graph_.attributes(anchor_); }
    std::size_t input_count() const { return graph_.inputs(anchor_).size(); }
    bool has(std::size_t input) const { return input < input_count() && graph_.inputs(anchor_)[input]; }
    ValueId input(std::size_t at) const { return graph_.inputs(anchor_)[at]; }
    ValueId output(std::size_t at = 0) const { return graph_.outputs(anchor_)[at]; }
    bool wants(std::size_t output) const {
        return output < graph_.outputs(anchor_).size() && graph_.outputs(anchor_)[output];
    }

    Sizes sizes(ValueId value) const;
    ElementType element(ValueId value) const { return graph_.value(value).type.element; }
    /// Null if the value isn't a constant.
    const Tensor* constant(ValueId value) const { return graph_.value(value).constant.get(); }
    Storage storage(ValueId value) const { return storage_of_(value); }
    /// The constant, if it has one element and fits 32 bits, so that it can stand in a
    /// kernel's text; else null.
    const Tensor* scalar(ValueId value) const;
    /// The first element of a value, as an expression: a literal or a load.
    std::string first_element(ValueId value, KernelText& text) const;

    /// Adds a dispatch, unless it has no workgroups.
    void add(KernelStep step) {
        if (std::ranges::find(step.workgroups, 0u) == step.workgroups.end())
            kernels_.steps.push_back(std::move(step));
    }
    PlanBuffer pack(PackedConstant bytes);
    PlanBuffer scratch(std::int64_t bytes);
    GroupKernels take() && { return std::move(kernels_); }

  private:
    const Graph& graph_;
    const Group& group_;
    const StorageOf& storage_of_;
    NodeId anchor_;
    GroupKernels kernels_;
};

/// The values that a group stores, in one kernel: those of its element-wise nodes, and
/// the anchor's first output.
class Elements {
  public:
    /// Declares the operands that the element-wise nodes read and the outputs, which all
    /// have the sizes of `like`.
    Elements(const GroupLowering& group, KernelText& text, ValueId like);

    /// The output whose layout the index space follows: the one stored first.
    OperandId inner() const { return outputs_[0].operand; }
    const Storage& layout() const { return text_.storage(inner()); }
    std::span<const OperandId> operands() const { return operands_; }
    /// Computes and stores one element; `offsets`: of operands(), `anchor`: the value of the anchor's
    /// element, if there is one, rounded.
    void store(std::span<const std::string> offsets, const std::string& anchor = {});
    /// The same at these indices.
    void store_at(std::span<const std::string> indices, const std::string& anchor);

  private:
    struct Read {
        ValueId value;
        OperandId operand;
    };
    const GroupLowering& group_;
    KernelText& text_;
    std::vector<Read> inputs_, outputs_;
    std::vector<OperandId> operands_;  // inputs_, then outputs_
};

/// A kernel that copies a tensor to one of the same sizes.
KernelStep copy_kernel(const Storage& from, const Storage& to);

// One function for each kind of group, which operators.def names by its anchor's operator. Errors: unsupported,
// with the reason as a sentence. lower_elements() is also for groups of element-wise nodes alone.
#define MUSTER_OPERATOR(op, name, infer, evaluate, lower, ...) \
    Result<void> lower_##lower(GroupLowering& group);
#include <muster/graph/ir/operators.def>
Result<void> lower_winograd(GroupLowering& group);  // of a convolution

}  // namespace muster::graph
