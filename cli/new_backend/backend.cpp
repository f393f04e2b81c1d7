#include "backend.hpp"

#include <array>

#include "device.hpp"
#include "lowering.hpp"

namespace backend_mine {

using namespace muster;

const OpSet& supported_ops() {
    // NEXT 2: list what lower() handles, and let the list grow with it. These are all of examples/saxpy/saxpy.wgsl:
    // static const OpSet few =
    //     OpSet().insert(OpGroup::free).insert(Op::extract).insert(Op::add).insert(Op::mul).insert(Op::load).insert(Op::store);
    // return few;
    return OpSet::all_exact();
}

Result<std::vector<DeviceInfo>> MineBackend::probe() {
    // NEXT 1: ask the driver for its devices. Open it here, with dlopen(), so that the plugin loads where it is missing.
    //     return fail(ErrorCode::not_found, "There is no libmine.so.1.", "install the driver");   // no driver or device
    //     return fail(ErrorCode::unavailable, "mineInit returns 3.", "update the driver");        // something is broken
    return std::vector{device_info()};
}

Result<std::unique_ptr<Device>> MineBackend::open(std::uint32_t ordinal) {
    // NEXT 1: open this device. The probe may have run in another process: nothing that it left behind is needed here.
    if (ordinal != 0) return no_such_device(MUSTER_BACKEND_ID, ordinal, 1);
    return std::make_unique<MineDevice>();
}

std::string MineBackend::default_arch() const { return device_info().arch; }

std::span<const std::string> MineBackend::formats() const {
    static const std::array<std::string, 1> all{text_format};
    return all;
}

Result<Target> MineBackend::describe(std::string_view arch) {
    // NEXT 2: describe machines that aren't here, by what their architecture guarantees: no driver is asked.
    const DeviceInfo info = device_info();
    if (arch != info.arch) return no_such_target(MUSTER_BACKEND_ID, arch, info.arch);
    Target target;
    target.backend = MUSTER_BACKEND_ID;
    target.arch = info.arch;
    target.kind = info.kind;
    target.limits = info.limits;
    target.ops = info.ops;
    target.scalars = info.scalars;
    target.exactness = info.exactness;
    target.subgroup_size = info.subgroup_size;
    return target;
}

Result<Artifact> MineBackend::emit(const ValidProgram& program, const Target& target,
                                   const EmitRequest& request) {
    return lower(program, target.to_string(), request.options);
}

}  // namespace backend_mine
