// Loading kernels: from the driver's binary, from text, and what is refused.
#include <optional>

#include <muster/backend-opencl/compile/build.hpp>
#include <muster/driver/contract/check.hpp>

#include "kit.hpp"

using namespace muster;
using namespace muster::opencl;

namespace {

/// How often a call was made while `what` ran; `fails`: and failed.
template <class What>
int calls(std::string_view name, bool fails, What&& what) {
    int made = 0;
    const PlantedFaults faults([&](std::string_view call) -> std::optional<Error> {
        if (call != name) return std::nullopt;
        ++made;
        return fails ? std::optional(Error{ErrorCode::compile_failed, "Planted.", {}, {}}) : std::nullopt;
    });
    what();
    return made;
}

}  // namespace

TEST_CASE(
    "what was compiled here isn't compiled again; another session takes the driver's binary, else the text") {
    Bench bench;
    const auto artifact = bench.device->compile(test::saxpy(), {});
    if (!artifact) FAIL(artifact.error().to_string());
    CHECK(calls("clBuildProgram", true, [&] { CHECK(bench.device->load(*artifact)); }) == 0);
    const auto other = *bench.backend.open(0);
    const auto load = [&] { CHECK(other->load(*artifact)); };
    CHECK(calls("clCreateProgramWithSource", true, load) == 0);
    CHECK(calls("clCreateProgramWithBinary", true, load) == 1);
    CHECK(calls("clGetProgramInfo", true, load) == 1);
    Artifact alone = *artifact;  // as from another process
    alone.in_process = nullptr;
    CHECK(other->load(alone));
}

TEST_CASE("what a device compiled outlives it") {
    std::optional<Artifact> artifact;
    {
        Bench bench;
        artifact = *bench.device->compile(test::saxpy(), {});
    }
    Bench bench;
    CHECK(bench.device->load(*artifact));
}

TEST_CASE("text that the driver refuses: its log is in the message") {
    Bench bench;
    const auto refused =
        bench.device->load(artifact_of("__kernel void wrong() { return nothing; }", "wrong"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::compile_failed);
    CHECK(refused.error().message.starts_with("The compiler of " + bench.device->info().name));
    CHECK(refused.error().message.find("nothing") != std::string::npos);
}

TEST_CASE(
    "an artifact of another format, one without the kernel, and a workgroup that is too large are refused") {
    Bench bench;
    Artifact artifact = artifact_of(counting_text, "count");
    artifact.format = "ptx";
    CHECK(bench.device->load(artifact).error().code == ErrorCode::invalid_argument);
    CHECK(bench.device->load(artifact_of(counting_text, "none_such")).error().code == ErrorCode::not_found);
    artifact = artifact_of("__kernel void nothing() {}", "nothing");
    artifact.workgroup_size = {1 << 20, 1, 1};
    const auto refused = bench.device->load(artifact);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::limit_exceeded);
    CHECK(refused.error().message.find("workgroups of 1048576 invocations, more than the ") !=
          std::string::npos);
}

TEST_CASE("options: correctly rounded division where the device has it; fast mode assumes away nothing") {
    Exactness exactness;
    CHECK(build_options({}, exactness) == "-cl-std=CL1.2 -w");
    exactness.division = Promise::promised;
    CHECK(build_options({}, exactness) == "-cl-std=CL1.2 -w -cl-fp32-correctly-rounded-divide-sqrt");
    CHECK(build_options({.precision = Precision::fast}, exactness) ==
          "-cl-std=CL1.2 -w -cl-mad-enable -cl-unsafe-math-optimizations");
}
