#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <llvm/Object/ObjectFile.h>

#include <muster/backend-cpu/compiler/llvm/codegen.hpp>
#include <muster/backend-cpu/compiler/llvm/passes.hpp>
#include <muster/backend-cpu/compiler/output/build_image.hpp>
#include <muster/backend-cpu/compiler/output/debug_map.hpp>
#include <muster/backend-cpu/compiler/output/link_image.hpp>
#include <muster/backend-cpu/native/image.hpp>
#include <muster/backend-cpu/native/kernel_abi.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t page_bytes = 4096;

/// The offset of a function in its section.
Result<std::uint64_t> offset_of(const ObjectFile& object, std::string_view function) {
    const auto file = TRY(read_object(object));
    for (const llvm::object::SymbolRef& symbol : file->symbols()) {
        auto name = symbol.getName();
        auto address = symbol.getAddress();
        if (name && address && *name == llvm::StringRef(function)) return *address;
        llvm::consumeError(name.takeError());
        llvm::consumeError(address.takeError());
    }
    return fail(ErrorCode::internal, fmt::format("The object file has no {}.", function));
}

Result<void> write_text(std::string_view text, std::span<char> field) {
    if (text.size() >= field.size())
        return fail(ErrorCode::limit_exceeded,
                    fmt::format("An image has room for {} characters, fewer than the {} of: {}",
                                field.size() - 1, text.size(), text));
    std::ranges::copy(text, field.begin());
    return {};
}

/// The debug map of an object file whose code was linked: its section of code was moved as
/// a whole, with the kernel.
Result<std::vector<DebugEntry>> map_image(const Program& program, const ObjectFile& object,
                                          const LinkedCode& code) {
    const std::uint64_t kernel = TRY(offset_of(object, kernel_symbol));
    std::vector<DebugEntry> map = map_object(program, object);
    for (DebugEntry& entry : map) entry.target += code.entry_offset - kernel;
    return map;
}

}  // namespace

Result<BuiltImage> build_image(LoweredKernel kernel, const CompileTarget& target, const Machine& machine,
                               std::uint32_t width, const Program* mapped, std::string_view debug_name,
                               StageObserver* observer) {
    llvm::Module& module = *kernel.module;
    const auto enter = [&](trace::Stage stage) {
        if (observer != nullptr) observer->enter(stage, module.getInstructionCount());
    };
    enter(trace::Stage::optimize);
    prepare(module, machine);
    TRY(verify(module));
    optimise(module, machine);
    enter(trace::Stage::generate);
    const ObjectFile object = TRY(generate_object(module, machine));
    LinkedCode code = TRY(link_image(object, kernel_symbol, !debug_name.empty()));

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

    BuiltImage image;
    image.bytes.resize(header.code_offset + code.bytes.size());
    std::memcpy(image.bytes.data(), &header, sizeof header);
    std::ranges::copy(code.bytes, image.bytes.begin() + static_cast<std::ptrdiff_t>(header.code_offset));
    if (mapped != nullptr) image.debug_map = TRY(map_image(*mapped, object, code));
    if (debug_name.empty()) return image;
    code.debug.symbols.at(0).name = debug_name.substr(0, most_symbol_characters);
    image.debug_data = bytes_of(code.debug);
    return image;
}

}  // namespace muster::cpu
