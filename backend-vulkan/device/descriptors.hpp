// descriptors.hpp - descriptor sets of one executable: made once per combination of bindings, and found again.
//
// A set that some work in flight uses is not rewritten. Where a combination is new, the set that was used longest ago and
// isn't in use any more takes it; where all are in use, there is one set more. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <muster/backend-vulkan/lowering/lower.hpp>
#include <muster/backend-vulkan/native/handle.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/support/inline_vector.hpp>

namespace muster::vulkan {

/// What a binding of one dispatch is, in a way that stays true: no other memory ever has the same.
struct BoundPart {
    std::uint64_t block = 0;  // Block::serial
    std::uint64_t offset = 0, bytes = 0;
    bool operator==(const BoundPart&) const = default;
};

/// Descriptor sets that hold one combination of bindings.
struct BoundSets {
    std::uint64_t hash = 0;
    InlineVector<BoundPart, 8> parts;
    InlineVector<VkDescriptorSet, 1> sets;  // by number, as vkCmdBindDescriptorSets takes them
    std::uint64_t last_batch = 0;           // that uses them; batches are numbered from 1
    std::uint64_t written = 0;              // how often: commands recorded before are no good after
};

class Descriptors {
  public:
    explicit Descriptors(const LogicalDevice& device) : device_(device) {}
    /// Makes the layouts: one per set number up to the largest.
    Result<void> create(std::span<const SpirvBinding> bindings);
    std::span<const VkDescriptorSetLayout> layouts() const { return layout_handles_; }

    /// `ended`: the last batch that is known to have ended. Errors: out_of_memory.
    Result<BoundSets*> find(std::span<const BoundMemory> bound, std::uint64_t ended);

  private:
    Result<BoundSets*> one_more();
    Result<void> grow();
    void write(BoundSets& sets, std::span<const BoundMemory> bound) const;

    const LogicalDevice& device_;
    std::vector<SpirvBinding> bindings_;
    std::vector<UniqueDescriptorSetLayout> layouts_;
    std::vector<VkDescriptorSetLayout> layout_handles_;
    std::vector<UniqueDescriptorPool> pools_;
    std::uint32_t left_in_pool_ = 0;  // combinations, in the last one
    std::vector<std::unique_ptr<BoundSets>> all_;
};

}  // namespace muster::vulkan
