// driver/device/copy_kernels.cpp of programs that link muster::runtime, which compiles no kernel: its
// device, the processor, copies and fills without them.
#include <muster/driver/device/copy_kernels.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster {
namespace {

const ValidProgram& nothing() {
    static const ValidProgram program = validate(IrBuilder("copies", {1, 1, 1}).finish().value()).value();
    return program;
}

}  // namespace

const ValidProgram& copy_words() { return nothing(); }
const ValidProgram& copy_words_within() { return nothing(); }
const ValidProgram& fill_words() { return nothing(); }

}  // namespace muster
