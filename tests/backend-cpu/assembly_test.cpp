// The machine code of the kernels that bench_cpu measures: it uses the machine's full vectors and calls
// nothing.
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <muster/backend-cpu/compile/compiler.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

struct Measured {
    const char* path;  // below the source folder
    std::vector<wgsl::OverrideValue> overrides = {};
};
const std::vector<Measured> kernels{
    {"examples/saxpy/saxpy.wgsl"},
    {"examples/kernels/reduce.wgsl"},
    {"examples/kernels/mandelbrot.wgsl"},
    {"examples/kernels/matmul.wgsl"},
    {"examples/kernels/matmul_tiled.wgsl"},
    {"examples/kernels/histogram.wgsl"},
    {"examples/kernels/nbody.wgsl"},
    {"benches/cpu/kernels/stencil.wgsl", {{"width", "8192"}, {"height", "8192"}}},
    {"tests/wgsl/softmax.wgsl", {{"columns", "4096"}}},
    {"benches/cpu/kernels/black_scholes.wgsl"},
};

std::string assembly(const Measured& kernel, const char* arch, Precision precision) {
    std::ifstream file(std::string(MUSTER_EXAMPLES "/../") + kernel.path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Result<Program> program = wgsl::parse(text, {.file = kernel.path, .overrides = kernel.overrides});
    REQUIRE_MESSAGE(program, kernel.path);
    const Result<Artifact> artifact =
        cpu::muster_cpu_compiler()->compile(*validate(*program), {.target = {.arch = arch},
                                                                  .options = {.precision = precision},
                                                                  .format = "asm",
                                                                  .symbol = "measured"});
    REQUIRE_MESSAGE(artifact, (artifact ? "" : artifact.error().to_string()));
    const std::string all(reinterpret_cast<const char*>(artifact->bytes.data()), artifact->bytes.size());
    // The kernel itself, not the C entry points that call it.
    const std::size_t start = all.find("\nmeasured_kernel:"), end = all.find(".cfi_endproc", start);
    REQUIRE(end != std::string::npos);
    return all.substr(start, end - start);
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace

TEST_CASE("measured kernels are full vectors, and call nothing") {
    for (const Measured& kernel : kernels)
        for (const Precision precision : {Precision::exact, Precision::fast})
            for (const auto& [arch, vector] :
                 {std::pair{"x86-64-v4", "%zmm"}, std::pair{"x86-64-v3", "%ymm"}}) {
                const std::string code = assembly(kernel, arch, precision);
                CAPTURE(std::string(kernel.path));
                CAPTURE(std::string(arch));
                CHECK(count(code, vector) >= 2);
                CHECK(count(code, "\tcall") == 0);
            }
}
