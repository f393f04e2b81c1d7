// The promises of wgsl.hpp: entry points, overrides, error codes.

#include "support/parse.hpp"

using namespace muster;

namespace {

constexpr std::string_view two_entries =
    "override size: u32 = 64;\n"
    "@id(7) override scale: f32;\n"
    "override deep = false;\n"
    "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n"
    "@compute @workgroup_size(size, 2) fn second() { y[0] = scale; }\n"
    "@compute @workgroup_size(1) fn first() { y[0] = 1; }\n";

}  // namespace

TEST_CASE("an entry point is chosen by name, or is the only one") {
    CHECK_EQ(wgsl::parse(two_entries).error().code, ErrorCode::invalid_argument);
    CHECK_EQ(wgsl::parse(two_entries, {.file = "t"}).error().message,
             "t has 2 entry points and none is named: second, first.");
    CHECK_EQ(wgsl::parse(two_entries, {.file = "t", .entry = "third"}).error().message,
             "t has no entry point called third.");
    CHECK_EQ(wgsl::parse(two_entries, {.entry = "third"}).error().code, ErrorCode::not_found);
    CHECK_EQ(wgsl::parse("const a = 1;").error().code, ErrorCode::not_found);
    CHECK_EQ(test::parse(two_entries, {.entry = "first"}).entry(), "first");

    const auto entries = wgsl::entry_points(two_entries, {.overrides = {{"size", "16"}}});
    REQUIRE(entries);
    REQUIRE_EQ(entries->size(), 2);
    CHECK_EQ((*entries)[0].name, "second");
    CHECK((*entries)[0].workgroup_size == Extent3{16, 2, 1});
    CHECK_EQ((*entries)[1].name, "first");
}

TEST_CASE("overrides are listed, given by name or id, checked") {
    const auto listed = wgsl::overrides(two_entries);
    REQUIRE(listed);
    REQUIRE_EQ(listed->size(), 3);
    CHECK_EQ((*listed)[0].name, "size");
    CHECK_EQ((*listed)[0].type, Scalar::u32);
    CHECK((*listed)[0].has_default);
    CHECK_EQ((*listed)[1].id, 7);
    CHECK_FALSE((*listed)[1].has_default);
    CHECK_EQ((*listed)[2].type, Scalar::boolean);

    const Program by_name =
        test::parse(two_entries, {.entry = "second", .overrides = {{"scale", "1.5"}, {"size", "0x20"}}});
    const Program by_id =
        test::parse(two_entries, {.entry = "second", .overrides = {{"7", "1.5f"}, {"size", "32.0"}}});
    CHECK_EQ(by_name.fingerprint(), by_id.fingerprint());
    CHECK(by_name.workgroup_size() == Extent3{32, 2, 1});
    const std::vector<wgsl::OverrideValue> twice{{"7", "2"}, {"size", "32"}, {"scale", "1.5"}};
    CHECK_EQ(test::parse(two_entries, {.entry = "second", .overrides = twice}).fingerprint(),
             by_name.fingerprint());
    const Program other =
        test::parse(two_entries, {.entry = "second", .overrides = {{"scale", "2"}, {"size", "32"}}});
    CHECK_NE(other.fingerprint(), by_name.fingerprint());

    // Overrides that the entry point doesn't use may be left out.
    CHECK(wgsl::parse(two_entries, {.entry = "first"}));
    const auto missing = wgsl::parse(two_entries, {.file = "t", .entry = "second"});
    REQUIRE_FALSE(missing);
    CHECK_EQ(missing.error().message.substr(0, 52), "t:5:56: error: The override scale has no value.\n@com");
    CHECK_NE(missing.error().message.find("--override scale=VALUE"), std::string::npos);

    const auto code = [&](std::vector<wgsl::OverrideValue> values) {
        return wgsl::parse(two_entries, {.entry = "first", .overrides = std::move(values)}).error().code;
    };
    CHECK_EQ(code({{"frob", "1"}}), ErrorCode::invalid_argument);
    CHECK_EQ(code({{"size", "1.5"}}), ErrorCode::invalid_argument);
    CHECK_EQ(code({{"size", "-1"}}), ErrorCode::invalid_argument);
    for (const char* text : {"-1", "4294967296", "", "x", "1 2", "1e99", "0x", "--1", "nan", "inf"})
        CHECK_FALSE(wgsl::parse(two_entries, {.entry = "first", .overrides = {{"size", text}}}));
    for (const char* text : {"", "x", "1e39", "nan", "inf", "0x", "1..2"})
        CHECK_FALSE(wgsl::parse(two_entries, {.entry = "first", .overrides = {{"scale", text}}}));
    for (const char* text : {"true", "0", "1", "false"})
        CHECK(wgsl::parse(two_entries, {.entry = "first", .overrides = {{"deep", text}}}));
}

TEST_CASE("overrides decide sizes and depend on each other") {
    constexpr std::string_view text =
        "override a: u32;\n"
        "override b = a * 2u;\n"
        "var<workgroup> w: array<f32, b>;\n"
        "@compute @workgroup_size(a) fn main(@builtin(local_invocation_index) i: u32) { w[i] = 1; }\n";
    const Program program = test::parse(text, {.overrides = {{"a", "8"}}});
    CHECK_EQ(program.workgroup_size().x, 8);
    REQUIRE_EQ(program.variables().size(), 1);
    CHECK_EQ(program.types().name(program.variables()[0].type), "array<f32, 16>");
    const auto missing = wgsl::parse(text, {.file = "t"});
    REQUIRE_FALSE(missing);
    CHECK_EQ(missing.error().message.substr(0, missing.error().message.find('\n')),
             "t:3:30: error: The override a has no value.");
    CHECK(wgsl::diagnose(text).empty());
    CHECK(wgsl::entry_points(text));
    CHECK_EQ(test::first_fault("override a = 0; override b = 1 / a;"),
             "1:32: The right operand of / is zero.");
    CHECK_EQ(test::first_fault("override a = 0; override b = 1 / a;", {.overrides = {{"b", "1"}}}), "");
}

TEST_CASE("memory and bindings that an entry point uses are checked with its name") {
    const std::string shared =
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n"
        "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n"
        "var<workgroup> w: array<u32, 5000000>;\n"
        "var<private> p: array<u32, 300000>;\n";
    const auto fault = [&](std::string_view body) {
        const std::string text = shared + "@compute @workgroup_size(1) fn main() {" + std::string(body) + "}";
        const auto program = wgsl::parse(text, {.file = "t"});
        CHECK_EQ(wgsl::diagnose(text).size(), program ? 0 : 1);
        return program ? "" : program.error().message.substr(0, program.error().message.find('\n'));
    };
    CHECK_EQ(fault("a[0] = 1;"), "");
    CHECK_EQ(fault("a[0] = b[0];"),
             "t:2:48: error: a and b are both at @group(0) @binding(0), and main uses both.");
    CHECK_EQ(fault("w[0] = 1;"),
             "t:3:16: error: With w, the workgroup variables that main uses take 20000000 bytes; the limit "
             "is 16777216.");
    CHECK_EQ(
        fault("p[0] = 1;"),
        "t:4:14: error: With p, the private and function variables that main uses take 1200000 bytes; the "
        "limit is 1048576.");
}

TEST_CASE("aliases are told as types are spelt in programs, used or not") {
    const auto aliases = wgsl::aliases(
        "alias Digest = array<Word, words>; const words = 2 * 4; alias Word = u32; alias Corner = vec2f;\n"
        "struct S { a: f32 } alias T = array<S>; alias M = array<mat2x3f, 4>; alias P = ptr<private, M>;\n");
    REQUIRE(aliases);
    const auto type = [&](std::string_view name) {
        for (const wgsl::Alias& alias : *aliases)
            if (alias.name == name) return alias.type;
        return std::string();
    };
    CHECK_EQ(aliases->size(), 6);
    CHECK_EQ(type("Word"), "u32");
    CHECK_EQ(type("Digest"), "array<u32, 8>");
    CHECK_EQ(type("Corner"), "vec2<f32>");
    CHECK_EQ(type("T"), "array<S>");
    CHECK_EQ(type("M"), "array<array<vec3<f32>, 2>, 4>");
    CHECK_EQ(type("P"), "ptr<private, array<mat2x3<f32>, 4>>");
    CHECK_EQ(wgsl::aliases("alias A = B;").error().code, ErrorCode::invalid_program);
}

TEST_CASE("the interface of a module has what entry points name, used or not") {
    const auto interface = wgsl::interface_of(
        "enable f16; enable subgroups;\n"
        "struct Tail { count: u32, data: array<vec2u> } struct Params { a: f32, b: vec3f }\n"
        "@group(1) @binding(3) var<storage, read_write> tail: Tail; @group(0) @binding(2) var<uniform> "
        "params: Params;\n"
        "@group(0) @binding(0) var<storage> words: array<u32>; @group(0) @binding(1) var<storage> other: "
        "u32;\n"
        "@group(2) @binding(0) var image: texture_2d<f32>; var<immediate> now: vec4f; var<private> mine: "
        "u32;\n"
        "fn helper() -> f32 { mine = 1; return params.a + now.x; }\n"
        "@compute @workgroup_size(1) fn first() { _ = words[0]; tail.count = u32(helper()); }\n"
        "@fragment fn shade() -> @location(0) vec4f { return vec4f(); }\n"
        "@compute @workgroup_size(1) fn second() { tail.count = u32(textureLoad(image, vec2u(), 0).x); }\n");
    REQUIRE(interface);
    CHECK_EQ(interface->enables, std::vector<std::string>{"f16", "subgroups"});
    CHECK_EQ(interface->others, std::vector<std::string>{"shade"});
    REQUIRE_EQ(interface->entries.size(), 2);
    const wgsl::EntryInterface& first = interface->entries[0];
    CHECK_EQ(first.name, "first");
    CHECK(first.unsupported.empty());
    REQUIRE_EQ(first.resources.size(), 4);
    const auto check = [&](std::size_t which, std::string_view name, AddressSpace space, std::uint32_t group,
                           std::uint32_t binding, std::uint64_t bytes) {
        const wgsl::Resource& each = first.resources[which];
        CHECK_EQ(each.name, name);
        CHECK_EQ(each.space, space);
        CHECK_EQ(each.group, group);
        CHECK_EQ(each.binding, binding);
        CHECK_EQ(each.min_bytes, bytes);
    };
    check(0, "words", AddressSpace::storage, 0, 0, 4);
    check(1, "params", AddressSpace::uniform, 0, 2, 32);
    check(2, "tail", AddressSpace::storage, 1, 3, 16);
    check(3, "now", AddressSpace::uniform, 0, 3, 16);
    CHECK_EQ(first.resources[0].access, Access::read);
    CHECK_EQ(first.resources[2].access, Access::read_write);
    CHECK(first.resources[3].is_immediate);
    CHECK_EQ(interface->entries[1].unsupported.size(), 1);
    CHECK_FALSE(interface->needs_overrides);
    CHECK_EQ(wgsl::interface_of("fn f() { x; }").error().code, ErrorCode::invalid_program);
    CHECK(wgsl::interface_of("override n: u32; var<workgroup> w: array<u32, n>;\n"
                             "@compute @workgroup_size(1) fn f() { w[0] = 1; }")
              ->needs_overrides);
}

TEST_CASE("extensions may be enabled from outside of the text") {
    const char* wide =
        "@group(0) @binding(0) var<storage, read_write> x: i64; @compute @workgroup_size(1) fn f() { x += x; "
        "}";
    CHECK_FALSE(wgsl::parse(wide));
    CHECK(wgsl::parse(wide, {.enables = {"muster_int64"}}));
}

TEST_CASE("an immediate is a uniform at the first free binding of group 0") {
    const std::string others =
        "struct Params { scale: f32, turn: mat2x2f }\n"
        "@group(0) @binding(1) var<uniform> other: f32; @group(0) @binding(0) var<storage, read_write> y: "
        "array<f32>;\n"
        "@group(1) @binding(2) var<storage> z: f32;\n";
    const std::string main =
        "fn scaled(p: ptr<SPACE, Params>) -> f32 { return p.scale * p.turn[1].x; }\n"
        "@compute @workgroup_size(1) fn main() { y[0] = scaled(&p) + other + z + p.scale; }";
    const auto with = [&](std::string_view declaration, std::string_view space) {
        std::string text = "requires immediate_address_space;\n" + others + std::string(declaration) + main;
        text.replace(text.find("SPACE"), 5, space);
        return test::parse(text).fingerprint();
    };
    CHECK(with("var<immediate> p: Params;", "immediate") ==
          with("@group(0) @binding(2) var<uniform> p: Params;", "uniform"));

    const auto fault = [](std::string_view text) { return test::first_fault(text); };
    CHECK(fault("var<immediate> a: array<f32, 2>;") == "1:16: The immediate a is or holds an array.");
    CHECK(fault("struct S { a: array<f32, 2> } var<immediate> a: S;") ==
          "1:46: The immediate a is or holds an array.");
    CHECK(fault("var<immediate> a: bool;") == "1:16: The type bool of a can't be shared with the host.");
    CHECK(fault("@group(0) @binding(0) var<immediate> a: f32;") ==
          "1:1: The attribute @group doesn't apply to this variable.");
    CHECK(fault("var<immediate, read_write> a: f32;") == "1:16: Only storage variables take an access mode.");
    CHECK(fault("var<immediate> a = 1.0;") == "1:16: A uniform variable can't have an initial value.");
    CHECK(fault("var<immediate> a: f32; @compute @workgroup_size(1) fn main() { a = 1; }") ==
          "1:64: a is read-only.");
    const auto two = wgsl::parse(
        "var<immediate> a: f32; var<immediate> b: f32;\n"
        "@compute @workgroup_size(1) fn main() { _ = a; }\n"
        "@compute @workgroup_size(1) fn both() { _ = a + b; }",
        {.file = "t", .entry = "both"});
    REQUIRE_FALSE(two);
    CHECK(two.error().to_string().starts_with("t:1:39: error: both uses two immediates, a and b."));
}
