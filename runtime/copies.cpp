// driver/session/copies.cpp of programs that link muster::runtime: the kernels that copy and fill can't be compiled.
#include <muster/driver/session/copies.hpp>
#include <muster/foundation/build/ir_builder.hpp>

namespace muster {
namespace {

std::unexpected<Error> no_transfers() {
    return fail(
        ErrorCode::unavailable,
        "This program links muster::runtime, which compiles nothing, and copies and fills on a device "
        "are kernels.",
        "write and read the buffers instead, or link muster::muster and muster::backend_cpu");
}

}  // namespace

Result<Transfer> Transfer::copy(const BufferRange&, const BufferRange&) { return no_transfers(); }
Result<Transfer> Transfer::fill(const BufferRange&, std::uint32_t) { return no_transfers(); }

struct TransferLaunches::Made {};

// The rest is never called: there is no transfer.

const ValidProgram& Transfer::program() const {
    static const ValidProgram nothing = validate(IrBuilder("nothing", {1, 1, 1}).finish().value()).value();
    return nothing;
}
Result<TransferLaunches> TransferLaunches::make(const Session::State&, DeviceContext&, const Transfer&) {
    return no_transfers();
}
void TransferLaunches::append_to(std::vector<BoundLaunch>&) const {}
std::shared_ptr<DeviceContext> Transfer::device() const { return nullptr; }

}  // namespace muster
