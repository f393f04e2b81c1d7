#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/compiler/llvm/passes.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/compiler/output/link_image.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t page_bytes = 4096;

Result<void> write_text(std::string_view text, std::span<char> field) {
    if (text.size() >= field.size())
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("An image has room for {} characters, fewer than the {} of: {}",
                                field.size() - 1, text.size(), text));
    std::ranges::copy(text, field.begin());
    return {};
}

}  // namespace

Result<std::vector<std::byte>> build_image(LoweredKernel kernel, const CompileTarget& target,
                                           const Machine& machine, std::uint32_t width) {
    llvm::Module& module = *kernel.module;
    prepare(module, machine);
    TRY(verify(module));
    optimise(module, machine);
    const ObjectFile object = TRY(generate_object(module, machine));
    const LinkedCode code = TRY(link_image(object, kernel_symbol));

    ImageHeader header{};
    header.magic = image_magic;
    header.version = image_version;
    header.header_bytes = sizeof(ImageHeader);
    header.code_offset = round_up(sizeof(ImageHeader), page_bytes);
    header.code_bytes = code.bytes.size();
    header.entry_offset = code.entry_offset;
    header.scratch_bytes = kernel.scratch_bytes;
    header.width = width;
    header.cost = kernel.cost;
    TRY(write_text(target.arch, header.arch));
    TRY(write_text(machine.features, header.features));

    std::vector<std::byte> image(header.code_offset + code.bytes.size());
    std::memcpy(image.data(), &header, sizeof header);
    std::ranges::copy(code.bytes, image.begin() + static_cast<std::ptrdiff_t>(header.code_offset));
    return image;
}

}  // namespace muster::cpu
