#include "bench.hpp"

namespace muster::bench {

Kernel Bench::kernel(const std::string& path, std::vector<wgsl::OverrideValue> overrides) {
    return prepare(session, read_text(path), precision, std::move(overrides));
}

void Bench::add_raw(Contest& contest, const RawBuffer& out, const Words& start,
                    const std::function<std::vector<RawPass>(Access)>& make) const {
    for (const Access access : {Access::guarded, Access::plain}) {
        const RawCommands commands = raw.record(make(access));
        const auto run = [this, commands] { raw.run(commands); };
        contest.contenders.push_back({access == Access::guarded ? "guarded" : "plain", run, [=, this] {
                                          raw.write(out, std::as_bytes(std::span(start)));
                                          run();
                                          return words(out);
                                      }});
    }
}

}  // namespace muster::bench
