#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <muster/backend-cpu/compiler/lowering/debug_info.hpp>
#include <muster/backend-cpu/compiler/output/c_header.hpp>
#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/backend-cpu/compiler/output/emit.hpp>
#include <muster/foundation/validate/validate.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

#include "backend-cpu/kernels.hpp"
#include "backend-cpu/workshop.hpp"

using namespace muster;
using namespace muster::cpu;
using test::Workshop;

namespace {

constexpr std::string_view saxpy_wgsl = R"(@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn saxpy(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    let old = y[i];
    let scaled = a * x[i];
    y[i] = scaled + old;
}
)";
constexpr std::uint32_t load_line = 8, store_line = 9;

ValidProgram parse(std::string_view text, std::string_view file = "kernels/saxpy.wgsl") {
    auto program = wgsl::parse(text, {.file = std::string(file)});
    if (!program) FAIL(program.error().to_string());
    auto valid = validate(*std::move(program));
    if (!valid) FAIL(valid.error().to_string());
    return *std::move(valid);
}

NodeId node_at(const Program& program, Op op, std::uint32_t line) {
    for (std::uint32_t i = 0; i < program.node_count(); ++i)
        if (program.node({i}).op == op && program.location({i}).line == line) return {i};
    FAIL("no such node in line " << line);
    return {};
}

/// Lowers saxpy_ir as if it had come from saxpy_wgsl: loads are of x, stores of y.
LoweredKernel saxpy_kernel(llvm::LLVMContext& context, const Program& program, std::uint64_t scratch = 0) {
    LoweredKernel kernel{test::parse_ir(context, test::saxpy_ir), scratch, 0};
    DebugInfo debug(*kernel.module, program, {});
    llvm::Function& function = *kernel.module->getFunction("muster_kernel");
    debug.enter(function);
    const NodeId load = node_at(program, Op::load, load_line),
                 store = node_at(program, Op::store, store_line);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        const bool stores = call && call->getIntrinsicID() == llvm::Intrinsic::masked_store;
        instruction.setDebugLoc(debug.at(stores ? store : load));
    }
    return kernel;
}

Result<Emission> emit_saxpy(const std::string& arch, const std::string& format,
                            const std::string& symbol = {}, std::uint64_t scratch = 0,
                            std::string_view ir = {}) {
    const ValidProgram program = parse(saxpy_wgsl);
    const CompileRequest request{.target = {arch, false}, .format = format, .symbol = symbol};
    auto machine = make_machine(request.target);
    REQUIRE(machine);
    llvm::LLVMContext context;
    LoweredKernel kernel = ir.empty() ? saxpy_kernel(context, *program, scratch)
                                      : LoweredKernel{test::parse_ir(context, ir), scratch, 0};
    return emit(std::move(kernel), *program, *machine, request);
}

Emission emitted(const std::string& arch, const std::string& format, const std::string& symbol = {},
                 std::uint64_t scratch = 0, std::string_view ir = {}) {
    auto emission = emit_saxpy(arch, format, symbol, scratch, ir);
    if (!emission) FAIL(emission.error().to_string());
    return *std::move(emission);
}

std::string header_of(std::string_view text, const std::string& symbol = {}, std::uint64_t scratch = 0) {
    const ValidProgram program = parse(text);
    const auto interface = c_interface(*program, symbol, scratch);
    if (!interface) FAIL(interface.error().to_string());
    return c_header(*program, *interface, "x86-64-v3", {});
}

/// A C program that runs saxpy as a whole and in two parts, and prints "right".
constexpr std::string_view saxpy_main = R"(#include "saxpy.h"
#include <stdio.h>
int main(void) {
    static float x[1000], y[1064];
    struct saxpy_bindings bindings;
    size_t i;
    uint64_t groups = (1000 + SAXPY_WORKGROUP_X - 1) / SAXPY_WORKGROUP_X;
    for (i = 0; i < 1000; ++i) x[i] = (float)i;
    for (i = 0; i < 1064; ++i) y[i] = 1;
    bindings.a = 3;
    bindings.x = x;
    bindings.x_count = 1000;
    bindings.y = y;
    bindings.y_count = 1000;
    saxpy(&bindings, (uint32_t)groups, 1, 1);
    saxpy_part(&bindings, (uint32_t)groups, 1, 1, 0, groups / 2, NULL);
    saxpy_part(&bindings, (uint32_t)groups, 1, 1, groups / 2, groups, NULL);
    saxpy(&bindings, 0, 1, 1);
    for (i = 0; i < 1064; ++i)
        if (y[i] != (i < 1000 ? 6 * (float)i + 1 : 1)) return 1;
    puts("right");
    return 0;
}
)";

constexpr std::string_view strict_c = " -std=c99 -Wall -Wextra -Wpedantic -Werror ";
constexpr std::string_view strict_cpp = " -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror ";

std::string gcc(std::string_view flags, const std::string& rest) { return "gcc" + std::string(flags) + rest; }

}  // namespace

TEST_CASE("an object links into a C program without muster") {
    const Workshop shop;
    const Emission object = emitted("x86-64-v1", "object");
    CHECK(object.header_name == "saxpy.h");
    shop.write("saxpy.h", object.header);
    shop.write("saxpy.o", object.bytes);
    shop.write("main.c", saxpy_main);
    shop.must(gcc(strict_c, "main.c saxpy.o -o program"));
    CHECK(shop.must("./program") == "right\n");
    shop.must(gcc(strict_cpp, "main.c -x none saxpy.o -o program"));
    CHECK(shop.must("./program") == "right\n");
    shop.must("gcc -shared saxpy.o -o libsaxpy.so");
    CHECK(shop.must("nm --defined-only -g saxpy.o | cut -d' ' -f3") == "saxpy\nsaxpy_part\n");
    CHECK(shop.must("nm -u saxpy.o") == "");
}

TEST_CASE("assembly assembles, and is the same kernel") {
    const Workshop shop;
    const Emission assembly = emitted("x86-64-v1", "asm");
    shop.write("saxpy.h", assembly.header);
    shop.write("saxpy.s", assembly.bytes);
    shop.write("main.c", saxpy_main);
    shop.must(gcc(strict_c, "main.c saxpy.s -o program"));
    CHECK(shop.must("./program") == "right\n");
}

TEST_CASE("LLVM IR is text that LLVM reads") {
    const Emission ir = emitted("x86-64-v3", "llvm-ir");
    llvm::LLVMContext context;
    const auto module = test::parse_ir(context, ir.bytes);
    CHECK(module->getFunction("saxpy") != nullptr);
    CHECK(module->getFunction("saxpy_kernel")->hasInternalLinkage());
    CHECK(module->getFunction("muster_kernel") == nullptr);
}

TEST_CASE("aarch64 objects run") {
    const Workshop shop;
    if (!shop.has("aarch64-linux-gnu-gcc") || !shop.has("qemu-aarch64")) {
        MESSAGE("no compiler or no emulator for aarch64 here: not run");
        return;
    }
    const Emission object = emitted("aarch64", "object");
    shop.write("saxpy.h", object.header);
    shop.write("saxpy.o", object.bytes);
    shop.write("main.c", saxpy_main);
    shop.must("aarch64-linux-gnu-" + gcc(strict_c, "-static main.c saxpy.o -o program"));
    CHECK(shop.must("qemu-aarch64 ./program") == "right\n");
}

TEST_CASE("each x86-64 level gives its own code") {
    const auto has = [](const std::string& arch, std::string_view what) {
        return emitted(arch, "asm").bytes.find(what) != std::string::npos;
    };
    CHECK(has("x86-64-v4", "%zmm"));
    CHECK(!has("x86-64-v3", "%zmm"));
    CHECK(has("x86-64-v3", "%ymm"));
    CHECK(!has("x86-64-v2", "%ymm"));
}

TEST_CASE("a fault is found at its line of the program") {
    const Workshop shop;
    const Emission object = emitted("x86-64-v1", "object");
    shop.write("saxpy.h", object.header);
    shop.write("saxpy.o", object.bytes);
    shop.write("main.c", R"(#define _GNU_SOURCE
#include "saxpy.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
static void caught(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    printf("%#llx\n", (unsigned long long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
    exit(0);
}
int main(int count, char **arguments) {
    static float x[64];
    struct saxpy_bindings bindings = {3, x, 64, NULL, 64};
    struct sigaction action;
    (void)arguments;
    action.sa_sigaction = caught;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    /* y can be read and not written, or x isn't there at all */
    bindings.y = (float *)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (count > 1) bindings.x = (const float *)16;
    saxpy(&bindings, 1, 1, 1);
    return 1;
}
)");
    shop.must("gcc -no-pie main.c saxpy.o -o program");
    const std::string store = shop.must("./program"), load = shop.must("./program x");
    CHECK(shop.must("addr2line -e program " + store).starts_with("kernels/saxpy.wgsl:9"));
    CHECK(shop.must("addr2line -e program " + load).starts_with("kernels/saxpy.wgsl:8"));

    // The map gives the same lines as the object's own debug information.
    const std::string symbols = shop.must("nm program | grep ' saxpy_kernel$'");
    const std::string in_object = shop.must("nm saxpy.o | grep ' saxpy_kernel$'");
    const std::uint64_t offset = std::stoull(store, nullptr, 16) - std::stoull(symbols, nullptr, 16) +
                                 std::stoull(in_object, nullptr, 16);
    const auto after = std::ranges::upper_bound(object.debug_map, offset, {}, &DebugEntry::target);
    REQUIRE(after != object.debug_map.begin());
    const ValidProgram program = parse(saxpy_wgsl);
    CHECK(std::prev(after)->node == node_at(*program, Op::store, store_line));
    CHECK(std::prev(after)->source.line == store_line);
    CHECK(std::prev(after)->source.column > 0);
}

TEST_CASE("the map of each text leads from its lines to nodes") {
    const ValidProgram program = parse(saxpy_wgsl);
    const NodeId store = node_at(*program, Op::store, store_line);
    const std::map<std::string, std::string> shown{{"asm", "maskmov"}, {"llvm-ir", "masked.store"}};
    for (const auto& [format, word] : shown) {
        const Emission text = emitted("x86-64-v3", format);
        REQUIRE(!text.debug_map.empty());
        CHECK(std::ranges::is_sorted(text.debug_map, {}, &DebugEntry::target));
        std::vector<std::string> lines;
        std::istringstream in(text.bytes);
        for (std::string line; std::getline(in, line);) lines.push_back(line);
        bool found = false;
        for (std::size_t i = 0; i < text.debug_map.size(); ++i) {
            if (text.debug_map[i].node != store) continue;
            CHECK(text.debug_map[i].source.line == store_line);
            const std::uint64_t end =
                i + 1 < text.debug_map.size() ? text.debug_map[i + 1].target : lines.size() + 1;
            for (std::uint64_t line = text.debug_map[i].target; line < end; ++line)
                found = found || lines[line - 1].find(word) != std::string::npos;
        }
        CHECK_MESSAGE(found, format);
    }
}

TEST_CASE("the C face follows WGSL's layout, as C99 and as C++") {
    constexpr std::string_view text = R"(enable muster_int8_int16;
struct Small { a: u8, b: vec3<i8>, c: array<u16, 3>, d: f32 }
struct Params { first: vec3<f32>, count: u32, scale: vec2<f32>, matrix: array<vec4<f32>, 2> }
struct Particle { position: vec3<f32>, velocity: vec3<f32>, kind: u32 }
struct Log { used: atomic<u32>, int: i32, origin: vec3<f32>, last: Particle, entries: array<vec3<u32>> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> log_of: Log;
@group(0) @binding(3) var<storage, read_write> signed: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read> signed_count: array<i32, 8>;
@group(0) @binding(5) var<uniform> last: vec3<i32>;
@group(0) @binding(6) var<storage, read> small: array<Small>;
@compute @workgroup_size(8, 4, 2)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = particles[id.x];
    atomicAdd(&log_of.used, p.kind + params.count + u32(signed_count[id.y] + last.x));
    log_of.entries[id.x] = vec3<u32>(id.x, 1, 2);
    signed[id.x] = f32(small[id.z].b.y) + params.scale + p.position.xy + params.matrix[1].xy + params.first.xy;
}
)";
    const Workshop shop;
    shop.write("main_kernel.h", header_of(text, "main_kernel"));
    shop.write("main.c", R"(#include "main_kernel.h"
#define OFFSET(s, m, n) { char check[offsetof(struct s, m) == n ? 1 : -1]; (void)check; }
int main(void) {
    struct main_kernel_bindings b;
    b.small = 0;
    const struct main_kernel_Particle *particles = b.particles = 0;
    struct main_kernel_Log *log_of = b.log_of = 0;
    float *pairs = b.signed_ = 0;
    const int32_t *eight = b.signed_count = 0;
    size_t counts = b.particles_count = b.log_of_count = b.signed__count = 0;
    OFFSET(main_kernel_Params, first, 0) OFFSET(main_kernel_Params, count, 12) OFFSET(main_kernel_Params, scale, 16)
    OFFSET(main_kernel_Params, matrix, 32)
    OFFSET(main_kernel_Particle, position, 0) OFFSET(main_kernel_Particle, velocity, 16) OFFSET(main_kernel_Particle, kind, 28)
    OFFSET(main_kernel_Log, used, 0) OFFSET(main_kernel_Log, int_, 4) OFFSET(main_kernel_Log, origin, 16)
    OFFSET(main_kernel_Log, last, 32) OFFSET(main_kernel_Log, entries, 64)
    OFFSET(main_kernel_Small, b, 4) OFFSET(main_kernel_Small, c, 8) OFFSET(main_kernel_Small, d, 16)
    const int8_t *bytes = b.small ? b.small->b : 0;
    OFFSET(main_kernel_bindings, params, 0) OFFSET(main_kernel_bindings, particles, 64)
    b.params.matrix[1][3] = 1;
    b.last[2] = 3;
    (void)particles, (void)log_of, (void)pairs, (void)eight, (void)bytes;
    return (int)counts + (MAIN_KERNEL_WORKGROUP_X * 100 + MAIN_KERNEL_WORKGROUP_Y * 10 + MAIN_KERNEL_WORKGROUP_Z != 842);
}
)");
    shop.must(gcc(strict_c, "main.c -o program && ./program"));
    shop.must(gcc(strict_cpp, "main.c -o program && ./program"));
}

TEST_CASE("the entry point gives the kernel what stands in the struct") {
    // The kernel writes its arguments to the last binding: the bytes and the first word of each binding, then
    // the rest.
    constexpr std::string_view dump = R"(
define void @muster_kernel(ptr %arguments, i64 %begin, i64 %end, ptr %scratch) {
  %bindings = load ptr, ptr %arguments
  %out.at = getelementptr { ptr, i64 }, ptr %bindings, i64 2
  %out = load ptr, ptr %out.at
  %b0 = getelementptr { ptr, i64 }, ptr %bindings, i64 0, i32 1
  %bytes0 = load i64, ptr %b0
  store i64 %bytes0, ptr %out, align 4
  %d0 = load ptr, ptr %bindings
  %v0 = load i32, ptr %d0
  %o1 = getelementptr i64, ptr %out, i64 1
  store i32 %v0, ptr %o1
  %b1 = getelementptr { ptr, i64 }, ptr %bindings, i64 1, i32 1
  %bytes1 = load i64, ptr %b1
  %o2 = getelementptr i64, ptr %out, i64 2
  store i64 %bytes1, ptr %o2, align 4
  %b2 = getelementptr { ptr, i64 }, ptr %bindings, i64 2, i32 1
  %bytes2 = load i64, ptr %b2
  %o3 = getelementptr i64, ptr %out, i64 3
  store i64 %bytes2, ptr %o3, align 4
  %o4 = getelementptr i64, ptr %out, i64 4
  store i64 %begin, ptr %o4, align 4
  %o5 = getelementptr i64, ptr %out, i64 5
  store i64 %end, ptr %o5, align 4
  %low = ptrtoint ptr %scratch to i64
  %odd = and i64 %low, 63
  %o6 = getelementptr i64, ptr %out, i64 6
  store i64 %odd, ptr %o6, align 4
  %launch.at = getelementptr i8, ptr %arguments, i64 8
  %launch = load <9 x i32>, ptr %launch.at, align 4
  %o7 = getelementptr i64, ptr %out, i64 7
  store <9 x i32> %launch, ptr %o7, align 4
  %scratch.end = getelementptr i8, ptr %scratch, i64 SIZE
  store i8 1, ptr %scratch.end
  ret void
}
)";
    constexpr std::string_view main = R"(#include "saxpy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static union { float f[64]; uint64_t u[32]; uint32_t w[64]; } y;
static int wrong(uint64_t begin, uint64_t end) {
    static const uint32_t launch[9] = {0, 0, 0, 5, 4, 3, 5, 4, 3};
    float one = 1.5f;
    return y.u[0] != 4 || memcmp(&y.u[1], &one, 4) != 0 || y.u[2] != 28 || y.u[3] != 256 || y.u[4] != begin ||
        y.u[5] != end || y.u[6] != 0 || memcmp(&y.u[7], launch, 36) != 0;
}
int main(void) {
    struct saxpy_bindings bindings = {1.5f, y.f, 7, y.f, 64};
    char *scratch = (char *)malloc(SAXPY_SCRATCH_BYTES + 1), *end = scratch + SAXPY_SCRATCH_BYTES;
    *end = 77;
    saxpy(&bindings, 5, 4, 3 WHOLE);
    if (wrong(0, 60)) return 1;
    saxpy_part(&bindings, 5, 4, 3, 2, 9, scratch);
    if (wrong(2, 9)) return 2;
    y.u[0] = 99;
    saxpy_part(&bindings, 5, 4, 3, 9, 9, scratch);
    saxpy(&bindings, 5, 0, 3 WHOLE);
    if (y.u[0] != 99) return 3;
    return *end == 77 ? 0 : 4;
}
)";
    const auto put = [](std::string_view text, std::string_view from, std::string_view to) {
        std::string result(text);
        for (auto at = result.find(from); at != result.npos; at = result.find(from, at + to.size()))
            result.replace(at, from.size(), to);
        return result;
    };
    for (const std::uint64_t scratch : std::initializer_list<std::uint64_t>{32 * 1024, 32 * 1024 + 1}) {
        const Workshop shop;
        const Emission object =
            emitted("x86-64-v1", "object", "", scratch, put(dump, "SIZE", std::to_string(scratch - 1)));
        shop.write("saxpy.h", object.header);
        shop.write("saxpy.o", object.bytes);
        shop.write("main.c", put(main, "WHOLE", scratch > 32 * 1024 ? ", scratch" : ""));
        shop.must(gcc(strict_c, "main.c saxpy.o -o program && ./program"));
    }
}

TEST_CASE("names are made C's, or refused") {
    CHECK(c_identifier("plain_1") == "plain_1");
    CHECK(c_identifier("register") == "register_");
    CHECK(c_identifier("xor_eq") == "xor_eq_");
    CHECK(c_identifier("NULL") == "NULL_");
    CHECK(c_identifier("\xC3\xA9t") == "xC3xA9t");
    const Emission named = emitted("x86-64-v1", "object", "my_kernel");
    CHECK(named.header_name == "my_kernel.h");
    CHECK(named.header.find("void my_kernel_part(const struct my_kernel_bindings *bindings,") !=
          std::string::npos);
    const auto default_name = [](std::string_view file) {
        return c_interface(*parse("@compute @workgroup_size(1) fn main() {}", file), "", 0)->name;
    };
    CHECK(default_name("kernels/1-reduce.wgsl") == "_1x2Dreduce");
    CHECK(default_name("a.b/scan.fast.wgsl") == "scan");
    CHECK(default_name("main.wgsl") == "main_kernel");
    for (const char* symbol : {"main", "1st", "a-b", "while"}) {
        const auto refused = emit_saxpy("x86-64-v1", "object", symbol);
        REQUIRE(!refused);
        CHECK(refused.error().code == ErrorCode::invalid_argument);
        CHECK(refused.error().message ==
              "\"" + std::string(symbol) + "\" can't be the name of a C function.");
    }
}

TEST_CASE("a file's name can't end the header's comment") {
    const ValidProgram program = parse(saxpy_wgsl, "a*/b\nc.wgsl");
    const auto interface = c_interface(*program, "", 0);
    REQUIRE(interface);
    const std::string header = c_header(*program, *interface, "aarch64", {});
    CHECK(header.find("a?/b?c.wgsl") != std::string::npos);
}

TEST_CASE("an object that needs something isn't emitted") {
    const std::string ir =
        "declare float @llvm.sin.f32(float)\n"
        "define void @muster_kernel(ptr %a, i64 %b, i64 %e, ptr %s) {\n"
        "%x = load float, ptr %s\n%y = call float @llvm.sin.f32(float %x)\n"
        "store float %y, ptr %s\nret void\n}\n";
    for (const char* format : {"object", "asm"}) {
        const auto emission = emit_saxpy("x86-64-v3", format, "", 0, ir);
        REQUIRE(!emission);
        CHECK(emission.error().to_string() ==
              "The kernel's code can't stand alone: it needs sinf, which nothing defines.");
    }
    const auto unknown = emit_saxpy("x86-64-v3", "wasm");
    REQUIRE(!unknown);
    CHECK(unknown.error().code == ErrorCode::unsupported);
}
