#include "bench.hpp"

namespace muster::bench {

void Bench::add_opencl(Contest& contest, const std::function<OpenClRun(OpenCl&)>& make) {
    for (const auto& each : opencl) {
        OpenCl* const cl = each.get();
        const OpenClRun made = make(*cl);
        Contender peer{cl->name(),
                       [cl, launches = made.launches] {
                           for (const auto& enqueue : launches) enqueue();
                           cl->finish();
                       },
                       [cl, read = made.result] {
                           std::vector<float> result;
                           cl->on_host([&] { result = read(); });
                           return result;
                       }};
        if (made.reset) peer.reset = [cl, reset = made.reset] { cl->on_host(reset); };
        contest.contenders.push_back(std::move(peer));
    }
}

}  // namespace muster::bench
