#include "bench.hpp"

namespace muster::bench {

void Bench::add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                    const std::function<std::vector<RawPass>(Access)>& make) const {
    for (const Access access : {Access::guarded, Access::plain})
        contest.contenders.push_back(peer(
            access == Access::guarded ? "guarded" : "plain",
            [this, commands = raw.record(make(access))] { raw.run(commands); }, out, start));
}

}  // namespace muster::bench
