// loaded_plan.hpp - a plan on devices: kernels loaded, weights uploaded, sequences
// recorded. Internal to graph/.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/graph/ir/tensor.hpp>
#include <muster/graph/run/run_plan.hpp>
#include <muster/graph/run/summary.hpp>

namespace muster::graph {

class LoadedPlan {
  public:
    /// Prepares the kernels on as many threads as there are cores. Errors: those of Session::prepare, with
    /// the nodes that the kernel is for, the first of them in the plan's order; of Session::buffer;
    /// invalid_argument (weights without their hash); limit_exceeded (more memory than a device has).
    static Result<std::unique_ptr<LoadedPlan>> load(Session session, RunPlan plan,
                                                    const CompileOptions& options);
    ~LoadedPlan();
    LoadedPlan(const LoadedPlan&) = delete;
    LoadedPlan& operator=(const LoadedPlan&) = delete;

    Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);
    Result<std::vector<KernelTime>> profile(std::span<const Tensor> inputs);

    /// The route of each step; none: it has no kernels.
    std::span<const std::optional<Route>> routes() const { return routes_; }
    std::uint64_t weight_bytes() const { return weight_bytes_; }
    std::uint64_t activation_bytes() const { return activation_bytes_; }

  private:
    struct Dispatch {
        Kernel kernel;
        std::vector<Argument> arguments;
        Workgroups workgroups;
        std::size_t step = 0;
    };
    LoadedPlan(Session session, RunPlan plan) : session_(std::move(session)), plan_(std::move(plan)) {}
    Result<void> prepare(const CompileOptions& options);
    Result<void> check_memory() const;
    Result<void> make_buffers();
    Result<Buffer> make_weights(Weights& weights, bool stay_on_host);
    Result<void> record();
    Result<void> record(const RunDispatch& dispatch);
    BufferRange range_of(const RunBinding& binding) const;
    Result<void> write(std::span<const Tensor> inputs);
    Result<void> submit();
    Result<void> submit_all();
    Result<std::vector<KernelTime>> time_each();

    Session session_;
    RunPlan plan_;
    std::vector<std::shared_ptr<const void>> owners_;  // of memory that buffers are over
    std::vector<Buffer> buffers_;
    std::vector<std::optional<Kernel>> kernels_;  // of the programs
    std::vector<Dispatch> dispatches_;
    std::vector<Sequence> sequences_;
    std::string last_device_;  // of the last sequence
    std::vector<std::optional<Route>> routes_;
    std::uint64_t weight_bytes_ = 0, activation_bytes_ = 0;
    bool has_failed_ = false;  // work may be in flight for good
    std::mutex mutex_;
};

}  // namespace muster::graph
