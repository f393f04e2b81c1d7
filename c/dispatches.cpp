// Dispatches and tickets.
#include <optional>

#include <muster/c/dispatch.hpp>
#include <muster/c/objects.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>

namespace muster::c {
namespace {

Answer<Ticket> submit(Session& session, const Kernel& kernel, const muster_dispatch* dispatch) {
    AskedDispatch asked;
    TRY(read_dispatch(dispatch, asked));
    if (const Grid* const grid = std::get_if<Grid>(&asked.grid))
        return TRY(session.dispatch(kernel, asked.all(), *grid));
    return TRY(session.dispatch(kernel, asked.all(), std::get<GridInBuffer>(asked.grid)));
}

Answer<Timing> waited(const Ticket& ticket, std::uint64_t timeout_ns) {
    return TRY(ticket.wait(timeout_of(timeout_ns)));
}

void call_back(muster_end_callback callback, void* user, const Result<Timing>& outcome) {
    const WithinCallback within;
    muster_timing timing{.struct_size = sizeof(muster_timing)};
    if (outcome) {
        tell(&timing, *outcome);
        return callback(user, nullptr, &timing);
    }
    std::optional<ToldError> told;
    try {
        told.emplace(outcome.error());
    } catch (const std::bad_alloc&) {  // the call is made in any case
    }
    const muster_error no_memory{.struct_size = sizeof(muster_error),
                                 .status = MUSTER_ERROR_OUT_OF_MEMORY,
                                 .message = view("Out of memory."),
                                 .text = view("Out of memory.")};
    callback(user, told ? &told->get() : &no_memory, &timing);
}

}  // namespace

void add_dispatches(muster_api& api) {
    api.dispatch = [](muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                      muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            return give_ticket(ticket, TRY(submit(by->session, what->kernel, dispatch)));
        });
    };
    api.run = [](muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                 std::uint64_t timeout_ns, muster_timing* timing) {
        return call([&]() -> Answer<void> {
            TRY(check_writable(timing, "muster_timing"));
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            const Ticket ticket = TRY(submit(by->session, what->kernel, dispatch));
            tell(timing, TRY(waited(ticket, timeout_ns)));
            return {};
        });
    };
    api.bind = [](muster_session session, muster_kernel kernel, const muster_dispatch* dispatch,
                  muster_bound* bound) {
        return call([&]() -> Answer<void> {
            if (bound == nullptr) return null_pointer("bound");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            AskedDispatch asked;
            TRY(read_dispatch(dispatch, asked, false));
            return give_handle(bound, std::make_shared<BoundObject>(
                                          by, TRY(by->session.bind(what->kernel, {asked.arguments.begin(),
                                                                                  asked.arguments.end()}))));
        });
    };
    api.dispatch_bound = [](muster_session session, muster_bound bound, const muster_dispatch* dispatch,
                            muster_ticket* ticket) {
        return call([&]() -> Answer<void> {
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<BoundObject>(bound.id));
            return give_ticket(ticket, TRY(by->session.dispatch(what->bound, TRY(grid_alone(dispatch)))));
        });
    };
    api.place = [](muster_session session, muster_kernel kernel, const muster_dispatch* dispatch) {
        return call([&]() -> Answer<void> {
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<KernelObject>(kernel.id));
            AskedDispatch asked;
            TRY(read_dispatch(dispatch, asked, false));
            TRY(by->session.place(what->kernel, asked.all()));
            return {};
        });
    };
    api.wait = [](muster_ticket ticket, std::uint64_t timeout_ns, muster_timing* timing) {
        return call([&]() -> Answer<void> {
            TRY(check_writable(timing, "muster_timing"));
            tell(timing, TRY(waited(TRY(get<Ticket>(ticket.id)), timeout_ns)));
            return {};
        });
    };
    api.abandon = [](muster_ticket ticket) {
        return call([&]() -> Answer<void> {
            TRY(get<Ticket>(ticket.id)).abandon();
            return {};
        });
    };
    api.on_end = [](muster_ticket ticket, muster_end_callback callback, void* user) {
        return call([&]() -> Answer<void> {
            if (callback == nullptr) return null_pointer("callback");
            TRY(TRY(get<Ticket>(ticket.id)).on_end([callback, user](const Result<Timing>& outcome) {
                call_back(callback, user, outcome);
            }));
            return {};
        });
    };
}

}  // namespace muster::c
