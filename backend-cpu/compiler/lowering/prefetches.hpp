// prefetches.hpp - requests of memory where the processor can't foresee what is read:
//
// - Loops that stride far through memory, for example by the grid's size: each iteration touches another
//   page, so loads also request what later iterations read.
// - Workgroups that read a block of an array in several runs, as in `x[512 * group + lane] + x[512
//   * group + lane + 256]`: a subgroup reads from each run in turn, and going to and fro within a
//   page stops the processor's own prefetching. So each workgroup requests the block of a later
//   one, in the order of addresses.
#pragma once

#include <optional>

#include <muster/backend-cpu/compiler/lowering/jump_targets.hpp>
#include <muster/backend-cpu/compiler/lowering/node_values.hpp>

namespace muster::cpu {

class Prefetches : KernelPart {
  public:
    Prefetches(const KernelPart& kernel, const GridPosition& position, SharedVariables& shared,
               NodeValues& values, const JumpTargets& targets)
        : KernelPart(kernel), position_(position), shared_(shared), values_(values), targets_(targets) {}

    /// Requests the blocks that a later workgroup reads.
    void for_workgroup();
    /// Requests what later turns load from a place. `last_byte`: how far the last lane's element
    /// is from the first one's.
    void for_load(const Place& place, Value* pointer, std::int64_t last_byte);

  private:
    void block_of_array(VariableId variable, std::uint64_t offset, std::uint64_t bytes);
    void lines(Value* from, Value* bytes, std::int64_t last_byte, std::uint32_t locality);
    void line(Value* at, std::uint32_t locality);
    bool is_here(NodeId value) const;
    Value* as_number(NodeId value) { return b_.CreateSExt(values_.word(value, 0).value, b_.getInt64Ty()); }
    std::optional<Value*> change_per_turn(NodeId value, NodeId loop, int most_depth = 16);

    const GridPosition& position_;
    SharedVariables& shared_;
    NodeValues& values_;
    const JumpTargets& targets_;
};

}  // namespace muster::cpu
