// `inspect --disassemble`: each stored code as a listing by its backend, or the reason why there is none.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "run_tool.hpp"

using namespace muster::test;

namespace {

/// The tool's listing of saxpy for these targets, or emit's failure if they can't be compiled for here.
ToolRun disassembled(const std::string& name, const std::string& targets, const std::string& environment = {},
                     const std::string& options = {}) {
    const std::string file = scratch(name);
    const ToolRun made = tool("emit examples/saxpy/saxpy.wgsl " + targets + " -o " + file);
    return made.exit == 0 ? tool("inspect " + file + " --disassemble" + options, environment) : made;
}

}  // namespace

TEST_CASE("text is printed as it is, in JSON too") {
    const ToolRun run = disassembled("listed.muster", "--target reference:wgsl");
    CHECK(run.exit == 0);
    CHECK(contains(run.out, "\nreference:wgsl, saxpy, wgsl:\n"));
    CHECK(contains(run.out, "fn saxpy("));
    const auto json = disassembled("listed.muster", "--target reference:wgsl", {}, " --json").json();
    CHECK(contains(json["codes"][0]["disassembly"].get<std::string>(), "fn saxpy("));
    CHECK_FALSE(
        tool("inspect " + scratch("listed.muster") + " --json").json()["codes"][0].contains("disassembly"));
}

TEST_CASE("the CPU's images are disassembled, for this machine's architecture and another") {
    if (!has_backend("cpu")) return;
    const ToolRun run = disassembled("cpu_listed.muster", "--target cpu:x86-64-v3 --target cpu:aarch64");
    CHECK(run.exit == 0);
    CHECK(contains(run.out, "\ncpu:x86-64-v3, saxpy, image:\n"));
    CHECK(contains(run.out, "saxpy:\n"));
    CHECK(contains(run.out, " vmulps "));
    CHECK(contains(run.out, "\n; examples/saxpy/saxpy.wgsl:9:12\n"));
    CHECK(contains(run.out, "\ncpu:aarch64, saxpy, image:\n"));
    CHECK(contains(run.out, " fmul v"));
    CHECK(contains(run.out, " ret\n"));
}

TEST_CASE("the GPUs' codes are listed, but for a cubin") {
    if (has_backend("vulkan")) {
        const ToolRun run = disassembled("vulkan_listed.muster", "--target vulkan:vulkan1.1");
        CHECK(contains(run.out, "OpEntryPoint GLCompute %saxpy \"saxpy\""));
        CHECK(contains(run.out, "\n; examples/saxpy/saxpy.wgsl:9:12\n"));
    }
    if (has_backend("opencl")) {
        const ToolRun run = disassembled("opencl_listed.muster", "--target opencl:1.2");
        CHECK(contains(run.out, "__kernel"));
    }
    if (!has_backend("cuda")) return;
    const ToolRun ptx = disassembled("ptx_listed.muster", "--target cuda:sm_90 --format ptx");
    if (ptx.exit != 0) return;  // there is no NVRTC
    CHECK(contains(ptx.out, ".visible .entry saxpy("));
    const ToolRun cubin = disassembled("cubin_listed.muster", "--target cuda:sm_90");
    CHECK(cubin.exit == 0);
    CHECK(
        contains(cubin.out,
                 "A cubin holds NVIDIA's own instructions, which muster has no disassembler for.\nFix: store "
                 "PTX instead (muster emit --format ptx), or write the cubin to a file (-o FILE.cubin) for "
                 "nvdisasm, of the CUDA Toolkit\n"));
    const auto json = disassembled("cubin_listed.muster", "--target cuda:sm_90", {}, " --json").json();
    CHECK(contains(json["codes"][0]["no_disassembly"]["message"].get<std::string>(), "A cubin holds"));
}

TEST_CASE("without the CPU backend's compiler, the reason is said") {
    const std::filesystem::path library =
        std::filesystem::path(MUSTER_TOOL).parent_path() / "../lib/libmuster_backend_cpu.so.0.1";
    if (!std::filesystem::exists(library)) return;  // not built, or a plugin
    const std::filesystem::path folder = scratch("no_compiler");
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(std::filesystem::canonical(library), folder / library.filename(),
                               std::filesystem::copy_options::overwrite_existing);
    const ToolRun run = disassembled("no_compiler.muster", "--target cpu:x86-64-v3 --target reference:wgsl",
                                     "LD_LIBRARY_PATH=" + folder.string());
    CHECK(run.exit == 0);
    CHECK(contains(run.out, "The CPU backend's compiler can't be opened"));
    CHECK(
        contains(run.out, "Fix: install libmuster_backend_cpu_compiler.so beside the backend, with LLVM 19"));
    CHECK(contains(run.out, "fn saxpy("));  // the other code is listed all the same
}
