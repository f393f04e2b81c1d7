#include <array>
#include <bit>
#include <cstring>
#include <filesystem>

#include <doctest/doctest.h>

#include <muster/cli/input/image.hpp>
#include <muster/cli/input/literal.hpp>
#include <muster/cli/input/npy.hpp>
#include <muster/cli/input/spec.hpp>
#include <muster/cli/report/output.hpp>
#include <muster/cli/support/file.hpp>
#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::cli;

namespace {

/// A program with one binding of each type that the tests need; it reads each.
Program program_with(
    const std::function<void(TypeTable&, std::vector<std::pair<std::string, TypeId>>&)>& declare) {
    IrBuilder ir("main", {1, 1, 1});
    std::vector<std::pair<std::string, TypeId>> bindings;
    declare(ir.types(), bindings);
    std::uint32_t number = 0;
    for (const auto& [name, type] : bindings) {
        const VariableId id =
            ir.variable({.name = name, .type = type, .space = AddressSpace::storage, .binding = number++});
        // Any use keeps the binding; storing the loaded value keeps all of it.
        const NodeId place = ir.ref(id);
        if (ir.types()[type].is_runtime_array()) {
            const NodeId element = ir.ref_index(place, ir.constant(0u));
            ir.store(element, ir.load(element));
        } else {
            ir.store(place, ir.load(place));
        }
    }
    auto program = std::move(ir).finish();
    REQUIRE(program);
    return *program;
}

Program arrays() {
    return program_with([](TypeTable& types, auto& bindings) {
        bindings.emplace_back("a", types.runtime_array(f32_type));
        bindings.emplace_back("b", types.runtime_array(type_of(Scalar::f32, 3)));
        bindings.emplace_back("pixels", types.runtime_array(u32_type));
        bindings.emplace_back("size", type_of(Scalar::u32, 2));
        bindings.emplace_back("fixed", types.array(i32_type, 4));
    });
}

/// Gives every binding of arrays() a value, those named in `binds` the value given there.
Result<HostBuffers> buffers(const Program& program, NamedTexts binds) {
    const NamedTexts rest{{"a", "1"}, {"b", "1,2,3"}, {"pixels", "0"}, {"size", "0,0"}, {"fixed", "0,0,0,0"}};
    for (const auto& [name, spec] : rest) {
        bool given = false;
        for (const auto& bind : binds) given = given || bind.first == name;
        if (!given) binds.emplace_back(name, spec);
    }
    return make_buffers(program, binds);
}

std::vector<float> floats(const HostBuffer& buffer) {
    std::vector<float> values(buffer.bytes.size() / 4);
    std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
    return values;
}

std::string binding_problem(const Program& program, NamedTexts binds) {
    const auto made = buffers(program, std::move(binds));
    return made ? "" : made.error().to_string();
}

std::string spec_file(const std::string& name) {
    return (std::filesystem::temp_directory_path() / ("muster_spec_test_" + name)).string();
}

}  // namespace

TEST_CASE("literals fill a binding in WGSL's layout") {
    const Program program = arrays();
    const auto made =
        buffers(program, {{"a", "1.5,-2, 1e3"}, {"b", "1,2,3,4,5,6"}, {"fixed", "-1,0x10,2i,3"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(floats(made->at("a")) == std::vector<float>{1.5f, -2.0f, 1000.0f});
    // The stride of vec3 elements is 16 bytes.
    CHECK(floats(made->at("b")) == std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0});
    CHECK(made->at("b").shape == std::vector<std::uint64_t>{2, 3});
    CHECK(binding_problem(program, {{"b", "1,2"}}).find("a multiple of 3, and 2 are given") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"size", "1"}}).find("vec2<u32> takes 2 numbers, and 1 is given") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"size", "-1,0"}}).find("out of range") != std::string::npos);
    CHECK(binding_problem(program, {{"fixed", "1,2,3,4.5"}}).find("a whole number") != std::string::npos);
}

TEST_CASE("literals may begin with their type, as a case's do, which has to be the binding's") {
    const Program program = arrays();
    for (const char* spec : {"f32:1,0.5", "f32 1 0.5", "f32: 1, 0.5"}) {
        const auto made = buffers(program, {{"a", spec}});
        REQUIRE_MESSAGE(made, made.error().to_string());
        CHECK(floats(made->at("a")) == std::vector<float>{1.0f, 0.5f});
    }
    for (const char* spec : {"vec3f:1,2,3", "vec3<f32> 1 2 3", "f32:1,2,3"})
        CHECK_MESSAGE(buffers(program, {{"b", spec}}), spec);
    CHECK(binding_problem(program, {{"a", "u32:1,2,3"}}).find("its elements are f32, not u32.") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", "u32:1,2,3"}}).find("Fix: write the numbers alone: 1,2,3") !=
          std::string::npos);
    for (const char* spec : {"ones:f32:8", "f32:", "f32 ", ":1", "f32:what"})
        CHECK_MESSAGE(
            binding_problem(program, {{"a", spec}}).find("is none that muster knows") != std::string::npos,
            spec);
}

TEST_CASE("zeros, iota and random make as many elements as asked") {
    const Program program = arrays();
    const auto made =
        buffers(program, {{"a", "iota:f32:4"}, {"b", "zeros:vec3f:2,5"}, {"pixels", "random:u32:3:7"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(floats(made->at("a")) == std::vector<float>{0, 1, 2, 3});
    CHECK(made->at("b").bytes.size() == 160);
    CHECK(made->at("b").shape == std::vector<std::uint64_t>{2, 5, 3});
    std::uint32_t words[3];
    std::memcpy(words, made->at("pixels").bytes.data(), 12);
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(words[i] == random_word(7, i));
    CHECK(words[0] != words[1]);
    CHECK(random_word(7, 0) != random_word(8, 0));

    const auto randoms = buffers(program, {{"a", "random:f32:10000:1"}});
    double sum = 0;
    for (const float value : floats(randoms->at("a"))) {
        CHECK((value >= 0.0f && value < 1.0f));
        sum += value;
    }
    CHECK(sum / 10000 == doctest::Approx(0.5).epsilon(0.03));

    CHECK(binding_problem(program, {{"a", "zeros:i32:4"}}).find("its elements are f32, not i32") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"fixed", "zeros:i32:5"}}).find("it has 4 elements, and 5 are given") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", "zeros:f32"}}).find("isn't complete") != std::string::npos);
    CHECK(binding_problem(program, {{"a", "zeros:f32:many"}}).find("isn't a whole number") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", "zeros:f32:99999999999999999"}}).find("memory") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", "zeros:f32:4294967296,4294967296"}}).find("over 64 bits") !=
          std::string::npos);
}

TEST_CASE("like: and extent: follow another binding, in whatever order they are given") {
    const Program program = arrays();
    const auto made =
        buffers(program, {{"size", "extent:pixels"}, {"a", "like:pixels"}, {"pixels", "zeros:u32:3,4"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(made->at("a").shape == std::vector<std::uint64_t>{3, 4});
    CHECK(made->at("a").bytes.size() == 48);
    std::uint32_t size[2];
    std::memcpy(size, made->at("size").bytes.data(), 8);
    CHECK(size[0] == 4);
    CHECK(size[1] == 3);
    CHECK(binding_problem(program, {{"a", "like:pixels"}, {"pixels", "like:a"}}).find("refers to") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", "like:nothing"}}).find("\"nothing\"") != std::string::npos);
}

TEST_CASE("files bind by their extension, kind and shape kept") {
    const Program program = arrays();
    const std::string npy = spec_file("a.npy"), png = spec_file("p.png"), raw = spec_file("f.bin");
    Array array{Scalar::f32, {2, 2}, std::vector<std::byte>(16)};
    REQUIRE(write_file(npy, format_npy(array)));
    Image image{2, 1, std::vector<std::byte>(8, std::byte{9})};
    REQUIRE(write_file(png, *format_png(image)));
    REQUIRE(write_file(raw, std::vector<std::byte>(16, std::byte{1})));

    const auto made =
        buffers(program, {{"a", npy}, {"pixels", png}, {"fixed", raw}, {"size", "extent:pixels"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(made->at("a").shape == std::vector<std::uint64_t>{2, 2});
    CHECK(made->at("pixels").shape == std::vector<std::uint64_t>{1, 2});
    CHECK(made->at("pixels").bytes == image.rgba);
    CHECK(made->at("fixed").bytes[15] == std::byte{1});
    CHECK(binding_problem(program, {{"pixels", npy}}).find("holds f32 numbers, not u32") !=
          std::string::npos);
    CHECK(binding_problem(program, {{"a", png}}).find("a picture fits array<u32>") != std::string::npos);
    CHECK(binding_problem(program, {{"size", raw}}).find("has 16 bytes") != std::string::npos);
    CHECK(binding_problem(program, {{"a", "/nowhere/x.npy"}}).find("No such file") != std::string::npos);
    for (const std::string& path : {npy, png, raw}) std::filesystem::remove(path);
}

TEST_CASE("a comma too many is no number") {
    const Program program = arrays();
    for (const char* text : {"1,,2", "1,", ",1", "1 , ,2"}) {
        const std::string problem = binding_problem(program, {{"a", text}});
        CHECK_MESSAGE(problem.starts_with("\"\" isn't a value of type f32: it isn't a number."), problem);
    }
    CHECK(buffers(program, {{"a", " 1 , 2  3 "}})->at("a").shape == std::vector<std::uint64_t>{3});
}

TEST_CASE("names are checked against the program") {
    const Program program = arrays();
    CHECK(binding_problem(program, {{"nothing", "1"}}).find("main has no binding \"nothing\"") == 0);
    CHECK(make_buffers(program, {{"a", "1"}}).error().message.find("is given nothing") != std::string::npos);
    CHECK(binding_problem(program, {{"a", "what is this"}}).find("is none that muster knows") !=
          std::string::npos);
    CHECK(split_assignments({"a"}, "--bind").error().message ==
          "--bind is given \"a\", which isn't NAME=VALUE.");
    CHECK(split_assignments({"a=1", "a=2"}, "--bind").error().message == "--bind names \"a\" twice.");
    CHECK(split_assignments({"a=b=c"}, "--bind")->front().second == "b=c");
}

TEST_CASE("numbers are read as their kind and printed so that they read back") {
    CHECK(parse_number("4294967295", Scalar::u32) == 0xffffffffu);
    CHECK(parse_number("-2147483648", Scalar::i32) == 0x80000000u);
    CHECK_FALSE(parse_number("2147483648", Scalar::i32));
    CHECK_FALSE(parse_number("-1", Scalar::u32));
    CHECK_FALSE(parse_number("", Scalar::f32));
    CHECK_FALSE(parse_number("1e99", Scalar::f32));
    CHECK(parse_number("nan", Scalar::f32) == 0x7fc00000u);
    CHECK(parse_number("-inf", Scalar::f32) == 0xff800000u);
    for (const float value : {0.1f, 1e-45f, 3.4028235e38f, -0.0f}) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        CHECK(parse_number(format_number(bits, Scalar::f32), Scalar::f32) == bits);
    }
    CHECK(parse_number("65504h", Scalar::f16) == 0x7bffu);
    CHECK(parse_number("-inf", Scalar::f16) == 0xfc00u);
    CHECK_FALSE(parse_number("65520", Scalar::f16));
    CHECK_FALSE(parse_number("1x", Scalar::f16));
    for (std::uint32_t bits = 0; bits < 0x7c00; bits += 97)
        CHECK(parse_number(format_number(bits, Scalar::f16), Scalar::f16) == bits);
}

TEST_CASE("f16 binds and prints two bytes a number") {
    const Result<Program> program = wgsl::parse(
        "enable f16; struct S { n: u32, h: array<f16> }\n"
        "@group(0) @binding(0) var<storage, read_write> v: array<vec3h>;\n"
        "@group(0) @binding(1) var<storage, read_write> s: S;\n"
        "@compute @workgroup_size(1) fn main() { v[0] += 1; s.h[s.n] = 1; }");
    REQUIRE_MESSAGE(program, program.error().to_string());
    const auto halves = [](const HostBuffer& buffer) {
        std::vector<std::uint16_t> all(buffer.bytes.size() / 2);
        std::memcpy(all.data(), buffer.bytes.data(), buffer.bytes.size());
        return all;
    };
    const auto made = make_buffers(*program, {{"v", "1,2,3,0.1,nan,-6"}, {"s", "7, 1.5, -2, 3"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(halves(made->at("v")) ==
          std::vector<std::uint16_t>{0x3c00, 0x4000, 0x4200, 0, 0x2e66, 0x7e00, 0xc600, 0});
    CHECK(halves(made->at("s")) == std::vector<std::uint16_t>{7, 0, 0x3e00, 0xc000, 0x4200});
    const Variable& v = *find_binding(*program, "v");
    CHECK(preview(program->types(), v.type, made->at("v"), 5) == "1 2 3 0.099975586 nan ...");
    HostBuffer payload = made->at("v");
    payload.bytes[10] = std::byte{0x55};
    CHECK(checksum(program->types(), v.type, payload) == checksum(program->types(), v.type, made->at("v")));
    const auto counted = make_buffers(*program, {{"v", "iota:vec3h:2"}, {"s", "7,1"}});
    REQUIRE_MESSAGE(counted, counted.error().to_string());
    CHECK(halves(counted->at("v")) ==
          std::vector<std::uint16_t>{0, 0x3c00, 0x4000, 0, 0x4200, 0x4400, 0x4500, 0});
}

TEST_CASE("small integers bind and print as many bytes a number as they have") {
    const Result<Program> program = wgsl::parse(
        "enable muster_int8_int16; struct S { n: u16, b: vec3<u8>, t: array<i8> }\n"
        "@group(0) @binding(0) var<storage, read_write> v: array<vec2<i16>>;\n"
        "@group(0) @binding(1) var<storage, read_write> s: S;\n"
        "@group(0) @binding(2) var<storage, read_write> p: array<vec4<u8>>;\n"
        "@compute @workgroup_size(1) fn main() { v[0].x = 1; s.t[u32(s.n)] = 1; p[0].x = 1; }");
    REQUIRE_MESSAGE(program, program.error().to_string());
    const auto bytes = [](const HostBuffer& buffer) {
        std::vector<int> all;
        for (const std::byte one : buffer.bytes) all.push_back(std::to_integer<int>(one));
        return all;
    };
    const auto made = make_buffers(
        *program,
        {{"v", "-2,0x7fff,3i,-32768"}, {"s", "258, 1,2,255, -1,127,-128"}, {"p", "iota:vec4<u8>:2"}});
    REQUIRE_MESSAGE(made, made.error().to_string());
    CHECK(bytes(made->at("v")) == std::vector<int>{254, 255, 255, 127, 3, 0, 0, 128});
    CHECK(bytes(made->at("s")) == std::vector<int>{2, 1, 0, 0, 1, 2, 255, 255, 127, 128});
    CHECK(bytes(made->at("p")) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
    CHECK(made->at("p").shape == std::vector<std::uint64_t>{2, 4});
    const Variable& s = *find_binding(*program, "s");
    CHECK(preview(program->types(), s.type, made->at("s"), 9) == "258 1 2 255 -1 127 -128");
    for (const auto& [text, scalar] : {std::pair{"256", Scalar::u8},
                                       {"-1", Scalar::u8},
                                       {"128", Scalar::i8},
                                       {"-129", Scalar::i8},
                                       {"65536", Scalar::u16},
                                       {"32768", Scalar::i16},
                                       {"-32769", Scalar::i16},
                                       {"1.5", Scalar::u8}})
        CHECK_FALSE(parse_number(text, scalar));
    CHECK(parse_number("-128", Scalar::i8));
    CHECK(parse_number("255u", Scalar::u8) == 255u);
}

TEST_CASE("a checksum counts every NaN as one, and every other bit") {
    const Program program = arrays();
    const Variable& a = *find_binding(program, "a");
    HostBuffer one{std::vector<std::byte>(8), {2}}, other = one;
    const std::array<std::uint32_t, 2> quiet{0x7fc00000u, 0}, payload{0xffc12345u, 0},
        negative_zero{0x7fc00000u, 0x80000000u};
    std::memcpy(one.bytes.data(), quiet.data(), 8);
    std::memcpy(other.bytes.data(), payload.data(), 8);
    CHECK(checksum(program.types(), a.type, one) == checksum(program.types(), a.type, other));
    std::memcpy(other.bytes.data(), negative_zero.data(), 8);
    CHECK(checksum(program.types(), a.type, one) != checksum(program.types(), a.type, other));
    CHECK(preview(program.types(), a.type, one, 1) == "nan ...");
}

TEST_CASE("outputs know before anything runs whether a file's format fits") {
    const Program program = arrays();
    const Variable& a = *find_binding(program, "a");
    CHECK(check_output(a, program.types(), "a.npy"));
    CHECK(check_output(a, program.types(), "-"));
    CHECK(check_output(a, program.types(), "a.png").error().message.find("pictures are array<u32>") !=
          std::string::npos);
    CHECK(check_output(a, program.types(), "a.txt").error().message.find("its extension says no format") !=
          std::string::npos);
}
