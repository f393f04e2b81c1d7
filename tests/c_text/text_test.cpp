// Text whose faults would not show when it runs as C: qualifiers, workgroup memory, names.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include <muster/conformance/case.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "c_text/c_dialect.hpp"

using namespace muster;

namespace {

/// With address spaces, as OpenCL C has them, and functions of its own.
class SpacesDialect final : public test::CDialect {
    std::string_view qualifier(AddressSpace space) const override {
        return space == AddressSpace::workgroup ? "LOCAL" : "GLOBAL";
    }
    std::string_view table_qualifier(std::uint64_t) override { return "TABLE"; }
    std::string_view endless() const override { return "stay();"; }
    std::string barrier(Op op) override { return op == Op::workgroup_barrier ? "meet();" : "meet_all();"; }
    void declare_workgroup(c_text::Kernel& kernel, VariableId variable) override {
        c_text::Dialect::declare_workgroup(
            kernel, variable);  // NOLINT(bugprone-parent-virtual-call): not as C does it
    }
    bool is_reserved_globally(std::string_view name) const override { return name == "kernel"; }
    std::span<const c_text::Function> functions() const override {
        static constexpr c_text::Function all[] = {
            {"floor_f32", "floor"}, {"ones_u32", "", "unsigned ones_u32(unsigned a) { return count(a); }\n"}};
        return all;
    }
};

std::string lowered(const std::string& text, bool unchecked = false) {
    const auto parsed = wgsl::parse(text, {.file = "kernel.wgsl"});
    REQUIRE_MESSAGE(parsed, (parsed ? "" : parsed.error().to_string()));
    const auto program = validate(*parsed);
    REQUIRE_MESSAGE(program, (program ? "" : program.error().to_string()));
    SpacesDialect dialect;
    return c_text::lower(*program, dialect, {.options = {.unchecked = unchecked}, .debug = false}).text;
}

void check_lines(const std::string& text, const std::vector<std::string>& lines) {
    CAPTURE(text);
    for (const std::string& line : lines) CHECK_MESSAGE(text.find(line) != text.npos, line);
}

std::string contents_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace

TEST_CASE("pointers into bindings have the dialect's qualifiers") {
    check_lines(lowered(R"(
struct Light { at: vec3f, power: f32 }
struct Odd { at: vec3f, tail: array<vec3f, 2> }
struct Scene { count: u32, odd: Odd, lights: array<Light> }
@group(0) @binding(0) var<storage, read_write> scene: Scene;
@group(0) @binding(1) var<storage> given: array<vec3f>;
@group(0) @binding(2) var<uniform> which: vec4u;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) workgroup_id: vec3u) {
    scene.lights[workgroup_id.x].at = given[workgroup_id.x];
    scene.lights[workgroup_id.x].at[which[workgroup_id.y]] = given[workgroup_id.x][which[workgroup_id.z & 3]];
    scene.odd = Odd(given[0], array(given[1], given[2]));
})"),
                {"const vec3u workgroup_id = (vec3u){ids[1][0], ids[1][1], ids[1][2]};\n",
                 "typedef char size_of_Odd[sizeof(Odd) == 48 ? 1 : -1];\n",
                 "GLOBAL Light* const scene_lights = (GLOBAL Light*)((GLOBAL char*)scene + 64);\n",
                 "    const padded_vec3f* given = (const padded_vec3f*)memory[1];\n",
                 "((GLOBAL const unsigned*)which)[workgroup_id.y]",
                 "((GLOBAL float*)&scene_lights[workgroup_id.x].at)[",
                 "((GLOBAL const float*)&given[workgroup_id.x].value)[",
                 "static inline void store_to_Odd(GLOBAL Odd* to, const Odd from) {\n"
                 "    to->at = from.at;\n    store_to_array_padded_vec3f_2(&to->tail, from.tail);\n}\n",
                 "    for (unsigned i = 0u; i < 2u; ++i) to->elements[i].value = from.elements[i].value;\n",
                 "store_to_Odd(&scene->odd, (Odd){0u < given_length ? given[0u].value : (vec3f){0}, "});
}

TEST_CASE("workgroup memory is zeroed before the workgroup meets") {
    check_lines(
        lowered(R"(
struct Pair { a: u32, b: vec2f }
var<workgroup> tile: array<vec3f, 64>;
var<workgroup> pairs: array<array<Pair, 5>, 3>;
var<workgroup> total: atomic<u32>;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(8, 8) fn main(@builtin(local_invocation_index) i: u32) {
    if y[i] > 0 { tile[i].y = y[i]; pairs[i % 3][i % 5].b.y = 1; atomicAdd(&total, 1); }
    workgroupBarrier();
    y[i] = tile[63 - i].y + pairs[0][1].b.y + f32(atomicLoad(&total));
    storageBarrier();
})"),
        {"    LOCAL array_padded_vec3f_64 tile;\n", "    LOCAL array_array_Pair_5_3 pairs;\n",
         "    LOCAL unsigned total;\n", "    tile.elements[ids[0][0] + ids[0][1] * 8u].value = (vec3f){0};\n",
         "    for (unsigned k = ids[0][0] + ids[0][1] * 8u; k < 15u; k += 64u) "
         "pairs.elements[k / 5u].elements[k % 5u] = (Pair){0};\n",
         "k_2 < 1u; k_2 += 64u) total = 0u;\n    meet();\n", "    meet_all();\n"});
}

TEST_CASE("a dialect's functions replace the text's, and hide no variable") {
    const std::string text = lowered(R"(
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;
@compute @workgroup_size(1) fn kernel(@builtin(workgroup_id) workgroup_id: vec3u) {
    let pair = floor(vec2f(y[workgroup_id.x], y[workgroup_id.y]));
    let floor = floor(y[workgroup_id.x]);
    let ids = vec2f(floor, f32(countOneBits(u[workgroup_id.x])));
    let table = array(1u, 2u, 3u);
    y[workgroup_id.y] = (ids + floor)[workgroup_id.z] + pair.y;
    u[workgroup_id.y] = table[workgroup_id.z];
    loop { if u[0] == 7 { break; } }
})",
                                     true);
    check_lines(
        text, {"const float floor_ = floor(y[workgroup_id.x]);\n",
               "const vec2f ids_ = (vec2f){floor_, (float)ones_u32(u[workgroup_id.x])};\n",
               "unsigned ones_u32(unsigned a) { return count(a); }\n",
               "static inline vec2f floor_vec2f(vec2f a) {\n    return (vec2f){floor(a.x), floor(a.y)};\n}\n",
               "static inline vec2f add_vec2f(vec2f a, vec2f b) {\n",
               "TABLE array_unsigned_3 table = {{1u, 2u, 3u}};\n", "void kernel_(", "        stay();\n"});
}

TEST_CASE("docs/ir.md shows the dialect of these tests") {
    const std::string header = contents_of(MUSTER_SOURCE "/tests/c_text/c_dialect.hpp");
    const std::size_t begin = header.find("/// A kernel is"), end = header.find("// clang-format on");
    REQUIRE(begin < end);
    const std::string page = contents_of(MUSTER_SOURCE "/docs/ir.md");
    CHECK(page.find(header.substr(begin, end - begin)) != std::string::npos);
}

TEST_CASE("docs/ir.md says how much room the conformance cases' arrays and structures take") {
    const auto cases = conformance::load_core_cases();
    REQUIRE(cases);
    std::uint64_t most = 0;
    std::string where;
    for (const conformance::Case& test : *cases) {
        const ValidProgram program = *test.program();
        std::uint64_t bytes = program->needs().private_bytes;
        for (std::uint32_t i = 0; i < program->node_count(); ++i) {
            const Node& node = program->node({i});
            const OpGroup group = info(node.op).group;
            if (group == OpGroup::free) continue;
            const TypeKind kind = program->types()[node.type].kind;
            if (kind == TypeKind::array || kind == TypeKind::structure)
                bytes += program->types()[node.type].size;
        }
        if (bytes > most) {
            most = bytes;
            where = test.name;
        }
    }
    const std::string says = fmt::format("{} bytes (`{}`)", most, where);
    CHECK_MESSAGE(contents_of(MUSTER_SOURCE "/docs/ir.md").find(says) != std::string::npos, says);
}

TEST_CASE("what a dialect's head declares keeps its name") {
    struct HeadDialect final : test::CDialect {
        std::string head(const c_text::Kernel&) override {
            return "// seven in a comment, and /* eight */\n#include <nine.h>\n#define ten(eleven) \\\n    "
                   "twelve\n"
                   "/* thirteen */ static const char fourteen[] = \"fifteen \\\" sixteen\";\n"
                   "static inline int seventeen(int eighteen) { int nineteen = eighteen; return nineteen; "
                   "}\n";
        }
    };
    const auto entry_for = [](const std::string& name) {
        const auto parsed = wgsl::parse(
            "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute "
            "@workgroup_size(1) fn " +
            name + "() { y[0] = 1; }");
        REQUIRE(parsed);
        HeadDialect dialect;
        return c_text::lower(*validate(*parsed), dialect, {}).entry;
    };
    for (const std::string name : {"ten", "fourteen", "seventeen"}) CHECK(entry_for(name) == name + "_2");
    for (const std::string name : {"seven", "eight", "nine", "eleven", "twelve", "thirteen", "fifteen",
                                   "sixteen", "eighteen", "nineteen"})
        CHECK(entry_for(name) == name);
}
