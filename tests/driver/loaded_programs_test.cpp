// The programs that stay loaded on a device: the last thousand or so, and those that kernels use.
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <support/interpreting_double.hpp>

#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;

namespace {

ValidProgram program_number(int number) {
    return *validate(
        *wgsl::parse(fmt::format("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
                                 "@compute @workgroup_size(1) fn main() {{ data[0] = {}u; }}",
                                 number)));
}

}  // namespace

TEST_CASE(
    "of the programs that were loaded, the least recently used is dropped once there are more than 1,024") {
    const auto device = std::make_shared<test::DeviceScript>();
    Session session = test::interpreting_session({device});
    const auto kernel_in_use = session.prepare(program_number(0));
    REQUIRE(kernel_in_use);
    for (int number = 1; number <= 1023; ++number) REQUIRE(session.prepare(program_number(number)));
    CHECK(device->compiles == 1024);
    REQUIRE(session.prepare(program_number(1)));  // still there, and now used last
    CHECK(device->compiles == 1024);
    REQUIRE(session.prepare(program_number(1024)));  // drops number 0
    CHECK(device->compiles == 1025);
    REQUIRE(session.prepare(program_number(1)));
    CHECK(device->compiles == 1025);
    REQUIRE(session.prepare(program_number(0)));
    CHECK(device->compiles == 1026);
    Buffer data = *session.buffer(std::vector<std::uint32_t>{7});
    auto ticket = session.dispatch(*kernel_in_use, {{"data", data}}, Workgroups{1});
    REQUIRE(ticket);
    REQUIRE(ticket->wait());
    CHECK(*data.read_all<std::uint32_t>() == std::vector<std::uint32_t>{0});
}
