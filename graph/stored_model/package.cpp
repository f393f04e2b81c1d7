#include <map>
#include <optional>
#include <set>
#include <utility>

#include <muster/driver/support/in_parallel.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/graph/stored_model/package.hpp>

namespace muster::graph {
namespace {

/// The distinct programs of all plans, and what each is for.
class Programs {
  public:
    /// Adds a plan's programs, and numbers its dispatches by them.
    Result<void> take(RunPlan& plan) {
        const std::vector<std::optional<std::uint32_t>> steps = steps_of_programs(plan);
        std::vector<std::uint32_t> numbers;
        for (std::size_t i = 0; i < plan.programs.size(); ++i) {
            const std::string nodes = steps[i] ? nodes_text(plan.steps[*steps[i]]) : std::string("no node");
            ArtifactFile file = TRY(during("lowering " + nodes, plan.programs[i]()));
            const auto [found, is_new] =
                numbers_.emplace(file.program->fingerprint(), static_cast<std::uint32_t>(all_.size()));
            if (is_new) {
                all_.push_back(std::move(file));
                nodes_.push_back(nodes);
            }
            numbers.push_back(found->second);
        }
        for (RunDispatch& dispatch : plan.dispatches) dispatch.program = numbers[dispatch.program];
        plan.programs.clear();
        return {};
    }

    Result<std::vector<ArtifactFile>> emit(Session session, std::span<const EmitOptions> targets) && {
        TRY(in_parallel(all_.size(), [&](std::size_t i) -> Result<void> {
            all_[i] = TRY(during("emitting " + nodes_[i], session.package(all_[i].program, targets)));
            return {};
        }));
        return std::move(all_);
    }

  private:
    std::vector<ArtifactFile> all_;
    std::vector<std::string> nodes_;
    std::map<Fingerprint, std::uint32_t> numbers_;
};

/// The backends of the targets, each once; none if one of them is left to the session.
std::vector<std::string> backends_of(std::span<const EmitOptions> targets) {
    std::set<std::string> backends;
    for (const EmitOptions& target : targets) {
        const std::size_t colon = target.arch.find(':');
        if (target.backend.empty() && colon == std::string::npos) return {};
        backends.insert(target.backend.empty() ? target.arch.substr(0, colon) : target.backend);
    }
    return {backends.begin(), backends.end()};
}

}  // namespace

Result<ModelPackage> package_model(Session session, const Model& model,
                                   std::span<const std::vector<Tensor>> inputs,
                                   std::span<const EmitOptions> targets) {
    ModelPackage package{.name = std::string(model.graph().name())};
    if (!targets.empty()) package.options = targets.front().request.options;
    const std::vector<std::string> backends = backends_of(targets);
    Programs programs;
    for (const std::vector<Tensor>& each : inputs) {
        package.choices.push_back(TRY(model.plan(each, backends)));
        TRY(programs.take(package.choices.back()));
        package.pack = package.choices.back().pack;
    }
    package.kernels = TRY(std::move(programs).emit(std::move(session), targets));
    return package;
}

}  // namespace muster::graph
