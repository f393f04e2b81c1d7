// Emission: choose the backend, describe the target, check formats and specs once for all backends, lower.
#include <algorithm>
#include <deque>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/guard.hpp>
#include <muster/driver/prepare.hpp>
#include <muster/driver/project_backends.hpp>
#include <muster/driver/session_state.hpp>
#include <muster/driver/target.hpp>
#include <muster/foundation/printable.hpp>
#include <muster/foundation/try.hpp>

namespace muster {
namespace {

/// Backend and arch as asked for: "cuda:sm_90" says both.
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
    if (request.format.empty()) request.format = formats[0];
    if (std::ranges::find(formats, request.format) == formats.end())
        return fail(ErrorCode::not_found,
                    fmt::format("{} emits no format \"{}\".", backend.id(), printable(request.format)),
                    fmt::format("ask for one of: {}", fmt::join(formats, ", ")));
    std::vector<std::string> known;
    for (const SpecInfo& spec : backend.specs()) known.push_back(spec.key);
    for (const auto& [key, value] : request.specs)
        if (std::ranges::find(known, key) == known.end())
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} has no compile spec \"{}\".", backend.id(), printable(key)),
                        known.empty() ? "leave it out: this backend has none"
                                      : fmt::format("use one of: {}", fmt::join(known, ", ")));
    return {};
}

/// Where the target isn't a backend's default one, it stands in for that in the facts, so that the same rules
/// judge it.
Route route_to_arch(Session::State& session, const Program& program, const Policy& policy,
                    const RouteOptions& options, const std::string& arch) {
    std::vector<BackendFacts> facts = session.facts();
    std::deque<Result<Target>> described;
    for (BackendFacts& one : facts) one.target = nullptr;
    for (;;) {
        auto step = decide(program, policy, facts, options);
        if (auto* route = std::get_if<Route>(&step)) return std::move(*route);
        const Question question = std::get<Question>(step);
        const std::size_t which = question.backend;
        if (question.kind == Question::Kind::load) {
            facts[which].loaded = &session.fleet->load(which);
            continue;
        }
        described.push_back([&]() -> Result<Target> {
            const auto backend = TRY(session.fleet->backend(which));
            return guarded("Backend::describe", [&]() -> Result<Target> {
                if (backend->formats().empty())
                    return fail(ErrorCode::unsupported, fmt::format("{} emits nothing.", backend->id()));
                return backend->describe(arch);
            });
        }());
        facts[which].target = &described.back();
    }
}

}  // namespace

Result<Artifact> Session::emit(const ValidProgram& program, const EmitOptions& options) {
    auto [backend_id, arch] = TRY(wanted(options));
    if (names_device(options.arch)) arch = TRY(detect_target(*state_->fleet, options.arch)).arch;
    Policy policy = state_->policy.policy;
    if (!backend_id.empty()) {
        if (!state_->fleet->find(backend_id))
            return std::unexpected(unknown_backend(backend_id, state_->fleet->ids()));
        policy.choice.reset();
        policy.backends = {backend_id};
    }
    const RouteOptions route_options{.compile = options.request.options, .emission_only = true};
    const Route route = arch.empty() ? state_->decide_route(program, policy, route_options)
                                     : route_to_arch(*state_, program, policy, route_options, arch);
    if (const Refused* refused = route.refused()) return std::unexpected(refused->error);
    const EmitOnly& where = *route.emit_only();
    const auto backend = TRY(state_->fleet->backend(*state_->fleet->find(where.backend)));
    EmitRequest request = options.request;
    TRY(guarded("Backend::formats", [&] { return check_request(*backend, request); }));
    const ValidProgram lowered =
        TRY(expand_for(program, where.target.ops, where.target.exactness, request.options));
    auto artifact =
        TRY(during(fmt::format("emitting {} for {}", program->entry(), where.target.to_string()),
                   guarded("Backend::emit", [&] { return backend->emit(lowered, where.target, request); })));
    artifact.fingerprint = program->fingerprint();
    return artifact;
}

}  // namespace muster
