// Session::emit: chooses the backend, describes the target, checks format and specs, and lowers the program.
#include <algorithm>
#include <deque>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/process/target.hpp>
#include <muster/driver/registry/project_backends.hpp>
#include <muster/driver/routing/grid_barriers.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/session/session_state.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>
#include <muster/foundation/split/grid_split.hpp>

namespace muster {
namespace {

/// The requested backend and arch; "cuda:sm_90" names both.
struct Wanted {
    std::string backend, arch;
};

Result<Wanted> wanted(const EmitOptions& options) {
    const auto colon = options.arch.find(':');
    if (colon == std::string::npos) return Wanted{options.backend, options.arch};
    Wanted result{options.arch.substr(0, colon), options.arch.substr(colon + 1)};
    if (!options.backend.empty() && options.backend != result.backend)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The target {} isn't one of backend {}.", printable(options.arch),
                                printable(options.backend)),
                    "name one of the two");
    return result;
}

Result<void> check_request(Backend& backend, EmitRequest& request) {
    const auto formats = backend.formats();
    if (request.format.empty() && !request.to_load) request.format = formats[0];
    if (!request.format.empty() && std::ranges::find(formats, request.format) == formats.end())
        return fail(ErrorCode::not_found,
                    fmt::format("{} emits no format \"{}\".", backend.id(), printable(request.format)),
                    fmt::format("ask for one of: {}", fmt::join(formats, ", ")));
    return routing::check_specs(backend, request.options.specs, routing::SpecUse::to_emit);
}

/// The chosen backend, its target and the request.
struct Emitter {
    std::shared_ptr<Backend> backend;
    Target target;
    EmitRequest request;
    std::chrono::nanoseconds compile_budget;

    Result<Artifact> emit(const ValidProgram& program) const {
        EmitRequest sized = request;
        sized.options = routing::with_subgroup_size(request.options, *program, target.subgroup_size);
        const ValidProgram lowered =
            TRY(routing::expand_for(program, target.ops, target.exactness, sized.options));
        const auto compile = [backend = backend, lowered, target = target, request = sized] {
            return guarded("Backend::emit", [&] { return backend->emit(lowered, target, request); });
        };
        const std::string what = fmt::format("{} for {}", program->entry(), target.to_string());
        auto artifact =
            TRY(during("emitting " + what, compile_within<Artifact>(compile_budget, what, compile)));
        artifact.fingerprint = program->fingerprint();
        artifact.emitted_fingerprint = lowered->fingerprint();
        return artifact;
    }
};

/// Routes to a given arch: its target replaces each backend's default target in the facts, so that
/// the same rules check it.
Route route_to_arch(Session::State& session, const Program& program, const Policy& policy,
                    const routing::RouteOptions& options, const std::string& arch) {
    std::vector<routing::BackendFacts> facts = session.facts(program.fingerprint());
    struct Described {
        Result<Target> target;
        std::vector<Target> more;
    };
    std::deque<Described> described;
    for (routing::BackendFacts& one : facts) {
        one.target = nullptr;
        one.more_targets = {};
    }
    for (;;) {
        auto step = routing::decide(program, policy, facts, options);
        if (auto* route = std::get_if<Route>(&step)) return std::move(*route);
        const routing::Question question = std::get<routing::Question>(step);
        const std::size_t which = question.backend;
        if (question.kind == routing::Question::Kind::load) {
            facts[which].loaded = &session.fleet->load(which);
            continue;
        }
        auto targets = [&]() -> Result<std::vector<Target>> {
            const auto backend = TRY(session.fleet->backend(which));
            return guarded("Backend::describe", [&]() -> Result<std::vector<Target>> {
                if (backend->formats().empty())
                    return fail(ErrorCode::unsupported, fmt::format("{} emits nothing.", backend->id()));
                return targets_from(*backend, arch);
            });
        }();
        if (targets)
            described.push_back(
                {std::move(targets->front()),
                 {std::make_move_iterator(targets->begin() + 1), std::make_move_iterator(targets->end())}});
        else
            described.push_back({std::unexpected(std::move(targets).error()), {}});
        facts[which].target = &described.back().target;
        facts[which].more_targets = described.back().more;
    }
}

Result<Emitter> choose_emitter(Session::State& session, const ValidProgram& program,
                               const EmitOptions& options, bool in_parts) {
    TRY(session.check_own_process());
    auto [backend_id, arch] = TRY(wanted(options));
    if (names_device(options.arch)) {
        Target here = TRY(detect_target(*session.fleet, options.arch));
        backend_id = std::move(here.backend);  // a target detector may name another backend
        arch = std::move(here.arch);
    }
    Policy policy = session.policy.policy;
    if (!backend_id.empty()) {
        if (!session.fleet->find(backend_id))
            return std::unexpected(unknown_backend(backend_id, session.fleet->ids()));
        policy.choice.reset();
        policy.backends = {backend_id};
    }
    EmitRequest request = options.request;
    request.options = session.with_policy(request.options);
    const routing::RouteOptions route_options{.compile = request.options,
                                              .emission_only = true,
                                              .target_is_named = !arch.empty(),
                                              .in_parts = in_parts};
    const Route route = arch.empty() ? session.decide_route(program, policy, route_options)
                                     : route_to_arch(session, program, policy, route_options, arch);
    if (const Refused* refused = route.refused()) return std::unexpected(refused->error);
    const EmitOnly& where = *route.emit_only();
    Emitter emitter{TRY(session.fleet->backend(*session.fleet->find(where.backend))), where.target,
                    std::move(request), session.compile_budget()};
    TRY(guarded("Backend::formats", [&] { return check_request(*emitter.backend, emitter.request); }));
    return emitter;
}

}  // namespace

Result<Artifact> Session::emit(const ValidProgram& program, const EmitOptions& options) try {
    return TRY(choose_emitter(*state_, program, options, false)).emit(program);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<ArtifactFile> Session::package(const ValidProgram& program, std::span<const EmitOptions> targets) try {
    ArtifactFile file{program, {}};
    for (EmitOptions options : targets) {
        options.request.to_load = true;
        const bool has_barriers = has_grid_barriers(*program);
        const Emitter emitter = TRY(choose_emitter(*state_, program, options, has_barriers));
        if (!has_barriers || has_own_grid_barriers(emitter.target.ops))
            file.codes.push_back(TRY(emitter.emit(program)));
        if (!has_barriers) continue;
        const SplitProgram split =
            TRY(during("splitting it at its grid barriers",
                       split_at_grid_barriers(*program, float_results(options.request.options))));
        for (const SplitPart& part : split.parts) file.codes.push_back(TRY(emitter.emit(part.program)));
        if (needs_idle_kernel(split)) file.codes.push_back(TRY(emitter.emit(TRY(idle_kernel()))));
    }
    return file;
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<EmittedParts> Session::emit_parts(const ValidProgram& program, const EmitOptions& options) try {
    if (!has_grid_barriers(*program))
        return fail(
            ErrorCode::invalid_argument,
            fmt::format("{} has no grid barriers, so there are no parts to split it into.", program->entry()),
            "emit it as a whole (Session::emit; muster emit without --parts)");
    const Emitter emitter = TRY(choose_emitter(*state_, program, options, true));
    auto split = std::make_shared<const SplitProgram>(
        TRY(during("splitting it at its grid barriers",
                   split_at_grid_barriers(*program, float_results(options.request.options)))));
    EmittedParts emitted{split, {}};
    for (const SplitPart& part : split->parts) emitted.parts.push_back(TRY(emitter.emit(part.program)));
    return emitted;
} catch (const std::bad_alloc&) {
    return no_memory();
}

}  // namespace muster
