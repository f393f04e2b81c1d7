#include <cmath>

#include <muster/backend-vulkan/device/batch.hpp>
#include <muster/backend-vulkan/native/barrier.hpp>
#include <muster/backend-vulkan/native/check.hpp>

namespace muster::vulkan {

Result<std::unique_ptr<Batch>> Batch::make(const LogicalDevice& device, VkCommandPool pool, bool timestamps) {
    std::unique_ptr<Batch> batch(new Batch(device));
    if (timestamps) {
        const VkQueryPoolCreateInfo stamps{.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                           .queryType = VK_QUERY_TYPE_TIMESTAMP,
                                           .queryCount = 2 * most};
        TRY(check("vkCreateQueryPool", [&] {
            return device.table().vkCreateQueryPool(device.handle(), &stamps, nullptr, batch->stamps_.out());
        }));
    }
    batch->commands_ = TRY(make_commands(device, pool));
    return batch;
}

Result<void> Batch::begin() {
    recorded_ = 0;
    repeats_ = false;
    const VkCommandBufferBeginInfo info{.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    TRY(check("vkBeginCommandBuffer",
              [&] { return device_.table().vkBeginCommandBuffer(commands_, &info); }));
    if (has_stamps()) device_.table().vkCmdResetQueryPool(commands_, stamps_.get(), 0, 2 * most);
    return {};
}

void Batch::begin_again() { repeats_ = true; }

void Batch::push_constants(const LaunchRecipe& recipe) {
    const PipelineExecutable& executable = *recipe.executable;
    const auto push = [&](std::uint32_t offset, const Extent3& value) {
        const std::uint32_t words[3] = {value.x, value.y, value.z};
        device_.table().vkCmdPushConstants(commands_, executable.layout.get(), VK_SHADER_STAGE_COMPUTE_BIT,
                                           offset, sizeof words, words);
    };
    if (executable.origin_offset) push(*executable.origin_offset, recipe.origin);
    if (executable.grid_offset) push(*executable.grid_offset, recipe.grid);
}

void Batch::stamp(VkPipelineStageFlagBits stage, std::uint32_t which) {
    if (has_stamps()) device_.table().vkCmdWriteTimestamp(commands_, stage, stamps_.get(), which);
}

void Batch::end_command(VkPipelineStageFlagBits stage, VkAccessFlags written) {
    stamp(stage, 2 * recorded_ + 1);
    order_after(device_.table(), commands_, stage, written);
}

void Batch::record(const LaunchRecipe& recipe) {
    const VolkDeviceTable& table = device_.table();
    const auto* const last = recorded_ == 0 ? nullptr : std::get_if<LaunchRecipe>(&recipes_[recorded_ - 1]);
    const bool same_kernel = last && last->serial == recipe.serial;
    const auto& sets = recipe.sets->sets;
    if (!same_kernel)
        table.vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, recipe.executable->pipeline.get());
    if (!sets.empty() && !(same_kernel && last->sets == recipe.sets))
        table.vkCmdBindDescriptorSets(commands_, VK_PIPELINE_BIND_POINT_COMPUTE,
                                      recipe.executable->layout.get(), 0,
                                      static_cast<std::uint32_t>(sets.size()), sets.data(), 0, nullptr);
    push_constants(recipe);
    stamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 2 * recorded_);  // once all work before has ended
    table.vkCmdDispatch(commands_, recipe.extent.x, recipe.extent.y, recipe.extent.z);
    end_command(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT);
}

void Batch::record(const TransferRecipe& recipe) {
    const VolkDeviceTable& table = device_.table();
    stamp(VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 2 * recorded_);
    if (recipe.from != VK_NULL_HANDLE) {
        const VkBufferCopy copy{recipe.from_offset, recipe.to_offset, recipe.bytes};
        table.vkCmdCopyBuffer(commands_, recipe.from, recipe.to, 1, &copy);
    } else {
        table.vkCmdFillBuffer(commands_, recipe.to, recipe.to_offset, recipe.bytes, recipe.word);
    }
    end_command(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
}

void Batch::record(const Recipe& recipe) {
    std::visit([this](const auto& one) { record(one); }, recipe);
    recipes_[recorded_++] = recipe;
}

Result<void> Batch::record_after_all() {
    TRY(begin());
    for (std::uint32_t i = 0; i < jobs_count_; ++i) record(recipes_[i]);
    return {};
}

Result<void> Batch::add(const Recipe& recipe, const std::shared_ptr<Job>& job) {
    if (repeats_ && recipes_[jobs_count_] != recipe) TRY(record_after_all());
    if (!repeats_) record(recipe);
    jobs_[jobs_count_++] = job;
    return {};
}

Result<void> Batch::end() {
    if (repeats_ && jobs_count_ == recorded_) return {};
    if (repeats_) TRY(record_after_all());
    auto ended = end_commands(device_, commands_);
    if (!ended) recorded_ = 0;
    return ended;
}

bool Batch::read_stamps(std::span<std::uint64_t> nanoseconds) const {
    if (!has_stamps()) return false;
    std::array<std::uint64_t, 2 * most> ticks{};
    const auto read = check("vkGetQueryPoolResults", [&] {
        return device_.table().vkGetQueryPoolResults(device_.handle(), stamps_.get(), 0, 2 * jobs_count_,
                                                     sizeof ticks, ticks.data(), sizeof ticks[0],
                                                     VK_QUERY_RESULT_64_BIT);
    });
    if (!read) return false;
    const std::uint32_t bits = device_.physical().queue.timestamp_bits;
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    for (std::uint32_t i = 0; i < jobs_count_; ++i) {
        const auto took = static_cast<double>((ticks[2 * i + 1] - ticks[2 * i]) & mask);
        nanoseconds[i] = static_cast<std::uint64_t>(
            std::llround(took * static_cast<double>(device_.limits().timestampPeriod)));
    }
    return true;
}

Result<void> Batch::settle() {
    std::array<std::uint64_t, most> nanoseconds{};
    const bool are_stamped = read_stamps(nanoseconds);
    const auto timing_of = [&](std::uint32_t i) {
        if (are_stamped) return Timing{nanoseconds[i]};
        return jobs_count_ == 1 ? Timing{seen_ns} : Timing{};
    };
    Result<void> all;
    for (std::uint32_t i = 0; i < jobs_count_; ++i) {
        if (all) all = jobs_[i]->check_loops();
        if (all)
            jobs_[i]->settle(timing_of(i));
        else
            jobs_[i]->settle(std::unexpected(all.error()));
        jobs_[i].reset();
    }
    jobs_count_ = 0;
    return all;
}

void Batch::fail_all(const Error& why) {
    for (std::shared_ptr<Job>& job : jobs()) {
        job->settle(std::unexpected(why));
        job.reset();
    }
    jobs_count_ = 0;
}

}  // namespace muster::vulkan
