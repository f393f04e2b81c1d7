// The programs that stay loaded on a device: the last thousand or so, and those that kernels use.
#include <array>
#include <initializer_list>
#include <map>
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

/// One of two programs with different structures that were made to have one XXH3-128: where an eight-byte lane of what is
/// hashed equals XXH3's secret, the other lane doesn't count. `differing` has the words in which the two tables differ.
ValidProgram program_of_pair(std::uint32_t count, std::uint32_t at, std::uint32_t plus,
                             std::initializer_list<std::uint32_t> differing) {
    std::map<std::uint32_t, std::uint32_t> words{{7, 491719622},   {9, 827962572},   {15, 3949138939},
                                                 {23, 3467004722}, {25, 2609678118}, {31, 3055882056},
                                                 {39, 1685289177}, {41, 3287012148}, {47, 2657670185},
                                                 {54, 2209138154}, {56, 4288709061}, {62, 1488852523}};
    static constexpr std::array<std::uint32_t, 12> places{6, 8, 14, 22, 24, 30, 38, 40, 46, 55, 57, 63};
    for (std::size_t i = 0; i < places.size(); ++i) words[places[i]] = differing.begin()[i];
    std::string table;
    for (std::uint32_t i = 0; i < 192; ++i)
        table += fmt::format("{}u,", words.contains(i) ? words[i] : 2119630848u + i);
    return *validate(
        *wgsl::parse(fmt::format("@group(0) @binding(0) var<storage, read_write> yyyy: array<u32, {}>;\n"
                                 "const T = array<u32, 192>({});\n"
                                 "var<private> k: u32 = {}u;\n"
                                 "var<private> t: array<u32, 192> = T;\n"
                                 "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3u) {{ "
                                 "yyyy[{}u] = k + t[id.x]; }}",
                                 count, table, plus, at)));
}

}  // namespace

TEST_CASE("programs that were made to have one hash keep their own code") {
    const ValidProgram a = program_of_pair(
        1'000'000, 999'999, 999'999,
        {3350977785, 1272992138, 4288709061, 1272992138, 3380518856, 1373441303, 0, 0, 0, 0, 0, 0});
    const ValidProgram b =
        program_of_pair(16, 3, 3,
                        {550035746, 2331019069, 2524802499, 1273046721, 915429375, 2921417001, 2800887456,
                         1407062550, 215930864, 999984, 3999936, 999996});
    CHECK(a->fingerprint() != b->fingerprint());
    const auto device = std::make_shared<test::DeviceScript>();
    Session session = test::interpreting_session({device});
    REQUIRE(session.prepare(a));
    const auto kernel = session.prepare(b);
    REQUIRE(kernel);
    CHECK(device->compiles == 2);
    Buffer data = *session.buffer(std::vector<std::uint32_t>(16));
    auto ticket = session.dispatch(*kernel, {{"yyyy", data}}, Workgroups{1});
    REQUIRE(ticket);
    REQUIRE(ticket->wait());
    CHECK((*data.read_all<std::uint32_t>())[3] == 2119630851u);
}

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
