// node_values.hpp - the values of nodes, and operations on them: which of their words are computed
// once, and which per lane.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include <muster/backend-cpu/compiler/lowering/shared_variables.hpp>

namespace muster::cpu {

class NodeValues : KernelPart {
  public:
    NodeValues(const KernelPart& kernel, const GridPosition& position, SharedVariables& shared)
        : KernelPart(kernel),
          position_(position),
          shared_(shared),
          values_(program_.node_count()),
          in_slots_(program_.node_count(), false) {}

    Lanes value(NodeId node);
    Lane word(NodeId node, std::uint64_t word) { return value(node)[word]; }
    void set(NodeId node, Lanes lanes) { values_[node.index] = std::move(lanes); }
    /// Computes a node that neither accesses memory nor decides.
    void evaluate(NodeId node);

    /// Some values pass through slots, because code that uses them is also reached past the
    /// nodes that they come from.
    void pass_in_slots(NodeId node) { in_slots_[node.index] = true; }
    bool is_in_slots(NodeId node) const { return in_slots_[node.index]; }
    /// Stores such a value once it is there. forget_slots(): before the same nodes are built once more.
    void put_in_slots(NodeId node);
    void forget_slots() { slots_of_.clear(); }

  private:
    Lanes constant(NodeId node);
    Lanes length(NodeId node);
    Lanes builtin(NodeId node);
    Lanes part(NodeId node);
    Lanes dynamic_part(NodeId node);
    Lanes componentwise(NodeId node);
    Lanes bitcast_of_words(NodeId node);
    Lanes reduced(NodeId node);
    Lanes ballot(NodeId node);
    Lanes shuffle(NodeId node);
    Value* permuted(Value* lanes, Value* from);

    const GridPosition& position_;
    SharedVariables& shared_;
    std::vector<Lanes> values_;                              // by node
    std::vector<bool> in_slots_;                             // by node
    std::map<std::uint32_t, std::vector<Value*>> slots_of_;  // by node
};

}  // namespace muster::cpu
