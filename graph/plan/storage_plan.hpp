// storage_plan.hpp - where each value of a graph is stored. Internal to graph/plan.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include <muster/graph/plan/plan.hpp>

namespace muster::graph {

class StoragePlan {
  public:
    /// Errors: invalid_program.
    static Result<StoragePlan> of(const Graph& graph, std::span<const Group> groups,
                                  const std::set<std::size_t>& outside);

    /// Precondition: the value isn't within a group.
    const Storage& storage(ValueId value) const { return *storages_[value.index]; }
    /// True if the value is another's memory, seen otherwise.
    bool is_view(ValueId value) const { return roots_[value.index] != value && !is_placed(value); }
    std::span<const std::int64_t> slot_bytes() const { return slot_bytes_; }

  private:
    struct Placing {
        ValueId whole;  // the Concat's output
        std::size_t axis = 0;
        std::int64_t begin = 0;  // on the axis
    };

    StoragePlan(const Graph& graph, std::span<const Group> groups, const std::set<std::size_t>& outside);
    void choose_layouts();
    void place_in_concats();
    Result<void> find_views();
    void share_slots();
    bool is_placed(ValueId value) const { return placings_[value.index].has_value(); }
    bool wants_channels_last(ValueId value) const;
    bool owns_memory(ValueId value) const;
    Storage own_storage(ValueId value) const;
    ValueId root(ValueId value) const;
    ValueId overwritten(const Group& group, ValueId output) const;

    const Graph& graph_;
    std::span<const Group> groups_;
    std::vector<bool> is_graph_output_, is_stored_, is_channels_last_;
    std::vector<bool>
        is_plain_;  // row-major, in memory of its own: outputs of the graph, ends of groups that are outside
    std::vector<std::vector<NodeId>> users_;
    std::vector<std::optional<Placing>> placings_;
    std::vector<std::optional<Storage>> storages_;
    std::vector<ValueId> roots_;   // whose slot a value is in
    std::int64_t zero_bytes_ = 0;  // at the begin of each slot
    std::vector<std::int64_t> slot_bytes_;
};

}  // namespace muster::graph
