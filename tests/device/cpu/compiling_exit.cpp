// compiling_exit - a program that ends while LLVM compiles for it: its budget is over, and main() returns. Exit
// status 7, and no crash.
#include <chrono>
#include <cstdio>
#include <string>

#include <muster/driver/helper/compile_budget.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace std::chrono_literals;

namespace {

/// A kernel with much to compile, and nothing that repeats.
std::string long_kernel() {
    std::string text =
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
        "@compute @workgroup_size(64) fn long(@builtin(global_invocation_id) id: vec3u) {\n    var v = "
        "y[id.x];\n";
    for (int i = 0; i < 3000; ++i) text += "    v = v * y[" + std::to_string(i) + "] + sqrt(abs(v));\n";
    return text + "    y[id.x] = v;\n}\n";
}

}  // namespace

int main() {
    const auto program = validate(wgsl::parse(long_kernel()).value()).value();
    Session session =
        Session::open({.policy = {.backends = {{"cpu"}}, .compile_budget = 100ms}, .use_environment = false})
            .value();
    const auto kernel = session.prepare(program);
    const bool is_late = !kernel && kernel.error().code == ErrorCode::compile_timed_out;
    if (!kernel && !is_late) std::fprintf(stderr, "%s\n", kernel.error().to_string().c_str());
    if (is_late && compilations_left_behind() == 0) std::fprintf(stderr, "It has ended meanwhile.\n");
    return kernel || is_late ? 7 : 1;
}
