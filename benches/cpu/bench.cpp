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

void Bench::add_pocl(Contest& contest, const char* kernel, std::vector<OpenCl::Argument> arguments,
                     OpenCl::Range global, OpenCl::Range local, std::function<std::vector<float>()> result,
                     std::function<void()> reset) {
    if (opencl == nullptr) return;
    const auto enqueue = opencl->kernel(kernel, std::move(arguments), global, local);
    const auto run = [enqueue, cl = opencl] {
        enqueue();
        cl->finish();
    };
    contest.contenders.push_back({"pocl", run, std::move(result), std::move(reset)});
}

}  // namespace muster::bench
