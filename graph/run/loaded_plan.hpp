// loaded_plan.hpp - a plan on devices: kernels loaded, weights uploaded, sequences recorded. Internal to graph/run.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include <muster/graph/plan/plan.hpp>
#include <muster/graph/run/model.hpp>

namespace muster::graph {

class LoadedPlan {
  public:
    /// Errors: those of Session::prepare, with the nodes that the kernel is for; of Session::buffer.
    static Result<std::unique_ptr<LoadedPlan>> load(Session session, Plan plan, ModelSummary summary,
                                                    const ModelOptions& options);

    Result<std::vector<Tensor>> run(std::span<const Tensor> inputs);
    Result<std::vector<KernelTime>> profile(std::span<const Tensor> inputs);
    const ModelSummary& summary() const { return summary_; }

  private:
    struct Dispatch {
        Kernel kernel;
        std::vector<Argument> arguments;
        Workgroups workgroups;
        std::size_t step = 0;
    };
    LoadedPlan(Session session, Plan plan, ModelSummary summary)
        : session_(std::move(session)), plan_(std::move(plan)), summary_(std::move(summary)) {}
    Result<void> upload();
    Result<void> record(const ModelOptions& options);
    Result<void> record_group(std::size_t which, const ModelOptions& options);
    Result<void> write(std::span<const Tensor> inputs);
    Result<Buffer> buffer(const Place& place, const std::vector<Buffer>& packed,
                          const std::vector<Buffer>& scratch);
    Result<Kernel> kernel(const KernelStep& step, const CompileOptions& options);

    Session session_;
    Plan plan_;
    std::vector<Buffer> slots_;
    std::map<std::uint32_t, Buffer> constants_;
    std::map<std::string, Kernel, std::less<>> kernels_;  // by WGSL
    std::vector<Dispatch> dispatches_;
    std::vector<Sequence> sequences_;
    std::string last_device_;  // of the last sequence
    ModelSummary summary_;
    std::mutex mutex_;
};

/// The program of a kernel. Errors: a fault of the lowering.
Result<ValidProgram> program_of(const KernelStep& step);

}  // namespace muster::graph
