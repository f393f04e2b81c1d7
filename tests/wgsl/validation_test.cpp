// Validation on every device: planted faults are found with their lines, the whole kernels have none, and no result changes.
#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>
#include <muster/measuring/whole_kernels/whole_kernel.hpp>

#include "conformance/devices.hpp"

using namespace muster;
using namespace muster::kernels;
using muster::conformance::TestDevice;

namespace {

/// The log, during its lifetime.
class LogOfDevices {
  public:
    LogOfDevices() {
        set_log_sink([this](LogLevel, std::string_view text) {
            const std::lock_guard lock(mutex_);
            text_ += std::string(text) + "\n";
        });
    }
    ~LogOfDevices() { set_log_sink({}); }
    std::string take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(text_, {});
    }

  private:
    std::mutex mutex_;
    std::string text_;
};

Session session_with(const TestDevice& device, Validation validate) {
    Policy policy = conformance::policy_for(device);
    policy.validate = validate;
    auto session = Session::open({.policy = policy, .use_environment = false});
    if (!session) FAIL(session.error().to_string());
    return *session;
}

struct PlantedFault {
    std::string name, finding, body;
};
const std::vector<PlantedFault> planted_faults{
    {"none", "", "tile[i] = i; workgroupBarrier();\n out[i] = tile[i ^ 1];"},
    {"out_of_bounds", "planted.wgsl:5:2: out_of_bounds: ", "\n out[i + 40] = i;"},
    {"race", "planted.wgsl:5:15: data_race: ", "tile[i] = i;\n out[i] = tile[i ^ 1];"},
    {"early_read", "planted.wgsl:5:15: read_before_write: ", "\n out[i] = tile[i];"},
};

/// A fault as a program of its own for each device: the log tells each once in a process.
ValidProgram planted(const PlantedFault& fault, const TestDevice& device) {
    std::string name = fault.name + "_" + device.id;
    std::ranges::replace_if(
        name, [](char c) { return c == ':' || c == '-'; }, '_');
    return *validate(*wgsl::parse(
        fmt::format(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
            "var<workgroup> tile: array<u32, 64>;\n"
            "@compute @workgroup_size(64) fn {}(@builtin(local_invocation_index) i: u32) {{\n {}\n}}\n",
            name, fault.body),
        {.file = "planted.wgsl"}));
}

std::vector<std::uint32_t> run_planted(Session session, const ValidProgram& program) {
    const Kernel kernel = *session.prepare(program);
    const Buffer out = *session.zeros<std::uint32_t>(64);
    for (int i = 0; i < 2; ++i) {
        const auto ticket = session.dispatch(kernel, {{"out", out}}, Workgroups{1});
        if (!ticket) FAIL(ticket.error().to_string());
        CHECK(ticket->wait());
    }
    return *out.read_all<std::uint32_t>();
}

/// What a kernel relies on that WGSL or muster promises, and that is a finding all the same. matmul_f16 selects
/// between zero and an element that may lie beyond the end; radix_sort's masks are zero where no key sets a bit.
std::string_view relied_on(std::string_view kernel) {
    if (kernel == "matmul_f16") return ": out_of_bounds: ";
    if (kernel == "radix_sort") return ": read_before_write: ";
    return "-: none";
}

std::size_t times(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("planted faults are found on every device, told once, and change no result") {
    LogOfDevices log;
    for (const TestDevice& device : conformance::devices()) {
        for (const PlantedFault& fault : planted_faults) {
            CAPTURE(device.id);
            CAPTURE(fault.name);
            const ValidProgram program = planted(fault, device);
            const auto plain = run_planted(session_with(device, Validation::off), program);
            CHECK(log.take() == "");
            const auto validated = run_planted(session_with(device, Validation::warn), program);
            if (fault.name != "race") CHECK(validated == plain);
            const std::string told = log.take();
            if (fault.finding.empty()) CHECK(told == "");
            CHECK_MESSAGE(told.find(fault.finding) != told.npos, told);
            CHECK_MESSAGE(told.find("Validation of", 1) == told.npos, told);

            Session strict = session_with(device, Validation::error);
            const Kernel kernel = *strict.prepare(program);
            const Buffer out = *strict.zeros<std::uint32_t>(64);
            const auto refused = strict.dispatch(kernel, {{"out", out}}, Workgroups{1});
            CHECK(refused.has_value() == fault.finding.empty());
            if (!refused) CHECK(*out.read_all<std::uint32_t>() == std::vector<std::uint32_t>(64));
        }
    }
}

TEST_CASE(
    "nothing is found in the whole kernels but what they rely on, and validation leaves their results as "
    "they are") {
    LogOfDevices log;
    for (const TestDevice& device : conformance::devices()) {
        for (const WholeKernel& kernel : whole_kernels()) {
            CAPTURE(device.id);
            CAPTURE(kernel.name);
            const Job job = kernel.make({});
            const auto arrays = [&](Validation validate) {
                auto loaded = Loaded::load(session_with(device, validate), kernel, job);
                if (!loaded) FAIL(loaded.error().to_string());
                CHECK(loaded->run());
                return *loaded->arrays();
            };
            const Arrays plain = arrays(Validation::off);
            log.take();
            CHECK((arrays(Validation::warn) == plain));
            const std::string told = log.take();
            CHECK_MESSAGE(times(told, "Validation of") == times(told, relied_on(kernel.name)), told);
        }
    }
}
