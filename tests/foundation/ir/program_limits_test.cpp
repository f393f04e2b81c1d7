// Each limit of program_limits.hpp: at the limit, a program is valid and reads back from its printed text; over
// it, validate() or the builder refuses it, and the parser its text.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <support/text.hpp>

#include <muster/foundation/build/ir_builder.hpp>
#include <muster/foundation/ir/program_limits.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/print/print.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

using namespace muster;
using muster::test::has;

namespace {

// A program that uses one storage word "out".
struct LimitDraft {
    IrBuilder ir{"main", {1, 1, 1}};
    VariableId out = ir.variable({.name = "out", .type = u32_type, .space = AddressSpace::storage});

    NodeId word() { return ir.load(ir.ref(out)); }
    void keep(NodeId value) { ir.store(ir.ref(out), value); }
    VariableId variable(TypeId type, AddressSpace space, NodeId initial = {}) {
        return ir.variable({.name = "x", .type = type, .space = space, .initial = initial});
    }
    void array(std::uint64_t words, AddressSpace space) {
        const VariableId made =
            variable(ir.types().array(u32_type, static_cast<std::uint32_t>(words)), space);
        if (space == AddressSpace::function) ir.declare(made);
        keep(ir.load(ir.ref_index(ir.ref(made), word())));
    }
};

// "same", or what fails when a valid program is printed and parsed; for an invalid program, the reason.
std::string through_text(const Result<Program>& program) {
    if (!program) return program.error().to_string();
    const Result<ValidProgram> valid = validate(*program);
    if (!valid) return valid.error().to_string();
    const Result<Program> again = wgsl::parse(wgsl::print(*program), {.file = "printed.wgsl"});
    if (!again) return "not read back: " + again.error().to_string();
    if (!same_structure(*again, *program)) return "another program";
    return validate(*again) ? "same" : "no longer valid";
}
std::string through_text(LimitDraft&& draft) { return through_text(std::move(draft.ir).finish()); }
std::string through_text(std::string_view text) { return through_text(wgsl::parse(text)); }

std::string main_with(std::string_view body, std::string_view before = {}, std::string_view size = "1") {
    return std::string("@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n") +
           std::string(before) + "\n@compute @workgroup_size(" + std::string(size) + ") fn main() {\n" +
           std::string(body) + "\n}\n";
}

std::string repeated(std::string_view what, std::size_t count) {
    std::string text;
    for (std::size_t n = 0; n < count; ++n) text += what;
    return text;
}

}  // namespace

TEST_CASE("a function's variables are there once per call, and the whole reads back") {
    const std::string function =
        "fn f(x: u32) -> u32 { var a: array<u32, 400>; a[x % 400u] = x; return a[out[2] % 400u]; }\n";
    CHECK(through_text(main_with(repeated("out[0] = f(out[3]);\n", 6), function)) == "same");
    // 655 copies take 1,048,000 bytes; 656 are over the limit.
    CHECK(through_text(main_with(repeated("out[0] = f(out[3]);\n", 655), function)) == "same");
    CHECK(has(through_text(main_with(repeated("out[0] = f(out[3]);\n", 656), function)),
              "With a, the private and function variables that main uses take 1049600 bytes; the limit is "
              "1048576."));
}

TEST_CASE("memory of an invocation and of a workgroup") {
    using enum AddressSpace;
    for (const AddressSpace space : {function, private_, workgroup}) {
        const std::uint64_t words =
            (space == workgroup ? limits::workgroup_bytes : limits::private_bytes) / 4;
        for (const bool over : {false, true}) {
            LimitDraft draft;
            draft.array(words + (over ? 1 : 0), space);
            const std::string built = through_text(std::move(draft));
            const std::string count = std::to_string(words + (over ? 1 : 0));
            const std::string read = through_text(
                space == function ? main_with("var x: array<u32, " + count + ">; out[0] = x[out[0]];")
                                  : main_with("out[0] = x[out[0]];", "var<" + std::string(name(space)) +
                                                                         "> x: array<u32, " + count + ">;"));
            if (over) {
                CHECK(has(built, "more than the"));
                CHECK(has(read, "; the limit is"));
            } else {
                CHECK(built == "same");
                CHECK(read == "same");
            }
        }
    }
    // Private and function variables count together.
    CHECK(has(through_text(main_with("var y: array<u32, 200000>; out[0] = y[out[0]] + x[out[1]];",
                                     "var<private> x: array<u32, 200000>;")),
              "the limit is 1048576."));
}

TEST_CASE("invocations of a workgroup") {
    CHECK(through_text(main_with("out[0] = 1;", "", "1024, 1024")) == "same");
    CHECK(has(through_text(main_with("out[0] = 1;", "", "1024, 1024, 2")), "the limit is 1048576."));
}

TEST_CASE("blocks inside each other") {
    // Functions with early returns become scopes; the branch around the next call is a block, too.
    const auto chain = [](std::size_t count) {
        std::string text = "fn f0(x: u32) -> u32 { return x; }\n";
        for (std::size_t n = 1; n <= count; ++n)
            text += "fn f" + std::to_string(n) + "(x: u32) -> u32 { if x > " + std::to_string(n) +
                    "u { return f" + std::to_string(n - 1) + "(x); } return x + 1u; }\n";
        return main_with("out[0] = f" + std::to_string(count) + "(out[1]);", text);
    };
    CHECK(through_text(chain(100)) == "same");
    CHECK(through_text(chain(200)) == "same");
    CHECK(has(through_text(chain(400)), "levels deep"));

    enum class Kind { if_, else_, loop, continuing, scope };
    for (const Kind kind : {Kind::if_, Kind::else_, Kind::loop, Kind::continuing, Kind::scope}) {
        CAPTURE(static_cast<int>(kind));
        // A continuing block is nested in its loop's body.
        const std::size_t limit = kind == Kind::continuing ? limits::nesting / 2 : limits::nesting;
        for (const std::size_t depth : {limit - 1, limit}) {
            LimitDraft draft;
            IrBuilder& ir = draft.ir;
            const NodeId test = ir.binary(Op::eq, draft.word(), ir.constant(7u));
            for (std::size_t n = 0; n < depth; ++n) {
                if (kind == Kind::scope) ir.begin_scope();
                if (kind == Kind::loop || kind == Kind::continuing) ir.begin_loop();
                if (kind == Kind::continuing) ir.begin_continuing();
                if (kind == Kind::if_ || kind == Kind::else_) ir.begin_if(test);
                if (kind == Kind::else_) ir.begin_else();
            }
            draft.keep(ir.constant(1u));
            for (std::size_t n = 0; n < depth; ++n) {
                if (kind == Kind::scope) ir.end_scope();
                if (kind == Kind::if_ || kind == Kind::else_) ir.end_if();
                if (kind == Kind::loop) ir.break_();
                if (kind == Kind::continuing) ir.break_if(test);
                if (kind == Kind::loop || kind == Kind::continuing) ir.end_loop();
            }
            const std::string message = through_text(std::move(draft));
            if (depth < limit)
                CHECK(message == "same");
            else if (kind == Kind::continuing)
                CHECK(has(message, "nests its blocks more than 512 deep"));
            else
                CHECK(has(message, "nests control flow more than 512 levels deep"));
        }
    }
}

TEST_CASE("arrays, structures and their members") {
    const auto with_types = [](std::uint32_t count) {
        LimitDraft draft;
        for (std::uint32_t n = 0; n < count; ++n) {
            const TypeId type = draft.ir.types().structure(
                "S", std::array{MemberDeclaration{"a", u32_type, 0, 4 + 4 * std::uint64_t{n}}});
            const VariableId bound = draft.ir.variable({.name = "b" + std::to_string(n),
                                                        .type = type,
                                                        .space = AddressSpace::storage,
                                                        .access = Access::read,
                                                        .binding = n + 1});
            draft.keep(draft.ir.load(draft.ir.ref_member(draft.ir.ref(bound), 0)));
        }
        return through_text(std::move(draft));
    };
    CHECK(with_types(limits::types) == "same");
    CHECK(has(with_types(limits::types + 1),
              "The program has 4097 arrays, structures and atomic types; the limit is "
              "4096."));

    const auto with_members = [](std::uint32_t count) {
        std::vector<MemberDeclaration> members;
        for (std::uint32_t n = 0; n < count; ++n) members.push_back({"m" + std::to_string(n), u32_type});
        LimitDraft draft;
        const VariableId x = draft.variable(draft.ir.types().structure("S", members), AddressSpace::private_);
        if (count != 0) draft.keep(draft.ir.load(draft.ir.ref_member(draft.ir.ref(x), count - 1)));
        if (count == 0) draft.ir.store(draft.ir.ref(x), draft.ir.load(draft.ir.ref(x)));
        return through_text(std::move(draft));
    };
    CHECK(with_members(1) == "same");
    CHECK(with_members(limits::structure_members) == "same");
    CHECK(has(with_members(limits::structure_members + 1), "has 1024 members; it takes 1 to 1023."));
    CHECK(has(with_members(0), "has 0 members"));

    const auto nested = [](std::uint32_t depth) {
        LimitDraft draft;
        TypeId type = type_of(Scalar::u32, 4);
        for (std::uint32_t n = 1; n < depth; ++n) type = draft.ir.types().array(type, 1 + n % 2);
        NodeId place = draft.ir.ref(draft.variable(type, AddressSpace::private_));
        for (std::uint32_t n = 0; n < depth; ++n) place = draft.ir.ref_index(place, draft.ir.constant(0u));
        draft.keep(draft.ir.load(place));
        return through_text(std::move(draft));
    };
    CHECK(nested(limits::composite_depth) == "same");
    CHECK(has(nested(limits::composite_depth + 1), "nests 16 composite types; the limit is 15."));
}

TEST_CASE("the size of a type") {
    const auto sized = [](std::uint32_t count, std::uint64_t size) {
        LimitDraft draft;
        TypeTable& types = draft.ir.types();
        const TypeId type =
            types.structure("S", std::array{MemberDeclaration{"a", u32_type, 0, size},
                                            MemberDeclaration{"b", types.array(u32_type, count)}});
        const VariableId x = draft.ir.variable({.name = "in",
                                                .type = type,
                                                .space = AddressSpace::storage,
                                                .access = Access::read,
                                                .binding = 1});
        const NodeId b = draft.ir.ref_member(draft.ir.ref(x), 1);
        draft.keep(draft.ir.load(draft.ir.ref_index(b, draft.word())));
        return through_text(std::move(draft));
    };
    CHECK(sized(0x3ffffffe, 4) == "same");
    CHECK(has(sized(0x3fffffff, 4), "takes 4294967296 bytes; the limit is 4294967295."));
    CHECK(sized(1, 0xfffffff0) == "same");
    CHECK(has(sized(1, 0xfffffffc), "the limit is 4294967295."));
    // The gap that the printed @size represents is wider than the text's own.
    CHECK(through_text(main_with("out[0] = s.a + s.b.x;",
                                 "struct S { @size(2147483647) a: u32, b: vec4u } @group(0) @binding(1) "
                                 "var<storage> s: S;")) == "same");
}

TEST_CASE("structures whose members overlap, or end behind them, are refused") {
    const auto built = [](std::vector<MemberDeclaration> members) {
        LimitDraft draft;
        const VariableId x = draft.variable(draft.ir.types().structure("S", members), AddressSpace::private_);
        draft.keep(draft.ir.load(draft.ir.ref_member(draft.ir.ref(x), 1)));
        return through_text(std::move(draft));
    };
    CHECK(has(built({{"a", u32_type, 0, 1}, {"b", u32_type, 1}}), "has member \"b\" at byte 1"));
    CHECK(has(built({{"a", u32_type, 0, 2}, {"b", u32_type, 2}}), "has member \"b\" at byte 2"));
}

TEST_CASE("scalars of a value, and of all constants") {
    const auto constants = [](std::uint32_t count, std::uint32_t words, std::uint32_t last) {
        LimitDraft draft;
        const TypeId type = draft.ir.types().array(draft.ir.types().array(u32_type, words / 4), 4);
        const VariableId x = draft.variable(type, AddressSpace::private_);
        for (std::uint32_t n = 0; n < count; ++n) {
            const std::uint32_t some = n + 1 == count ? last : words;
            const TypeId of = some == words ? type : draft.ir.types().array(u32_type, some);
            std::vector<std::uint32_t> values(some, 1 + n);
            const NodeId constant = draft.ir.constant(of, values);
            draft.ir.store(draft.ir.ref(some == words ? x : draft.variable(of, AddressSpace::private_)),
                           constant);
        }
        return through_text(std::move(draft));
    };
    CHECK(constants(1, 65'536, 65'536) == "same");
    CHECK(has(constants(1, 65'540, 65'540), "has 65540 scalars; the limit is 65536."));
    CHECK(constants(16, 65'536, 16'960) == "same");  // 1,000,000 in all
    CHECK(has(constants(16, 65'536, 16'961),
              "The program's constants hold 1000001 scalars; the limit is 1000000."));
    // More elements than WGSL requires an implementation to support.
    std::string table = "const t = array(1u";
    for (int n = 1; n < 3000; ++n) table += "," + std::to_string(n) + "u";
    CHECK(through_text(main_with("out[0] = t[out[1]];", table + ");")) == "same");
}

TEST_CASE("selectors of a switch, and numbers of bindings") {
    const auto cases = [](std::uint32_t count, std::uint32_t each) {
        LimitDraft draft;
        draft.ir.begin_switch(draft.word());
        std::uint32_t next = 0;
        for (std::uint32_t n = 0; n < count; ++n) {
            std::vector<std::uint32_t> selectors(each);
            for (std::uint32_t& one : selectors) one = next++;
            draft.ir.begin_case(selectors, n + 1 == count);
        }
        draft.ir.end_switch();
        return through_text(std::move(draft));
    };
    CHECK(cases(2, 32'767) == "same");
    CHECK(cases(21'844, 2) == "same");
    CHECK(has(cases(1, 65'535), "The switch has 65536 case selectors; the limit is 65535."));

    const auto bound = [](std::uint32_t group, std::uint32_t binding) {
        LimitDraft draft;
        const VariableId in = draft.ir.variable({.name = "in",
                                                 .type = u32_type,
                                                 .space = AddressSpace::storage,
                                                 .access = Access::read,
                                                 .group = group,
                                                 .binding = binding});
        draft.keep(draft.ir.load(draft.ir.ref(in)));
        return through_text(std::move(draft));
    };
    CHECK(bound(65'535, 65'535) == "same");
    CHECK(has(bound(0, 65'536), "\"in\" is binding 65536 of group 0; the limit is 65535."));
    CHECK(has(bound(65'536, 0), "the limit is 65535."));
}

TEST_CASE("names that text can't have are refused, long ones are shortened where nobody binds by them") {
    const auto named = [](std::string binding, std::string entry) {
        IrBuilder ir(std::move(entry), {1, 1, 1});
        const VariableId out =
            ir.variable({.name = std::move(binding), .type = u32_type, .space = AddressSpace::storage});
        const NodeId value = ir.load(ir.ref(out));
        ir.name(value, std::string(5000, 'v'));
        ir.store(ir.ref(out), value);
        return through_text(std::move(ir).finish());
    };
    CHECK(named("out", "main") == "same");
    CHECK(named(std::string(5000, 'b'), std::string(5000, 'e')) == "same");
    CHECK(named("\xc3\xa4", "main") == "same");
    CHECK(has(named("\xe2\x80\xa6", "main"), "which isn't a WGSL identifier"));
    CHECK(has(named("\xff", "main"), "which isn't a WGSL identifier"));
    CHECK(has(named("main", "main"), "The entry point and a binding are both called \"main\"."));
}

TEST_CASE("names that hide predeclared words leave these words to the text") {
    const auto hidden = [](std::string_view name, std::string_view body, std::string_view entry = "main") {
        const std::string text =
            "@group(0) @binding(0) var<storage, read_write> " + std::string(name) +
            ": array<vec4f>;\n@group(0) @binding(1) var<storage, read_write> bits: array<u32>;\n"
            "@compute @workgroup_size(1) fn " +
            std::string(entry) + "(@builtin(workgroup_id) id: vec3u) {\n" + std::string(body) + "\n}\n";
        return text;
    };
    for (const auto& [name, body] : std::initializer_list<std::pair<const char*, const char*>>{
             {"max", "max[0] = clamp(max[1], vec4f(), vec4f(1));"},
             {"f32", "f32[id.x].y = length(f32[1]);"},
             {"vec4", "vec4[id.x] = vec4f(1, 2, 3, vec4[1].x);"},
             {"i32", "i32[0].x = f32(vec2i(id.xy).x + -2147483648);"},
             {"select",
              "select[0].x = smoothstep(0f, 1f, select[1].x); if all(select[2] > vec4f(1)) { bits[0] = 1; }"},
             {"vec3", "vec3[id.x].z = f32(id.y); bits[0] = id.z;"},
         }) {
        CAPTURE(std::string(name));
        CHECK(through_text(hidden(name, body)) == "same");
    }
    // Words that a program of IrBuilder needs and a binding's name hides.
    for (const char* name :
         {"array", "atomic", "u32", "f32", "i32", "vec3", "bitcast", "max", "select", "arrayLength",
          "atomicAdd", "workgroupBarrier", "read_write", "storage", "function", "bool"}) {
        CAPTURE(std::string(name));
        IrBuilder ir("main", {1, 1, 1});
        TypeTable& types = ir.types();
        const VariableId data = ir.variable({.name = name,
                                             .type = types.runtime_array(types.atomic(Scalar::u32)),
                                             .space = AddressSpace::storage});
        const VariableId x = ir.variable({.name = "x", .type = types.array(type_of(Scalar::f32, 3), 2)});
        const VariableId flag = ir.variable({.name = "flag", .type = bool_type});
        ir.declare(x);
        ir.declare(flag);
        const NodeId index = ir.extract(ir.builtin(Builtin::global_invocation_id), 0);
        const NodeId place = ir.ref_index(ir.ref(data), index);
        const NodeId old = ir.atomic(Op::atomic_add, place, ir.array_length(ir.ref(data)));
        const NodeId least =
            ir.binary(Op::max, ir.bitcast(Scalar::i32, old), ir.constant(std::int32_t{INT32_MIN}));
        const NodeId part = ir.ref_index(ir.ref(x), ir.convert(Scalar::u32, least));
        const NodeId infinite = ir.constant(std::numeric_limits<float>::infinity());
        ir.store(part, ir.splat(ir.select(infinite, ir.bitcast(Scalar::f32, old), ir.load(ir.ref(flag))), 3));
        ir.barrier(Op::workgroup_barrier);
        ir.atomic(Op::atomic_store, place, ir.bitcast(Scalar::u32, ir.extract(ir.load(part), 0)));
        CHECK(through_text(std::move(ir).finish()) == "same");
    }
    CHECK(wgsl::print(*wgsl::parse(hidden("max", "max[0] = max[1];"))).find("enable") == std::string::npos);
    CHECK(has(through_text(hidden("muster_predeclared_x", "muster_predeclared_x[0] = vec4f();")),
              "which is muster's own"));
    CHECK(
        has(through_text(hidden("x", "x[0] = vec4f();", "muster_predeclared_max")), "which is muster's own"));
}

TEST_CASE("a loop whose break is never reached is refused in any form") {
    for (const bool reached : {false, true}) {
        LimitDraft draft;
        IrBuilder& ir = draft.ir;
        const NodeId test = ir.binary(Op::eq, draft.word(), ir.constant(7u));
        ir.begin_loop();
        ir.begin_if(test);
        ir.continue_();
        ir.begin_else();
        if (!reached) ir.continue_();
        ir.end_if();
        ir.break_();
        ir.end_loop();
        draft.keep(ir.constant(1u));
        const std::string message = through_text(std::move(draft));
        if (reached)
            CHECK(message == "same");
        else
            CHECK(has(message, "The loop has no way out."));
    }
}

TEST_CASE("constants that no const-expression gives are written once") {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    LimitDraft draft;
    IrBuilder& ir = draft.ir;
    const TypeId table = ir.types().array(f32_type, 1000);
    std::vector<std::uint32_t> words(1000, 0x3f800000u);
    words[7] = 0x7fc00000u;
    const NodeId constant = ir.constant(table, words);
    const VariableId x = draft.variable(table, AddressSpace::private_);
    for (int n = 0; n < 500; ++n) ir.store(ir.ref(x), constant);
    const VariableId least = draft.variable(f32_type, AddressSpace::private_, ir.constant(infinity));
    draft.variable(f32_type, AddressSpace::private_, ir.constant(-infinity));  // unused
    draft.keep(ir.bitcast(Scalar::u32, ir.load(ir.ref(least))));
    const Program program = *std::move(ir).finish();
    CHECK(program.variables().size() == 3);
    CHECK(wgsl::print(program).size() < 30'000);
    CHECK(through_text(Result<Program>(program)) == "same");
}

TEST_CASE("a read-only binding of atomics is refused, used or only measured") {
    LimitDraft draft;
    const VariableId in =
        draft.ir.variable({.name = "in",
                           .type = draft.ir.types().runtime_array(draft.ir.types().atomic(Scalar::u32)),
                           .space = AddressSpace::storage,
                           .access = Access::read,
                           .binding = 1});
    draft.keep(draft.ir.array_length(draft.ir.ref(in)));
    CHECK(has(through_text(std::move(draft)), "\"in\" holds an atomic and is read-only."));
}

TEST_CASE("a program of many operations reads back from a text of many megabytes") {
    LimitDraft draft;
    NodeId value = draft.word();
    for (std::uint32_t n = 0; n < 200'000; ++n)
        value = draft.ir.binary(Op::shift_left, value,
                                draft.ir.constant(40u));  // a separate `let` for the constant
    draft.keep(value);
    CHECK(through_text(std::move(draft)) == "same");
}
