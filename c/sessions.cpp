// Sessions, routes and kernels.
#include <muster/c/dispatch.hpp>
#include <muster/c/objects.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>
#include <muster/driver/report/report.hpp>

namespace muster::c {
namespace {

Answer<std::shared_ptr<SessionObject>> open(const muster_session_options* given) {
    const muster_session_options asked = TRY(read(given, "muster_session_options"));
    TRY(check_flags(asked.flags, MUSTER_SESSION_IGNORES_ENVIRONMENT, "session options"));
    Precision precision = Precision::exact;
    SessionOptions options{.policy = TRY(read_policy(asked.options, asked.option_count, &precision)),
                           .use_environment = (asked.flags & MUSTER_SESSION_IGNORES_ENVIRONMENT) == 0};
    options.close_timeout = time_of(asked.close_timeout_ns, options.close_timeout);
    return std::make_shared<SessionObject>(TRY(Session::open(std::move(options))), precision);
}

Answer<Route> route(Session& session, const ArtifactFile& file, const CompileOptions& options,
                    const muster_dispatch* dispatch, std::uint32_t flags) {
    TRY(check_flags(flags, MUSTER_ROUTE_ASKS_ALL | MUSTER_ROUTE_EMISSION, "a route"));
    if (flags == (MUSTER_ROUTE_ASKS_ALL | MUSTER_ROUTE_EMISSION) || (flags != 0 && dispatch != nullptr))
        return std::unexpected(Error{ErrorCode::invalid_argument,
                                     "The flags of a route don't go together, or with a dispatch.",
                                     "give one of them, and no dispatch",
                                     {}});
    if (flags == MUSTER_ROUTE_ASKS_ALL) return session.explain(file, options);
    if (flags == MUSTER_ROUTE_EMISSION) return session.route_emission(file.program);
    if (dispatch == nullptr) return session.route(file, options);
    AskedDispatch asked;
    TRY(read_dispatch(dispatch, asked));
    return TRY(session.route(file, asked.all(), TRY(plain_grid(asked)), options));
}

Answer<Kernel> prepare(Session& session, const ArtifactFile& file, const CompileOptions& options,
                       const muster_dispatch* dispatch) {
    if (dispatch == nullptr) return TRY(session.prepare(file, options));
    AskedDispatch asked;
    TRY(read_dispatch(dispatch, asked));
    return TRY(session.prepare_for(file, asked.all(), TRY(plain_grid(asked)), options));
}

}  // namespace

Answer<Property> SessionObject::ask(std::int32_t property) const {
    const std::span<const PolicySetting> settings = session.policy_settings();
    switch (property) {
        case MUSTER_SETTING_NAME:
            return many(settings.size(), [settings](std::size_t i) { return Value(settings[i].name); });
        case MUSTER_SETTING_VALUE:
            return many(settings.size(), [settings](std::size_t i) { return Value(settings[i].value); });
        case MUSTER_SETTING_FROM:
            return many(settings.size(), [settings](std::size_t i) { return Value(settings[i].from); });
        default: return no_property(property);
    }
}

Answer<std::string> RouteObject::json() const { return report::of(route).text(); }
Answer<std::string> DeviceObject::json() const {
    report::Json json = report::of(candidate.device);
    json["id"] = candidate.id();
    json["backend"] = candidate.backend;
    return json.text();
}
Answer<std::string> TargetObject::json() const { return report::of(target).text(); }
Answer<std::string> BackendObject::json() const {
    if (const auto& fault = fleet->entry(which).fault) return std::unexpected(*fault);
    return report::of(*fleet, which).text();
}

void add_sessions(muster_api& api) {
    api.session_open = [](const muster_session_options* options, muster_session* session) {
        return call([&]() -> Answer<void> {
            if (session == nullptr) return null_pointer("session");
            return give_handle(session, TRY(open(options)));
        });
    };
    api.wait_until_optimized = [](std::uint64_t timeout_ns) {
        return call([&]() -> Answer<void> {
            if (wait_until_optimized(timeout_of(timeout_ns))) return {};
            return fail(ErrorCode::timed_out, "Programs are still to be optimised.", "wait longer");
        });
    };
    api.session_close = [](muster_session session) {
        return call([&]() -> Answer<void> {
            TRY(get<SessionObject>(session.id))->session.close();
            return {};
        });
    };
    api.route = [](muster_session session, muster_program program, const muster_compile_options* options,
                   const muster_dispatch* dispatch, std::uint32_t flags, muster_route* to) {
        return call([&]() -> Answer<void> {
            if (to == nullptr) return null_pointer("route");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<ProgramObject>(program.id));
            const CompileOptions compile = TRY(read_compile_options(options, by->precision));
            return give_handle(to, std::make_shared<RouteObject>(
                                       TRY(route(by->session, what->file, compile, dispatch, flags))));
        });
    };
    api.prepare = [](muster_session session, muster_program program, const muster_compile_options* options,
                     const muster_dispatch* dispatch, muster_kernel* kernel) {
        return call([&]() -> Answer<void> {
            if (kernel == nullptr) return null_pointer("kernel");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<ProgramObject>(program.id));
            const CompileOptions compile = TRY(read_compile_options(options, by->precision));
            return give_handle(kernel, std::make_shared<KernelObject>(
                                           by, TRY(prepare(by->session, what->file, compile, dispatch))));
        });
    };
    api.kernel_route = [](muster_kernel kernel, muster_route* to) {
        return call([&]() -> Answer<void> {
            if (to == nullptr) return null_pointer("route");
            return give_handle(
                to, std::make_shared<RouteObject>(TRY(get<KernelObject>(kernel.id))->kernel.route()));
        });
    };
    api.kernel_artifact = [](muster_kernel kernel, muster_artifact* artifact) {
        return call([&]() -> Answer<void> {
            if (artifact == nullptr) return null_pointer("artifact");
            return give_handle(artifact, std::make_shared<ArtifactObject>(
                                             TRY(get<KernelObject>(kernel.id))->kernel.artifact()));
        });
    };
    api.route_kernel = [](muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                          muster_route* to) {
        return call([&]() -> Answer<void> {
            if (to == nullptr) return null_pointer("route");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            AskedDispatch asked;
            TRY(read_dispatch(dispatch, asked));
            return give_handle(to, std::make_shared<RouteObject>(TRY(by->session.route(
                                       what->kernel, asked.all(), TRY(plain_grid(asked))))));
        });
    };
}

}  // namespace muster::c
