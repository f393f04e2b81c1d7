// batch.hpp - launches that are submitted together: one command buffer, recorded once and submitted as often as its launches
// come again.
//
// Threads: one at a time; the queue (launch.hpp) sees to that.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include <muster/backend-vulkan/device/executable.hpp>
#include <muster/backend-vulkan/device/job.hpp>

namespace muster::vulkan {

/// What a launch records, without what it is recorded into: equal ones record the same.
struct Recipe {
    const PipelineExecutable* executable = nullptr;
    std::uint64_t serial = 0;  // the executable's: another may come to lie where it was
    const BoundSets* sets = nullptr;
    std::uint64_t sets_written = 0;
    Extent3 origin, extent, grid;
    bool operator==(const Recipe&) const = default;
};

class Batch {
  public:
    static constexpr std::uint32_t most =
        128;  // launches: enough that what a submission costs is little to each

    /// timestamps: the device says how long each launch takes.
    static Result<std::unique_ptr<Batch>> make(const LogicalDevice& device, VkCommandPool pool,
                                               bool timestamps);

    VkCommandBuffer commands() const { return commands_; }
    bool full() const { return jobs_count_ == most; }
    std::uint32_t size() const { return jobs_count_; }
    /// Whether what it has recorded is this launch alone.
    bool holds(const Recipe& recipe) const { return recorded_ == 1 && recipes_[0] == recipe; }
    /// Whether it has recorded as many launches as go into one, and this is the first.
    bool begins_with(const Recipe& recipe) const { return recorded_ == most && recipes_[0] == recipe; }

    /// Begins anew, records, ends. Between begin() and end() as many launches as there is room for.
    Result<void> begin();
    /// Instead of begin(): what was recorded stays, as long as the same launches come again, all of them. Else they
    /// are recorded after all.
    void begin_again();
    Result<void> add(const Recipe& recipe, const std::shared_ptr<Job>& job);
    Result<void> end();

    /// Tells its jobs that it was submitted.
    void announce() {
        for (const auto& job : jobs()) job->submitted_as(number);
    }
    /// All its jobs end so, each with its own time, and are let go. An error: of the first of them that has one, and told
    /// by that and all after it, which may have read what it wrote.
    Result<void> settle();
    void fail_all(const Error& why);

    /// The queue's:
    Batch* next = nullptr;
    std::uint64_t sequence = 0;  // batches are numbered as they begin
    std::uint64_t number = 0;    // on the timeline; 0: not submitted
    std::uint64_t wall_ns = 0;   // that it took, where the device doesn't say
    std::chrono::steady_clock::time_point submitted_at;

  private:
    explicit Batch(const LogicalDevice& device) : device_(device), stamps_(device) {}
    std::span<std::shared_ptr<Job>> jobs() { return std::span(jobs_).first(jobs_count_); }
    void record(const Recipe& recipe);
    Result<void> record_after_all();
    void push_constants(const Recipe& recipe);
    bool has_stamps() const { return stamps_.get() != VK_NULL_HANDLE; }
    /// Of each launch. False: the device doesn't say.
    bool read_stamps(std::span<std::uint64_t> nanoseconds) const;

    const LogicalDevice& device_;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;  // its pool's
    UniqueQueryPool stamps_;
    std::array<std::shared_ptr<Job>, most> jobs_;
    std::uint32_t jobs_count_ = 0;
    std::array<Recipe, most> recipes_;
    std::uint32_t recorded_ = 0;  // launches
    bool repeats_ = false;        // none has come but those recorded
};

}  // namespace muster::vulkan
