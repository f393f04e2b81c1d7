// Every conformance case as an object emitted for aarch64, linked into one program and run under emulation: it gives the
// interpreter's bits.
#include <cstring>
#include <optional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <muster/backend-cpu/compiler/llvm/target.hpp>
#include <muster/backend-cpu/compiler/output/c_interface.hpp>
#include <muster/backend-cpu/compiler/output/emit.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/conformance/run_case.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>
#include <muster/foundation/ir/grid_barrier.hpp>

#include "backend-cpu/workshop.hpp"
#include "support/split_run.hpp"

using namespace muster;
using namespace muster::conformance;

namespace {

constexpr std::uint32_t subgroup_size = 4;

// This program runs the kernel whose number is its argument. stdin has the workgroups of the grid, how many of them run, the bytes
// of scratch and of the struct of bindings, and the number of buffers; the struct; then for each buffer the place of its
// address in the struct, its bytes and its content. stdout gets the buffers. It ends with 2 if bytes behind one have changed.
constexpr std::string_view runner = R"(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef void kernel(const void*, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, void*);
extern kernel* const kernels[];
enum { guard = 64, most = 64 };
static void get(void* to, size_t bytes) {
    if (fread(to, 1, bytes, stdin) != bytes) exit(3);
}
int main(int argc, char** argv) {
    uint64_t head[7], place[most][2];
    unsigned char* buffers[most];
    if (argc != 2) return 3;
    get(head, sizeof(head));
    unsigned char* bindings = malloc(head[5] + 1);
    void* scratch = malloc(head[4] + 1);
    get(bindings, head[5]);
    for (uint64_t i = 0; i < head[6]; ++i) {
        get(place[i], 16);
        buffers[i] = malloc(place[i][1] + guard);
        get(buffers[i], place[i][1]);
        memset(buffers[i] + place[i][1], 0xab, guard);
        memcpy(bindings + place[i][0], &buffers[i], sizeof(buffers[i]));
    }
    for (int half = 0; half < 2; ++half)
        kernels[atoi(argv[1])](bindings, (uint32_t)head[0], (uint32_t)head[1], (uint32_t)head[2],
                               head[3] * half / 2, head[3] * (half + 1) / 2, scratch);
    for (uint64_t i = 0; i < head[6]; ++i) {
        for (int b = 0; b < guard; ++b)
            if (buffers[i][place[i][1] + b] != 0xab) return 2;
        fwrite(buffers[i], 1, place[i][1], stdout);
    }
    return 0;
}
)";

struct Emitted {
    std::string object;
    cpu::CInterface interface;
};

Result<Emitted> emit(const ValidProgram& program, const std::string& symbol) {
    const cpu::CompileRequest request{
        .target = {"aarch64", false},
        .options = {.subgroup_size = program->needs().subgroups ? subgroup_size : 0},
        .format = "object",
        .symbol = symbol};
    const cpu::Machine machine = TRY(cpu::make_machine(request.target));
    const ValidProgram expanded = TRY(expand(program, cpu::supported_ops(), subgroup_size));
    llvm::LLVMContext context;
    cpu::LoweredKernel kernel = TRY(cpu::lower(context, expanded,
                                               {.width = machine.default_width(),
                                                .may_choose_width = true,
                                                .machine = machine.traits,
                                                .options = request.options,
                                                .debug = true}));
    cpu::CInterface interface = TRY(cpu::c_interface(*expanded, symbol, kernel.scratch_bytes));
    cpu::Emission emission = TRY(cpu::emit(std::move(kernel), *expanded, machine, request));
    return Emitted{std::move(emission.bytes), std::move(interface)};
}

void append(std::string& to, const void* from, std::size_t bytes) {
    to.append(static_cast<const char*>(from), bytes);
}
void append(std::string& to, std::uint64_t number) { append(to, &number, sizeof(number)); }

/// Kernels for aarch64, first emitted, then linked into one program, then run.
class Emulator {
  public:
    bool is_there() const { return shop_.has("aarch64-linux-gnu-gcc") && shop_.has("qemu-aarch64"); }

    /// Returns the kernel's number.
    Result<std::size_t> add(const ValidProgram& program) {
        const std::string symbol = fmt::format("kernel_{}", interfaces_.size());
        Emitted emitted = TRY(emit(program, symbol));
        shop_.write(symbol + ".o", emitted.object);
        interfaces_.push_back(std::move(emitted.interface));
        return interfaces_.size() - 1;
    }

    void link() const {
        std::string main(runner), table = "kernel* const kernels[] = {";
        for (const cpu::CInterface& interface : interfaces_) {
            main += fmt::format("extern kernel {}_part;\n", interface.name);
            table += interface.name + "_part, ";
        }
        shop_.write("main.c", main + table + "};\n");
        shop_.must("aarch64-linux-gnu-gcc -O1 -static main.c kernel_*.o -o program");
    }

    Result<void> run(std::size_t kernel, std::span<const BoundBytes> bound, const LaunchGrid& grid) const {
        const cpu::CInterface& interface = interfaces_[kernel];
        std::string bindings(interface.bindings_bytes, '\0'), buffers, input;
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < bound.size(); ++i) {
            const cpu::CBinding& binding = interface.bindings[i];
            const std::uint64_t bytes = bound[i].bytes.size();
            if (binding.by_value) {
                std::memcpy(bindings.data() + binding.offset, bound[i].bytes.data(), bytes);
                continue;
            }
            if (binding.has_count) {
                const std::uint64_t elements = (bytes - binding.fixed_bytes) / binding.stride;
                std::memcpy(bindings.data() + binding.count_offset, &elements, sizeof(elements));
            }
            append(buffers, binding.offset);
            append(buffers, bytes);
            append(buffers, bound[i].bytes.data(), bytes);
            ++count;
        }
        for (const std::uint64_t number :
             {std::uint64_t{grid.grid.x}, std::uint64_t{grid.grid.y}, std::uint64_t{grid.grid.z},
              grid.extent.count(), interface.scratch_bytes, interface.bindings_bytes, count})
            append(input, number);
        shop_.write("input", input + bindings + buffers);
        const auto ran = shop_.run(fmt::format("qemu-aarch64 ./program {} <input >output", kernel));
        if (ran.exit != 0)
            return fail(ErrorCode::internal, fmt::format("It ended with {}: {}", ran.exit, ran.out));
        const std::string output = shop_.must("cat output");
        std::size_t at = 0;
        for (std::size_t i = 0; i < bound.size(); ++i) {
            if (interface.bindings[i].by_value) continue;
            REQUIRE(at + bound[i].bytes.size() <= output.size());
            if (!bound[i].bytes.empty())
                std::memcpy(bound[i].bytes.data(), output.data() + at, bound[i].bytes.size());
            at += bound[i].bytes.size();
        }
        return {};
    }

  private:
    test::Workshop shop_;
    std::vector<cpu::CInterface> interfaces_;
};

/// A program that the driver splits at its grid barriers, each part a kernel.
class EmulatedParts final : public test::InterpretedParts {
  public:
    EmulatedParts(const Emulator& emulator, std::size_t first, const SplitProgram& split,
                  std::vector<Words>& memory, Extent3 workgroups)
        : InterpretedParts(split, memory, workgroups), emulator_(emulator), first_(first) {}

  private:
    Result<void> launch(std::uint32_t part, std::span<const BoundBytes> bound,
                        const LaunchGrid& grid) override {
        return emulator_.run(first_ + part, bound, grid);
    }
    const Emulator& emulator_;
    const std::size_t first_;
};

struct EmulatedCase {
    Case test;
    ValidProgram program;
    std::optional<SplitProgram> split;
    std::size_t first = 0;  // of its kernels
};

Result<EmulatedCase> emulated(const Case& test, Emulator& emulator) {
    EmulatedCase made{test, TRY(test.program()), {}, 0};
    if (!has_grid_barriers(*made.program)) {
        made.first = TRY(emulator.add(made.program));
        return made;
    }
    made.split = TRY(split_at_grid_barriers(made.program));
    for (std::size_t part = 0; part < made.split->parts.size(); ++part) {
        const std::size_t kernel = TRY(emulator.add(made.split->parts[part].program));
        if (part == 0) made.first = kernel;
    }
    return made;
}

Result<Outputs> run(const EmulatedCase& one, const Emulator& emulator) {
    Outputs values = TRY(inputs_of(one.test, *one.program));
    const Extent3 grid = TRY(workgroups(one.test.grid, one.program->workgroup_size()));
    if (!one.split) {
        std::vector<BoundBytes> bound;
        for (Values& value : values) bound.push_back({std::as_writable_bytes(std::span(value.words))});
        TRY(emulator.run(one.first, bound, {.extent = grid, .grid = grid}));
        return values;
    }
    std::vector<std::vector<std::uint32_t>> memory;
    for (const Values& value : values) memory.push_back(value.words);
    EmulatedParts parts(emulator, one.first, *one.split, memory, grid);
    GridWalk walk(*one.split, grid, test::sizes_of(memory));
    if (auto ended = walk.go_on(parts, 100'000); !ended) return std::unexpected(ended.error());
    for (std::size_t i = 0; i < values.size(); ++i) values[i].words = memory[i];
    return values;
}

}  // namespace

TEST_SUITE_BEGIN("emulated");

TEST_CASE("every conformance case, emitted for aarch64, gives the interpreter's bits under emulation") {
    Emulator emulator;
    if (!emulator.is_there()) {
        MESSAGE("no compiler or no emulator for aarch64 here: not run");
        return;
    }
    const auto cases = load_cases();
    REQUIRE(cases);
    std::vector<EmulatedCase> all;
    for (const Case& test : *cases) {
        CAPTURE(test.name);
        auto made = emulated(test, emulator);
        REQUIRE_MESSAGE(made, (made ? "" : made.error().to_string()));
        all.push_back(*std::move(made));
    }
    emulator.link();
    for (const EmulatedCase& one : all) {
        CAPTURE(one.test.name);
        const auto expected =
            run_interpreted(one.test, one.program, {.seed = 1, .subgroup_size = subgroup_size});
        REQUIRE_MESSAGE(expected, (expected ? "" : expected.error().to_string()));
        const auto actual = run(one, emulator);
        REQUIRE_MESSAGE(actual, (actual ? "" : actual.error().to_string()));
        CHECK(first_difference(*one.program, expected->outputs, *actual, false) == "");
    }
}

TEST_SUITE_END();
