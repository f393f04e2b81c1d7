// batch.hpp - launches that are submitted together: one command buffer, recorded once,
// resubmitted when they recur.
//
// Threads: one at a time; the queue (launch.hpp) ensures that.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include <muster/backend-vulkan/device/executable.hpp>
#include <muster/backend-vulkan/device/job.hpp>

namespace muster::vulkan {

struct LaunchRecipe {
    const PipelineExecutable* executable = nullptr;
    std::uint64_t serial = 0;  // the executable's: a later one may have the same address
    BoundSets* sets = nullptr;
    std::uint64_t sets_written = 0;
    Extent3 origin, extent, grid;
    bool operator==(const LaunchRecipe&) const = default;
};

/// A copy, or without `from` a fill with a word.
struct TransferRecipe {
    VkBuffer from = VK_NULL_HANDLE, to = VK_NULL_HANDLE;
    std::uint64_t from_block = 0, to_block = 0;  // Block::serial: a later buffer may have the same handle
    VkDeviceSize from_offset = 0, to_offset = 0, bytes = 0;
    std::uint32_t word = 0;
    bool operator==(const TransferRecipe&) const = default;
};

/// Everything that determines the commands of a launch, or of a transfer: equal recipes record the same.
using Recipe = std::variant<LaunchRecipe, TransferRecipe>;

class Batch {
  public:
    static constexpr std::uint32_t most =
        128;  // launches: enough to make the cost of a submission small for each

    /// timestamps: lets the device measure each launch.
    static Result<std::unique_ptr<Batch>> make(const LogicalDevice& device, VkCommandPool pool,
                                               bool timestamps);

    VkCommandBuffer commands() const { return commands_; }
    bool full() const { return jobs_count_ == most; }
    std::uint32_t size() const { return jobs_count_; }
    /// True if its recording is this launch alone.
    bool holds(const Recipe& recipe) const { return recorded_ == 1 && recipes_[0] == recipe; }
    /// True if it has recorded a full batch, and this launch is the first.
    bool begins_with(const Recipe& recipe) const { return recorded_ == most && recipes_[0] == recipe; }

    /// Starts a new recording. Up to `most` launches fit between begin() and end().
    Result<void> begin();
    /// Instead of begin(): keeps the recording while exactly the same launches recur, all of them; otherwise
    /// they are recorded again.
    void begin_again();
    Result<void> add(const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<void> end();

    /// Tells its jobs the batch's number on the timeline.
    void announce() {
        for (const auto& job : jobs()) job->submitted_as(number);
    }
    /// Ends all its jobs, each with its own time, and releases them. On the first error, that job and all
    /// after it get the error, because they may have read what it wrote; returns that error.
    Result<void> settle();
    void fail_all(const Error& why);

    /// For the queue:
    Batch* next = nullptr;
    std::uint64_t sequence = 0;  // batches are numbered in the order in which they begin
    std::uint64_t number = 0;    // on the timeline; 0: not submitted
    std::chrono::steady_clock::time_point submitted_at;
    bool began_alone = false;                   // nothing else was in flight when it was submitted
    std::optional<std::uint64_t> seen_ns = {};  // its time as the host saw it, if it did (launch.hpp)

  private:
    explicit Batch(const LogicalDevice& device) : device_(device), stamps_(device) {}
    std::span<std::shared_ptr<Job>> jobs() { return std::span(jobs_).first(jobs_count_); }
    void record(const Recipe& recipe);
    void record(const LaunchRecipe& recipe);
    void record(const TransferRecipe& recipe);
    Result<void> record_after_all();
    void push_constants(const LaunchRecipe& recipe);
    void stamp(VkPipelineStageFlagBits stage, std::uint32_t which);
    void end_command(VkPipelineStageFlagBits stage, VkAccessFlags written);
    bool has_stamps() const { return stamps_.get() != VK_NULL_HANDLE; }
    /// Reads each launch's time. False if the device doesn't measure.
    bool read_stamps(std::span<std::uint64_t> nanoseconds) const;

    const LogicalDevice& device_;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;  // freed with its pool
    UniqueQueryPool stamps_;
    std::array<std::shared_ptr<Job>, most> jobs_;
    std::uint32_t jobs_count_ = 0;
    std::array<Recipe, most> recipes_;
    std::uint32_t recorded_ = 0;  // launches
    bool repeats_ = false;        // so far, only recorded launches have recurred
};

}  // namespace muster::vulkan
