#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <muster/backend-cpu/device/executable.hpp>
#include <muster/backend-cpu/native/c_name.hpp>
#include <muster/backend-cpu/native/code_library.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/backend-cpu/native/source_paths.hpp>
#include <muster/driver/cache/code_files.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/policy/log.hpp>
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

DebugData debug_data(const Artifact& artifact, const ImageHeader& header) {
    auto data = debug_data_of(artifact.load_data);
    if (!data) {
        data.emplace();
        data->symbols = {
            {c_name(artifact.entry, artifact.files), 0, header.code_bytes - header.entry_offset}};
    }
    CodeSymbol& kernel = data->symbols[0];
    kernel.offset = header.entry_offset;
    kernel.name.resize(std::min(kernel.name.size(), most_symbol_characters));
    return *std::move(data);
}

Result<std::unique_ptr<Executable>> load_library(const Artifact& artifact, const ImageHeader& header) {
    const DebugData debug = debug_data(artifact, header);
    const auto code = std::span(artifact.bytes).subspan(header.code_offset, header.code_bytes);
    const std::vector<std::byte> bytes = code_library(code, header.arch.data(), debug);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string& name = debug.symbols[0].name;
    const Digest group = code_group(artifact.files);
    const std::string file = TRY(cache::keep_code_file(
        group, fmt::format("{}-{}.so", name, to_string(digest_of(text)).substr(0, 8)), text));
    (void)source_paths(artifact.files, group);  // of code from the disk, whose sources may be gone
    DriverLibrary library = TRY(DriverLibrary::open(
        file.c_str(), CodePlace::found, platform::module_of(reinterpret_cast<const void*>(&check_machine))));
    const auto kernel = reinterpret_cast<KernelFunction>(library.find(name.c_str()));
    if (kernel == nullptr)
        return fail(ErrorCode::internal, fmt::format("The library {} has no {}.", file, name));
    return std::make_unique<LibraryExecutable>(kernel, header, std::move(library));
}

}  // namespace

Result<std::unique_ptr<Executable>> load_image(const Artifact& artifact, bool visible) {
    if (artifact.format != "image") return not_loadable("CPU", "images", artifact.format);
    if (visible) {
        const auto header = TRY(read_image_header(artifact.bytes));
        TRY(check_machine(*header));
        auto library = load_library(artifact, *header);
        if (library) return library;
        const Error& why = library.error();
        log_once(LogLevel::warning, "invisible code",
                 fmt::format("Debuggers and profilers won't see the code of kernels. {}{}{}", why.message,
                             why.fix.empty() ? "" : " Fix: ", why.fix));
    }
    MappedImage image = TRY(MappedImage::map(artifact.bytes));
    TRY(check_machine(image.header()));
    return std::make_unique<MappedExecutable>(std::move(image));
}

}  // namespace muster::cpu
