// driver/session/placement.cpp of programs that link muster::runtime: there is one device,
// so nothing is estimated.
#include <muster/driver/session/placement.hpp>

namespace muster {

Placement::Placed Placement::place(Session::State&, const KernelState& home, const DispatchToPlace&) {
    return {home};
}

void Placement::watch(const DeviceContext&, double, const Ticket&) {}

Route Placement::route(Session::State& session, const DispatchToPlace& dispatch, bool ask_all) {
    routing::RouteOptions options = session.route_options(dispatch.program, options_, codes_);
    options.ask_all = ask_all;
    return session.decide_route(dispatch.program, session.policy.policy, std::move(options));
}

}  // namespace muster
