#include <algorithm>

#include <muster/backend-vulkan/device/descriptors.hpp>
#include <muster/backend-vulkan/device/memory.hpp>
#include <muster/backend-vulkan/native/check.hpp>
#include <muster/foundation/base/round_up.hpp>

namespace muster::vulkan {
namespace {

/// Combinations kept before an old one is rewritten for a new one.
constexpr std::size_t kept = 64;
constexpr std::uint32_t first_pool = 16, largest_pool = 256;  // combinations

BoundPart part_of(const BoundMemory& bound) {
    const DeviceMemory& memory = of_device(*bound.memory);
    return {memory.block().serial, memory.offset() + bound.offset, bound.bytes};
}

std::uint64_t hash_of(std::span<const BoundMemory> bound) {
    std::uint64_t hash = 0;
    const auto mix = [&](std::uint64_t value) {
        hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    };
    for (const BoundMemory& one : bound) {
        const BoundPart part = part_of(one);
        mix(part.block);
        mix(part.offset);
        mix(part.bytes);
    }
    return hash;
}

bool same(const BoundSets& sets, std::span<const BoundMemory> bound) {
    return std::ranges::equal(sets.parts, bound, {}, {}, part_of);
}

VkDescriptorType type_of(BindingKind kind) {
    return kind == BindingKind::uniform_buffer ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                               : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

}  // namespace

Result<void> Descriptors::create(std::span<const SpirvBinding> bindings) {
    bindings_.assign(bindings.begin(), bindings.end());
    std::uint32_t sets = 0;
    for (const SpirvBinding& one : bindings_) sets = std::max(sets, one.set + 1);
    for (std::uint32_t set = 0; set < sets; ++set) {
        std::vector<VkDescriptorSetLayoutBinding> rows;
        for (const SpirvBinding& one : bindings_)
            if (one.set == set)
                rows.push_back({.binding = one.binding,
                                .descriptorType = type_of(one.kind),
                                .descriptorCount = 1,
                                .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT});
        const VkDescriptorSetLayoutCreateInfo info{
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .bindingCount = static_cast<std::uint32_t>(rows.size()),
            .pBindings = rows.data()};
        UniqueDescriptorSetLayout& layout = layouts_.emplace_back(device_);
        TRY(check("vkCreateDescriptorSetLayout", [&] {
            return device_.table().vkCreateDescriptorSetLayout(device_.handle(), &info, nullptr,
                                                               layout.out());
        }));
        layout_handles_.push_back(layout.get());
    }
    return {};
}

Result<void> Descriptors::grow() {
    const std::uint32_t combinations =
        std::min(first_pool << std::min<std::size_t>(pools_.size(), 16), largest_pool);
    std::vector<VkDescriptorPoolSize> sizes;
    for (const BindingKind kind : {BindingKind::storage_buffer, BindingKind::uniform_buffer}) {
        const auto count =
            static_cast<std::uint32_t>(std::ranges::count(bindings_, kind, &SpirvBinding::kind));
        if (count != 0) sizes.push_back({.type = type_of(kind), .descriptorCount = count * combinations});
    }
    const VkDescriptorPoolCreateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = static_cast<std::uint32_t>(layouts_.size()) * combinations,
        .poolSizeCount = static_cast<std::uint32_t>(sizes.size()),
        .pPoolSizes = sizes.data()};
    UniqueDescriptorPool pool(device_);
    TRY(check("vkCreateDescriptorPool", [&] {
        return device_.table().vkCreateDescriptorPool(device_.handle(), &info, nullptr, pool.out());
    }));
    pools_.push_back(std::move(pool));
    left_in_pool_ = combinations;
    return {};
}

Result<BoundSets*> Descriptors::one_more() {
    auto made = std::make_unique<BoundSets>();
    if (layouts_.empty()) {  // nothing is bound
        all_.push_back(std::move(made));
        return all_.back().get();
    }
    if (left_in_pool_ == 0) TRY(grow());
    made->sets = InlineVector<VkDescriptorSet, 1>(layouts_.size(), VK_NULL_HANDLE);
    const VkDescriptorSetAllocateInfo info{
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pools_.back().get(),
        .descriptorSetCount = static_cast<std::uint32_t>(layout_handles_.size()),
        .pSetLayouts = layout_handles_.data()};
    TRY(check("vkAllocateDescriptorSets", [&] {
        return device_.table().vkAllocateDescriptorSets(device_.handle(), &info, made->sets.data());
    }));
    --left_in_pool_;
    all_.push_back(std::move(made));
    return all_.back().get();
}

void Descriptors::write(BoundSets& sets, std::span<const BoundMemory> bound) const {
    InlineVector<VkDescriptorBufferInfo, 8> buffers;
    InlineVector<VkWriteDescriptorSet, 8> writes;
    buffers.reserve(bound.size());  // the writes point to the elements
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const DeviceMemory& memory = of_device(*bound[i].memory);
        // llvmpipe reads zeros from the last word of a uniform if only a part of it is bound.
        // Blocks consist of whole words.
        const bool is_uniform = bindings_[i].kind == BindingKind::uniform_buffer;
        buffers.push_back({.buffer = memory.block().buffer.get(),
                           .offset = memory.offset() + bound[i].offset,
                           .range = is_uniform ? round_up(bound[i].bytes, 4) : bound[i].bytes});
        writes.push_back({.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                          .dstSet = sets.sets[bindings_[i].set],
                          .dstBinding = bindings_[i].binding,
                          .descriptorCount = 1,
                          .descriptorType = type_of(bindings_[i].kind),
                          .pBufferInfo = &buffers.back()});
    }
    device_.table().vkUpdateDescriptorSets(device_.handle(), static_cast<std::uint32_t>(writes.size()),
                                           writes.data(), 0, nullptr);
    ++sets.written;
}

Result<BoundSets*> Descriptors::find(std::span<const BoundMemory> bound, std::uint64_t ended) {
    const std::uint64_t hash = hash_of(bound);
    BoundSets* oldest = nullptr;
    for (const auto& one : all_) {
        if (one->hash == hash && same(*one, bound)) return one.get();
        if (!oldest || one->last_batch < oldest->last_batch) oldest = one.get();
    }
    const bool may_take = oldest && all_.size() >= kept && oldest->last_batch <= ended;
    BoundSets* const sets = may_take ? oldest : TRY(one_more());
    sets->parts.clear();
    sets->parts.reserve(bound.size());
    for (const BoundMemory& one : bound) sets->parts.push_back(part_of(one));
    sets->hash = hash;
    if (!bindings_.empty()) write(*sets, bound);
    return sets;
}

}  // namespace muster::vulkan
