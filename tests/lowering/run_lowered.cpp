#include "lowering/run_lowered.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <muster/backend-cpu/device/device.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/foundation/expand/expand.hpp>

#include "support/guarded_memory.hpp"

namespace muster::test {

using namespace muster::cpu;

namespace {

/// The grid as two boxes, if it can be divided: the second one doesn't begin at 0.
std::vector<KernelArguments> boxes(const Extent3& grid) {
    KernelArguments whole{.bindings = nullptr,
                          .origin = {0, 0, 0},
                          .extent = {grid.x, grid.y, grid.z},
                          .grid = {grid.x, grid.y, grid.z}};
    const auto longest = std::max_element(std::begin(whole.extent), std::end(whole.extent)) - whole.extent;
    if (whole.extent[longest] < 2) return {whole};
    KernelArguments second = whole;
    whole.extent[longest] /= 2;
    second.origin[longest] = whole.extent[longest];
    second.extent[longest] -= whole.extent[longest];
    return {whole, second};
}

}  // namespace

Lowered::Lowered(CompileTarget target, Machine machine, std::uint32_t width)
    : target_(std::move(target)),
      machine_(std::move(machine)),
      width_(width),
      context_(std::make_unique<llvm::LLVMContext>()) {}

Result<Lowered> Lowered::make(const ValidProgram& program, std::uint32_t width, bool may_choose_width,
                              bool for_this_machine) {
    const CompileTarget target{"x86-64-v1", for_this_machine};
    Lowered made(target, TRY(make_machine(target)), width);
    const LowerOptions options{.width = width,
                               .may_choose_width = may_choose_width,
                               .machine = made.machine_.traits,
                               .options = {.subgroup_size = program->needs().subgroups ? width : 0}};
    const ValidProgram expanded = TRY(expand(program, supported_ops(), width));
    made.kernel_ = TRY(lower(*made.context_, expanded, options));
    made.width_ = made.kernel_.width;
    if (std::getenv("MUSTER_DUMP")) made.module().print(llvm::errs(), nullptr);
    return made;
}

Result<MappedImage> Lowered::build() && {
    return MappedImage::map(TRY(build_image(std::move(kernel_), target_, machine_, width_)).bytes);
}

Result<conformance::Outputs> run_image(const MappedImage& image, const conformance::Case& test,
                                       const ValidProgram& program) {
    conformance::Outputs values = TRY(conformance::inputs_of(test, program));
    std::vector<std::unique_ptr<GuardedMemory>> memory;
    std::vector<KernelBinding> bindings;
    for (const conformance::Values& value : values) {
        const std::uint64_t bytes = value.words.size() * 4;
        memory.push_back(std::make_unique<GuardedMemory>(bytes));
        if (bytes > 0) std::memcpy(memory.back()->data(), value.words.data(), bytes);
        bindings.push_back({memory.back()->data(), bytes});
    }
    const GuardedMemory scratch(round_up(image.header().scratch_bytes, scratch_align));
    const Extent3 grid = TRY(workgroups(test.grid, program->workgroup_size()));
    for (KernelArguments arguments : boxes(grid)) {
        arguments.bindings = bindings.data();
        const std::uint64_t count =
            std::uint64_t{arguments.extent[0]} * arguments.extent[1] * arguments.extent[2];
        image.kernel()(&arguments, 0, count / 2, scratch.data());
        image.kernel()(&arguments, count / 2, count, scratch.data());
    }
    bool intact = scratch.is_intact();
    for (std::size_t i = 0; i < values.size(); ++i) {
        intact = intact && memory[i]->is_intact();
        if (bindings[i].bytes > 0) std::memcpy(values[i].words.data(), bindings[i].data, bindings[i].bytes);
    }
    if (!intact) return fail(ErrorCode::internal, "The kernel wrote before a binding or before its scratch.");
    return values;
}

Result<conformance::Outputs> run_lowered(const conformance::Case& test, const ValidProgram& program,
                                         std::uint32_t width, bool may_choose_width) {
    const MappedImage image = TRY(TRY(Lowered::make(program, width, may_choose_width)).build());
    return run_image(image, test, program);
}

}  // namespace muster::test
