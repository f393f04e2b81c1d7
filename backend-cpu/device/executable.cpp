#include <fmt/format.h>

#include <muster/backend-cpu/device/executable.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

Result<void> check_machine(const ImageHeader& header) {
    const std::string_view arch = header.arch.data(), features = header.features.data();
    const ArchTraits* traits = arch_traits(arch);
    const std::string_view missing = missing_feature(features);
    if (traits != nullptr && traits->runs_here && missing.empty()) return {};
    return fail(ErrorCode::unsupported,
                fmt::format("The kernel is compiled for {}{}{}, which this machine, {}, doesn't have.", arch,
                            missing.empty() ? "" : " with ", missing, host().arch),
                "compile it on this machine");
}

}  // namespace

Result<std::unique_ptr<Executable>> load_image(const Artifact& artifact) {
    if (artifact.format != "image") return not_loadable("CPU", "images", artifact.format);
    MappedImage image = TRY(MappedImage::map(artifact.bytes));
    TRY(check_machine(image.header()));
    return std::make_unique<MappedExecutable>(std::move(image));
}

}  // namespace muster::cpu
