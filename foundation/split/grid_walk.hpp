// grid_walk.hpp - walks the host's steps of a split program, for one dispatch.
//
//     GridWalk walk(split, workgroups, binding_bytes);
//     while (!TRY(walk.go_on(host, 64, 4096))) ...   // `host` runs the parts, in order; here at most 64 per call
//
// Evaluates the conditions around grid barriers by foundation's semantics. Pauses if the host reports that
// its parts are still running; go_on() resumes, also with another host. Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>
#include <muster/foundation/semantics/fold.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The interface through which a walk runs parts.
class GridHost {
  public:
    virtual ~GridHost() = default;
    /// Runs a part over the whole grid, after all parts before it.
    virtual Result<void> run(std::uint32_t part, std::span<const std::uint32_t> host_values) = 0;
    /// Returns true if all parts so far have ended, so that their results can be read. May wait for that; if
    /// it returns false, the walk pauses.
    virtual Result<bool> is_settled() = 0;
    /// Reads words of one of the program's bindings, from a byte offset. Parts' results are read only when
    /// settled, otherwise only data that never changes.
    virtual Result<void> read(std::uint32_t binding, std::uint64_t offset, std::span<std::uint32_t> into) = 0;
    /// Takes the value that the preceding part has handed over; nothing if all invocations
    /// had returned. Resets it.
    virtual Result<std::optional<std::uint32_t>> fetch() = 0;
};

class GridWalk {
  public:
    using Words = std::vector<std::uint32_t>;

    /// `binding_bytes` is in the program's bindings() order. The split program must outlive the walk.
    GridWalk(const SplitProgram& split, Extent3 workgroups, std::vector<std::uint64_t> binding_bytes);

    /// Returns true when the walk has ended; false if `most_parts` have been run, `most_steps` walked (a loop
    /// may have no part), or what the walk needs is still running. Errors: the host's.
    Result<bool> go_on(GridHost& host, std::uint64_t most_parts = UINT64_MAX,
                       std::uint64_t most_steps = UINT64_MAX);

  private:
    struct Value {
        Words words;
        bool is_known = false;  // words hold until a step changes them; else evaluated each time
    };

    Result<bool> step(GridHost& host);
    Result<void> run(GridHost& host, std::uint32_t part);
    void next_iteration(const HostStep& loop);
    Value& value_of(NodeId node) { return values_[split_->walked_nodes[node.index]]; }
    void know(NodeId node, std::span<const std::uint32_t> words);
    Result<std::span<const std::uint32_t>> evaluate(GridHost& host, NodeId node);
    Result<void> compute_into(GridHost& host, NodeId node, Value& value);
    /// Reads the value at a place; returns true if the place is always the same.
    Result<bool> load(GridHost& host, NodeId reference, Words& into);
    std::uint64_t elements(VariableId variable) const;
    std::uint32_t binding(VariableId variable) const;

    const SplitProgram* split_;
    Extent3 workgroups_;
    std::vector<std::uint64_t> binding_bytes_;
    std::size_t at_ = 0;  // the next step
    std::uint64_t parts_run_ = 0;
    Words host_values_;                      // of the part being run
    std::vector<std::uint64_t> iterations_;  // by loop
    std::vector<Value> values_;              // by the numbers in walked_nodes
    std::vector<Words> variables_;           // hosted variables, by variable
    std::vector<ConstantValue> operands_;    // of the operation being computed
};

MUSTER_API_END
}  // namespace muster
