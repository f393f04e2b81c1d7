#include <array>

#include <doctest/doctest.h>
#include <support/doubles.hpp>
#include <support/programs.hpp>

#include <muster/driver/device/binding.hpp>
#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using namespace muster::test;

namespace {

struct BindingFixture {
    Session session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({})), .use_environment = false});
    ValidProgram program = saxpy();
    DeviceLimits limits = fit_device().limits;
    Buffer x = *session.zeros<float>(100), y = *session.zeros<float>(100);

    Result<BoundArguments> bound(std::initializer_list<Argument> arguments, bool empty_grid = false) {
        return BindingRules(program, limits).bind(std::span(arguments.begin(), arguments.size()), empty_grid);
    }
    void refused(std::initializer_list<Argument> arguments, ErrorCode code, const std::string& part) {
        const auto result = bound(arguments);
        REQUIRE_FALSE(result);
        CHECK(result.error().code == code);
        CAPTURE(result.error().to_string());
        CHECK(result.error().message.find(part) != std::string::npos);
        CHECK_FALSE(result.error().fix.empty());
    }
};

}  // namespace

TEST_CASE_FIXTURE(BindingFixture, "arguments come by name or by group and binding, in any order") {
    const auto result = bound({{"y", y}, {GroupBinding{0, 0}, 2.0f}, {"x", x}});
    REQUIRE(result);
    CHECK((*result)[0].variable->name == "a");
    CHECK(std::get<BoundRange>((*result)[1].what).buffer == x.state().get());
    CHECK(std::get<BoundRange>((*result)[2].what).bytes == 400);
}

TEST_CASE_FIXTURE(BindingFixture, "what is unknown, missing or given twice is named") {
    refused({{"a", 2.0f}, {"x", x}, {"y", y}, {"z", y}}, ErrorCode::invalid_argument, "no binding \"z\"");
    refused({{"a", 2.0f}, {"x", x}, {GroupBinding{1, 2}, y}}, ErrorCode::invalid_argument,
            "group 1, binding 2");
    refused({{"a", 2.0f}, {"y", y}}, ErrorCode::invalid_argument, "Binding 1 (\"x\") isn't given");
    refused({{"a", 2.0f}, {"x", x}, {"y", y}, {GroupBinding{0, 2}, x}}, ErrorCode::invalid_argument,
            "Binding 2 (\"y\") is given twice");
}

TEST_CASE_FIXTURE(BindingFixture, "types must match where the host says one") {
    refused({{"a", 2u}, {"x", x}, {"y", y}}, ErrorCode::invalid_argument,
            "is f32; the argument is made of u32");
    const Buffer integers = *session.zeros<std::int32_t>(100);
    refused({{"a", 2.0f}, {"x", integers}, {"y", y}}, ErrorCode::invalid_argument, "made of i32");
    const Buffer untyped = *session.buffer(400);
    CHECK(bound({{"a", 2.0f}, {"x", untyped}, {"y", y}}));
}

TEST_CASE_FIXTURE(BindingFixture, "elements of other kinds and widths are refused, with both names") {
    const auto of = [&](const Buffer& buffer, const std::string& name) {
        refused({{"a", 2.0f}, {"x", buffer}, {"y", y}}, ErrorCode::invalid_argument,
                "Binding 1 (\"x\") is array<f32>; the argument is made of " + name + ".");
        refused({{"a", 2.0f}, {"x", x}, {"y", BufferRange{buffer, 256}}}, ErrorCode::invalid_argument,
                "is array<f32>; the argument is made of " + name + ".");
    };
    of(*session.zeros<double>(100), "f64");
    of(*session.zeros<std::int64_t>(100), "i64");
    of(*session.zeros<unsigned long long>(100), "u64");
    of(*session.zeros<std::int32_t>(100), "i32");
    of(*session.zeros<std::uint32_t>(100), "u32");
    of(*session.zeros<std::int16_t>(200), "i16");
    of(*session.zeros<std::uint16_t>(200), "u16");
    of(*session.zeros<f16>(200), "f16");
    of(*session.zeros<std::int8_t>(400), "i8");
    of(*session.zeros<unsigned char>(400), "u8");
    of(*session.zeros<bool>(400), "bool");
    of(*session.zeros<std::array<double, 4>>(25), "f64");
    of(*session.zeros<std::array<std::array<std::int32_t, 2>, 3>>(20), "i32");
    of(*session.zeros<double[3]>(40), "f64");
    of(*session.buffer(std::vector<double>(100)), "f64");
}

TEST_CASE_FIXTURE(BindingFixture,
                  "bytes, structures and vectors of the binding's scalar bind to an array of it") {
    struct Pair {
        float first, second;
    };
    for (const Buffer& buffer :
         {*session.zeros<std::array<float, 4>>(25), *session.zeros<float[2]>(50), *session.zeros<Pair>(50),
          *session.zeros<std::byte>(400), *session.buffer(400, Scalar::f32)})
        CHECK(bound({{"a", 2.0f}, {"x", buffer}, {"y", y}}));
}

TEST_CASE_FIXTURE(BindingFixture, "values of other elements are refused, with both names") {
    const auto refuse = [&](const Argument& a, const std::string& name) {
        refused({a, {"x", x}, {"y", y}}, ErrorCode::invalid_argument,
                "Binding 0 (\"a\") is f32; the argument is made of " + name + ".");
    };
    refuse({"a", 2.0}, "f64");
    refuse({"a", 2}, "i32");
    refuse({"a", std::int64_t{2}}, "i64");
    refuse({"a", std::array<std::uint16_t, 2>{}}, "u16");
    refuse({"a", f16(2.0f)}, "f16");
    refuse({"a", 'c'}, std::is_signed_v<char> ? "i8" : "u8");
}

TEST_CASE("vectors, atomics and structures of one scalar take that scalar; of several, bytes and words") {
    Session session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({})), .use_environment = false});
    const auto takes = [&](const ValidProgram& program, const Buffer& buffer) {
        const std::array arguments{Argument{"data", buffer}, Argument{"length", *session.buffer(4)}};
        return BindingRules(program, fit_device().limits).bind(arguments, false);
    };
    const auto of = [](TypeId (*type)(TypeTable&)) {
        IrBuilder ir("main", {1, 1, 1});
        const TypeId element = type(ir.types());
        const TypeId elements = ir.types().runtime_array(element);
        const VariableId data =
            ir.variable({.name = "data", .type = elements, .space = AddressSpace::storage});
        const VariableId length =
            ir.variable({.name = "length", .type = u32_type, .space = AddressSpace::storage, .binding = 1});
        ir.store(ir.ref(length), ir.array_length(ir.ref(data)));
        return valid(std::move(ir));
    };
    const ValidProgram vectors = of([](TypeTable&) { return type_of(Scalar::f32, 4); });
    CHECK(takes(vectors, *session.zeros<float>(16)));
    CHECK(takes(vectors, *session.zeros<std::array<float, 4>>(4)));
    CHECK_FALSE(takes(vectors, *session.zeros<std::array<double, 2>>(4)));
    CHECK_FALSE(takes(vectors, *session.zeros<std::uint32_t>(16)));
    const ValidProgram atomics = of([](TypeTable& t) { return t.atomic(Scalar::u32); });
    CHECK(takes(atomics, *session.zeros<std::uint32_t>(16)));
    CHECK_FALSE(takes(atomics, *session.zeros<std::int32_t>(16)));
    CHECK_FALSE(takes(atomics, *session.zeros<std::uint64_t>(16)));
    const ValidProgram several = of([](TypeTable& t) {
        const std::array members{MemberDeclaration{"n", u32_type}, MemberDeclaration{"f", f32_type}};
        return t.structure("Several", members);
    });
    CHECK(takes(several, *session.zeros<std::uint8_t>(16)));
    CHECK(takes(several, *session.zeros<float>(16)));
    const auto refused = takes(several, *session.zeros<double>(16));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "Binding 0 (\"data\") is array<Several>; the argument is made of f64.");
}

TEST_CASE_FIXTURE(BindingFixture, "reading and writing by other elements than a buffer's is refused") {
    std::vector<double> doubles(50);
    const auto read = x.read(doubles);
    REQUIRE_FALSE(read);
    CHECK(read.error().message == "The buffer is made of f32; the host's array of f64.");
    CHECK(x.read_all<std::int32_t>().error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(x.write(std::span<const double>(doubles)));
    CHECK(x.read_all<std::byte>()->size() == 400);
    CHECK(x.read_all<std::array<float, 4>>()->size() == 25);
    CHECK(session.buffer(400)->read_all<double>()->size() == 50);  // the buffer has no element type
}

TEST_CASE_FIXTURE(BindingFixture, "sizes are checked against the type and the device") {
    refused({{"a", 2.0f}, {"x", *session.buffer(2)}, {"y", y}}, ErrorCode::invalid_argument,
            "holds 2 bytes, fewer than the 4");
    refused({{"a", std::array{1.0f, 2.0f}}, {"x", x}, {"y", y}}, ErrorCode::invalid_argument,
            "the value has 8");
    limits.max_storage_binding_bytes = 399;
    refused({{"a", 2.0f}, {"x", x}, {"y", y}}, ErrorCode::limit_exceeded, "more than the 399");
}

TEST_CASE_FIXTURE(BindingFixture,
                  "an array's length is an i32 on every device, however much memory that has") {
    program = *validate(*wgsl::parse(R"(enable muster_int8_int16;
        @group(0) @binding(0) var<storage> bytes: array<u8>;
        @group(0) @binding(1) var<storage, read_write> length: u32;
        @compute @workgroup_size(1) fn main() { length = arrayLength(&bytes); })"));
    limits.max_storage_binding_bytes = std::uint64_t{1} << 40;
    const Buffer two_gib = *session.buffer(std::uint64_t{1} << 31), length = *session.buffer(4);
    CHECK(bound({{"bytes", BufferRange{two_gib, 0, 0x7fffffff}}, {"length", length}}));
    refused({{"bytes", two_gib}, {"length", length}}, ErrorCode::limit_exceeded,
            "holds 2147483648 bytes, more than the 2147483647 of an array of 2147483647 elements, the most "
            "that one may "
            "have on any device: its length is an i32 too.");
}

TEST_CASE_FIXTURE(BindingFixture, "an empty array is fine where nothing runs") {
    const Buffer none = *session.zeros<float>(0), also_none = *session.zeros<float>(0);
    CHECK(bound({{"a", 2.0f}, {"x", none}, {"y", also_none}}, true));
    CHECK_FALSE(bound({{"a", 2.0f}, {"x", none}, {"y", also_none}}, false));
}

TEST_CASE_FIXTURE(BindingFixture, "parts of buffers start at aligned offsets and lie within") {
    CHECK(bound({{"a", 2.0f}, {"x", BufferRange{x, 256}}, {"y", BufferRange{x, 0, 256}}}));
    refused({{"a", 2.0f}, {"x", BufferRange{x, 4}}, {"y", y}}, ErrorCode::invalid_argument,
            "isn't a multiple of 256");
    refused({{"a", 2.0f}, {"x", BufferRange{x, 256, 256}}, {"y", y}}, ErrorCode::invalid_argument,
            "bytes 256 to 512 of a buffer of 400");
    refused({{"a", 2.0f}, {"x", BufferRange{x, 512}}, {"y", y}}, ErrorCode::invalid_argument,
            "of a buffer of 400");
    refused({{"a", 2.0f}, {"x", BufferRange{x, 256, UINT64_MAX}}, {"y", y}}, ErrorCode::invalid_argument,
            "bytes");
}

TEST_CASE_FIXTURE(BindingFixture, "what is written overlaps nothing and is no value") {
    refused({{"a", 2.0f}, {"x", y}, {"y", y}}, ErrorCode::conflict, "overlaps Binding 1 (\"x\")");
    refused({{"a", 2.0f}, {"x", BufferRange{y, 0, 260}}, {"y", BufferRange{y, 256}}}, ErrorCode::conflict,
            "overlaps");
    refused({{"a", 2.0f}, {"x", x}, {"y", 1.0f}}, ErrorCode::invalid_argument, "is written by saxpy");
    CHECK(bound({{"a", BufferRange{x, 0, 4}}, {"x", x}, {"y", y}}));  // the kernel only reads both
    CHECK(bound({{"a", 2.0f}, {"x", 1.0f}, {"y", y}}));               // a value for a read-only array
}

TEST_CASE("structures: layout, least size and the scalar they are made of") {
    TypeTable types;
    const TypeId floats = types.runtime_array(f32_type);
    const std::array tail{MemberDeclaration{"count", u32_type}, MemberDeclaration{"data", floats}};
    const TypeId mixed = types.structure("Mixed", tail);
    CHECK(min_binding_bytes(types, mixed) == 8);
    CHECK_FALSE(sole_scalar(types, mixed));
    const std::array wide{MemberDeclaration{"origin", type_of(Scalar::f32, 4)},
                          MemberDeclaration{"data", floats}};
    CHECK(min_binding_bytes(types, types.structure("Wide", wide)) ==
          32);  // 20, rounded up to its alignment of 16
    const std::array pair{MemberDeclaration{"p", type_of(Scalar::f32, 3)}, MemberDeclaration{"q", f32_type}};
    const TypeId same = types.structure("Same", pair);
    CHECK(min_binding_bytes(types, same) == 16);
    CHECK(sole_scalar(types, same) == Scalar::f32);
    CHECK(sole_scalar(types, types.atomic(Scalar::u32)) == Scalar::u32);
    CHECK(min_binding_bytes(types, types.runtime_array(type_of(Scalar::f32, 3))) == 16);
}

TEST_CASE("a refused argument's error names the line that declares the binding") {
    Session session =
        *Session::open({.fleet = std::make_shared<Fleet>(entries({})), .use_environment = false});
    const ValidProgram program =
        *validate(*wgsl::parse("@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
                               "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
                               "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: "
                               "vec3u) { y[id.x] = x[id.x]; }",
                               {.file = "copy.wgsl"}));
    const BindingRules rules(program, fit_device().limits);
    const auto told = [&](std::initializer_list<Argument> arguments) {
        const auto bound = rules.bind(std::span(arguments.begin(), arguments.size()), false);
        return bound ? std::string() : bound.error().to_string();
    };
    const Buffer one = *session.zeros<std::uint32_t>(4), other = *session.zeros<std::uint32_t>(4);
    const std::string x = "\n  while binding \"x\", declared at copy.wgsl:1:42\n";
    const std::string y = "\n  while binding \"y\", declared at copy.wgsl:2:48\n";
    const auto has = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    CHECK(told({{"x", one}, {"y", other}}).empty());
    const std::string overlap = told({{"x", one}, {"y", one}});
    CHECK_MESSAGE(overlap.starts_with(
                      "Binding 1 (\"y\") is written by main and overlaps Binding 0 (\"x\") in one buffer." +
                      y + x.substr(1)),
                  overlap);
    CHECK(has(told({{"x", one}}), y));
    CHECK(has(told({{"x", one}, {"y", other}, {"y", other}}), y));
    CHECK(has(told({{"x", *session.zeros<float>(4)}, {"y", other}}), x));
    CHECK(has(told({{"x", one}, {"y", std::array<std::uint32_t, 4>{}}}), y));
}
