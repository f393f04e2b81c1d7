#include "bench.hpp"

#include <fstream>
#include <iterator>

namespace muster::bench {

std::string read_text(const std::string& path) {
    std::ifstream file(MUSTER_SOURCE_DIR "/" + path);
    if (!file) {
        fmt::print(stderr, "{} can't be read.\n", path);
        std::exit(1);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

Kernel Bench::prepare(const std::string& text, std::vector<wgsl::OverrideValue> overrides) {
    const ValidProgram program = must(validate(must(wgsl::parse(text, {.overrides = std::move(overrides)}))));
    return must(session.prepare(program, {.precision = precision}));
}

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
