#include <array>

#include <muster/backend-cuda/backend.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cuda {
namespace {

std::unexpected<Error> no_devices() {
    return fail(ErrorCode::unavailable, "The CUDA backend runs nothing yet; it only emits.",
                "use another backend");
}

}  // namespace

Result<std::vector<DeviceInfo>> CudaBackend::probe() { return no_devices(); }
Result<std::unique_ptr<Device>> CudaBackend::open(std::uint32_t) { return no_devices(); }

std::string CudaBackend::default_arch() const { return "sm_75"; }

std::span<const std::string> CudaBackend::formats() const {
    static const std::array<std::string, 1> all{"cuda"};
    return all;
}

std::span<const SpecInfo> CudaBackend::specs() const { return {}; }

Result<Target> CudaBackend::describe(std::string_view) {
    return fail(ErrorCode::unsupported, "The CUDA backend emits nothing yet.", "use another backend");
}

Result<Artifact> CudaBackend::emit(const ValidProgram& program, const Target&, const EmitRequest& request) {
    TRY(lower(program, {.options = request.options}));
    return fail(ErrorCode::unsupported, "The CUDA backend emits nothing yet.", "use another backend");
}

}  // namespace muster::cuda
