#include "lowering/run_lowered.hpp"

#include <cstdlib>
#include <memory>

#include <muster/foundation/expand.hpp>
#include <muster/foundation/try.hpp>

namespace muster::test {

using namespace muster::cpu;

Result<conformance::Outputs> run_lowered(const conformance::Case& test, const ValidProgram& program,
                                         std::uint32_t width) {
    conformance::Outputs values = TRY(conformance::inputs_of(test, program));
    const ValidProgram expanded = TRY(expand(program, OpSet::all_exact()));
    const CompileTarget target{"x86-64-v1", true};
    const Machine machine = TRY(make_machine(target));
    llvm::LLVMContext context;
    const LowerOptions options{.width = width, .machine = machine.traits};
    LoweredKernel kernel = TRY(lower(context, expanded, options));
    if (std::getenv("MUSTER_DUMP")) kernel.module->print(llvm::errs(), nullptr);
    const std::uint64_t scratch_bytes = kernel.scratch_bytes;
    const auto bytes = TRY(build_image(std::move(kernel), target, machine, width));
    const MappedImage image = TRY(MappedImage::map(bytes));
    std::vector<KernelBinding> bindings;
    for (conformance::Values& value : values)
        bindings.push_back({reinterpret_cast<std::byte*>(value.words.data()), value.words.size() * 4});
    const Extent3 grid = TRY(workgroups(test.grid, program->workgroup_size()));
    const KernelArguments arguments{.bindings = bindings.data(),
                                    .origin = {0, 0, 0},
                                    .extent = {grid.x, grid.y, grid.z},
                                    .grid = {grid.x, grid.y, grid.z}};
    const std::uint64_t size =
        (scratch_bytes + scratch_align - 1) / scratch_align * scratch_align + scratch_align;
    const std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(scratch_align, size), std::free);
    image.kernel()(&arguments, 0, grid.count(), static_cast<std::byte*>(scratch.get()));
    return values;
}

}  // namespace muster::test
