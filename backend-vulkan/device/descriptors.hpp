// descriptors.hpp - descriptor sets of one executable: written once per combination of bindings, then reused.
//
// A set that work in flight uses isn't rewritten. A new combination takes the least recently used set that
// isn't in use, or an additional one if all are. Threads: one at a time.
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

/// The memory of one binding of a dispatch, identified for good: no other memory ever has the same values.
struct BoundPart {
    std::uint64_t block = 0;  // Block::serial
    std::uint64_t offset = 0, bytes = 0;
    bool operator==(const BoundPart&) const = default;
};

/// Descriptor sets for one combination of bindings.
struct BoundSets {
    std::uint64_t hash = 0;
    InlineVector<BoundPart, 8> parts;
    InlineVector<VkDescriptorSet, 1> sets;  // by number, as vkCmdBindDescriptorSets takes them
    std::uint64_t last_batch = 0;           // last batch that uses them; batches are numbered from 1
    std::uint64_t written = 0;  // times written: recordings made before the last write are invalid
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
