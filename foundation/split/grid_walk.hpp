// grid_walk.hpp - walks the host's steps of a split program, for one dispatch.
//
//     GridWalk walk(split, workgroups, binding_bytes);
//     while (!TRY(walk.go_on(host, 64, 4096))) ... // `host` runs the parts, in order; here 64 more at most
//
// It evaluates what decides the control flow around grid barriers by foundation's own semantics, and pauses where the host
// says that its parts still run; go_on() takes it up again, also with another host. Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/base/result.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {

/// What a walk asks of who runs the parts.
class GridHost {
  public:
    virtual ~GridHost() = default;
    /// Over the whole grid, after all parts before it.
    virtual Result<void> run(std::uint32_t part, std::span<const std::uint32_t> host_values) = 0;
    /// Whether all parts so far have ended, so that what they wrote can be read. May wait for that; where it doesn't, or not
    /// any longer, the walk pauses.
    virtual Result<bool> is_settled() = 0;
    /// Words of a binding of the program's, from a byte offset: what parts wrote once they are settled, else what never
    /// changes.
    virtual Result<void> read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) = 0;
    /// The value that the part before has handed over; none where all invocations had returned. Forgotten then.
    virtual Result<std::optional<std::uint32_t>> fetch() = 0;
};

class GridWalk {
  public:
    using Words = std::vector<std::uint32_t>;

    /// `binding_bytes`: in the program's bindings() order. The split program outlives the walk.
    GridWalk(const SplitProgram& split, Extent3 workgroups, std::vector<std::uint64_t> binding_bytes);

    /// True: it has ended. False: `most_parts` have been run, `most_steps` been walked (a loop may have no part), or what
    /// it needs still runs. Errors: the host's.
    Result<bool> go_on(GridHost& host, std::uint64_t most_parts = UINT64_MAX,
                       std::uint64_t most_steps = UINT64_MAX);

  private:
    struct Value {
        Words words;
        bool is_known = false;  // until a step says otherwise; else evaluated anew each time
    };

    Result<bool> step(GridHost& host);
    Result<void> run(GridHost& host, std::uint32_t part);
    void turn(const HostStep& loop);
    Value& value_of(NodeId node) { return values_[split_->walked_nodes[node.index]]; }
    void know(NodeId node, std::span<const std::uint32_t> words);
    Result<std::span<const std::uint32_t>> evaluate(GridHost& host, NodeId node);
    Result<void> compute_into(GridHost& host, NodeId node, Value& value);
    /// Whether the place is always the same.
    Result<bool> load(GridHost& host, NodeId reference, Words& into);
    std::uint64_t elements(VariableId variable) const;
    std::uint32_t binding(VariableId variable) const;

    const SplitProgram* split_;
    Extent3 workgroups_;
    std::vector<std::uint64_t> binding_bytes_;
    std::size_t at_ = 0;  // the next step
    std::uint64_t parts_run_ = 0;
    Words host_values_;                    // of the part that runs
    std::vector<std::uint64_t> turns_;     // by loop
    std::vector<Value> values_;            // by the nodes' numbers
    std::vector<Words> variables_;         // that the host holds
    std::vector<ConstantValue> operands_;  // of what is computed
};

}  // namespace muster
