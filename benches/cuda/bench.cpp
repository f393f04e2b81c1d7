#include "bench.hpp"

namespace muster::bench {

void Bench::add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                    const std::function<std::vector<RawLaunch>(const Get&)>& make) const {
    for (const Access access : {Access::guarded, Access::plain}) {
        const auto get = [&](const char* name) { return raw.kernel(name, precision, access); };
        contest.contenders.push_back(peer(
            access == Access::guarded ? "guarded" : "plain",
            [this, launches = make(get)] { raw.run(launches); }, out, start));
    }
}

}  // namespace muster::bench
