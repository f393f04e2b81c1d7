// recorder.hpp - observes memory accesses and collects findings. Internal; used by one thread.
//
// Each word has a shadow, or each half word or byte in bindings that contain scalars so small: the last
// write and the last reads, with their time. Two accesses are ordered if one invocation makes both, or
// if both are made in one workgroup with a barrier of their memory in between: a workgroup has one epoch
// for workgroup memory and one for storage, which barriers advance. Only grid barriers, which have an
// epoch too, order accesses to storage from two workgroups. Atomics race with nothing: a word declared
// atomic has no other accesses.
//
// A finding is kept as first seen; seen again, it is only counted, once for each access
// however many words that has.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <muster/foundation/interpreter/code.hpp>
#include <muster/foundation/interpreter/handlers.hpp>
#include <muster/foundation/interpreter/interpret.hpp>
#include <muster/foundation/interpreter/machine.hpp>

namespace muster::interpreter {

struct ShadowAccess {
    std::uint64_t group = 0;  // linear workgroup id, from 1; 0: no access yet
    std::uint32_t epoch = 0;
    std::uint32_t grid_epoch = 0;
    std::uint32_t invocation = 0;
    NodeId node;
};
struct Shadow {
    ShadowAccess write, read;
    ShadowAccess other_read;  // by an invocation other than `read`'s; a write may still conflict with it
};

/// The shadows of one memory, made when first accessed.
class ShadowMemory {
  public:
    Shadow& operator[](std::uint32_t word);
    void forget() { pages_.clear(); }

  private:
    static constexpr std::uint32_t page_words = 256;
    using Page = std::array<Shadow, page_words>;
    std::unordered_map<std::uint32_t, std::unique_ptr<Page>> pages_;
};

/// The recorder's data on a workgroup in flight.
struct GroupShadow {
    std::uint64_t group = 0;  // linear id, from 1
    Extent3 id{0, 0, 0};
    std::uint32_t workgroup_epoch = 0, storage_epoch = 0;
    ShadowMemory workgroup_memory;
};

class Recorder {
  public:
    Recorder(const InterpreterCode::Data& code, const InterpretOptions& options,
             std::span<const Buffer> buffers, const LaunchGrid& grid);

    /// Sets the invocation that makes the next accesses.
    void set_current(GroupShadow& group, std::uint32_t invocation) {
        group_ = &group;
        invocation_ = invocation;
    }

    /// Records that all invocations of the grid have met at a barrier.
    void pass_grid_barrier() { ++grid_epoch_; }

    // `at` counts words, or half words or bytes as `where` does, from the start of workgroup
    // memory or of binding i->f.
    void read(const Instruction* i, Where where, std::uint32_t at, std::uint32_t count);
    void write(const Instruction* i, Where where, std::uint32_t at, std::uint32_t count);
    void atomic(const Instruction* i, Where where, std::uint32_t at, bool only_reads);
    // `base` is the address without this index and those behind it; nowhere if one before
    // it is out of bounds, too.
    void out_of_bounds(const Instruction* i, std::uint32_t base, std::uint32_t index, std::uint32_t count);
    // The invocation is number `lane` of the subgroup, whose first one is set as the current one.
    void divergent_subgroup(const Instruction* i, std::uint32_t lane, std::uint32_t active,
                            std::uint32_t all);
    void inactive_invocation(const Instruction* i, std::uint32_t lane, std::uint32_t source);
    // The current invocation has just been stopped.
    void step_limit(const Machine& machine, std::uint64_t steps);

    void give(InterpretReport& report);

  private:
    struct WordAccess {
        const Instruction* instruction;
        bool in_storage;
        std::uint32_t at;  // in the units of the binding's shadows
        bool writes;
    };
    struct Range {
        std::uint32_t first, end;
    };
    /// The shadows of `count` units from `at` on.
    Range shadows(const Instruction* i, Where where, std::uint32_t at, std::uint32_t count) const;
    Shadow& shadow(const WordAccess& access);
    ShadowAccess now(const WordAccess& access) const;
    bool is_ordered(const ShadowAccess& earlier, const ShadowAccess& now, bool in_storage) const;
    void check_race(const WordAccess& access, const ShadowAccess& earlier, bool earlier_writes);
    void check_written(const WordAccess& access, const Shadow& shadow);
    void check_guard(const WordAccess& access, AccessKind kind);
    /// The source text of what an index is applied to, "particles[5].history".
    std::string indexed_place(const Instruction* i, std::uint32_t base) const;
    void add_of_subgroup(FindingKind kind, const Instruction* i, std::uint32_t lane, std::string_view text);
    NodeId node_of(const Instruction* i) const;
    InvocationId ids(std::uint64_t group, std::uint32_t invocation) const;
    Finding finding(FindingKind kind, NodeId node, std::uint32_t lane = 0) const;
    Finding finding(FindingKind kind, const WordAccess& access) const;
    bool is_wanted(FindingKind kind, NodeId node, NodeId other, bool between_workgroups = false);

    const InterpreterCode::Data& code_;
    const InterpretOptions& options_;
    std::span<const Buffer> buffers_;
    LaunchGrid grid_;
    std::vector<ShadowMemory> storage_;
    std::vector<std::uint32_t> unit_bytes_;  // by binding: what one of its shadows is of
    GroupShadow* group_ = nullptr;
    std::uint32_t invocation_ = 0, grid_epoch_ = 0;
    std::uint64_t access_ = 0;  // counts accesses and operations
    struct Seen {
        std::size_t finding;   // its number, also if it is left out
        std::uint64_t access;  // when it was counted last
    };
    std::map<std::tuple<FindingKind, SourceLocation, SourceLocation, std::uint32_t>, Seen> seen_;
    std::vector<Finding> findings_;
    std::uint64_t left_out_ = 0;
};

}  // namespace muster::interpreter
