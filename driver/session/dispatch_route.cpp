// Session's answers about one dispatch before it is made: its work, and where it would run.
#include <fmt/format.h>

#include <muster/driver/session/failures.hpp>
#include <muster/driver/session/placement.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace {

constexpr DeviceLimits no_limits{.max_storage_binding_bytes = UINT64_MAX,
                                 .max_uniform_binding_bytes = UINT64_MAX};

/// Calls `ask` with the dispatch, its arguments bound as far as the program alone tells.
template <class Ask>
auto with_dispatch(const ValidProgram& program, std::span<const Argument> arguments, const Grid& grid,
                   Ask&& ask) -> Result<decltype(ask(std::declval<const DispatchToPlace&>()))> {
    const Extent3 groups = TRY(groups_to_run(grid, *program));
    const BindingRules rules(*program, no_limits);
    const BoundArguments bound = TRY(rules.bind(arguments, groups.count() == 0));
    return ask(DispatchToPlace{*program, groups, bound});
}

}  // namespace

Result<DispatchWork> Session::work(const ValidProgram& program, std::span<const Argument> arguments,
                                   const Grid& grid) try {
    return with_dispatch(program, arguments, grid, work_of);
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Route> Session::route(const ValidProgram& program, std::span<const Argument> arguments,
                             const Grid& grid, const CompileOptions& options) try {
    TRY(state_->check_own_process());
    return with_dispatch(program, arguments, grid, [&](const DispatchToPlace& dispatch) {
        return Placement(options, {}).route(*state_, dispatch, true);
    });
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Route> Session::route(const ArtifactFile& file, std::span<const Argument> arguments, const Grid& grid,
                             const CompileOptions& options) try {
    return with_dispatch(file.program, arguments, grid, [&](const DispatchToPlace& dispatch) {
        return Placement(options, file.codes).route(*state_, dispatch, true);
    });
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Route> Session::route(const Kernel& kernel, std::span<const Argument> arguments,
                             const Grid& grid) try {
    TRY(state_->check_own_process());
    if (!kernel.state()->placement) return route(kernel.program(), arguments, grid);
    return with_dispatch(kernel.program(), arguments, grid, [&](const DispatchToPlace& dispatch) {
        return kernel.state()->placement->route(*state_, dispatch, false);
    });
} catch (const std::bad_alloc&) {
    return no_memory();
}

Result<Kernel> Session::prepare_for(const ArtifactFile& file, std::span<const Argument> arguments,
                                    const Grid& grid, const CompileOptions& options) try {
    TRY(state_->check_open());
    const std::string what = fmt::format("preparing {}", file.program->entry());
    Route first = TRY(during(what, route(file, arguments, grid, options)));
    return Kernel(
        TRY(during(what, prepare_kernel(state_, {file.program, options, file.codes}, std::move(first)))));
} catch (const std::bad_alloc&) {
    return no_memory();
}

}  // namespace muster
