// debug_data.hpp - what debuggers and profilers need of an image's code besides the bytes. The compiler makes it;
// it is stored with the image (Artifact::load_data), and code_library.hpp writes it into a library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/foundation/base/byte_archive.hpp>

namespace muster::cpu {

/// A function in an image's code.
struct CodeSymbol {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;  // from ImageHeader::code_offset
};
/// A section of DWARF, with its references resolved.
struct DebugSection {
    std::string name;
    std::vector<std::byte> bytes;
};
struct DebugData {
    std::vector<CodeSymbol> symbols;  // the kernel's first
    std::vector<DebugSection> sections;
};

/// The most characters of a function's name: longer ones are cut.
inline constexpr std::size_t most_symbol_characters = 250;

/// The address that DWARF gives the code: the size of the largest pages that the architecture's systems have.
constexpr std::uint64_t debug_code_address(std::string_view arch) {
    return arch.starts_with("aarch64") ? 0x10000 : 0x1000;
}

template <class Archive, class Fields>
void exchange_debug_data(Archive& archive, Fields& value) {
    auto& [symbols, sections] = value;
    archive.list("symbols", symbols, [&](auto& each) {
        auto& [name, offset, bytes] = each;
        archive.text("name", name);
        archive.number("offset", offset);
        archive.number("bytes", bytes);
    });
    archive.list("sections", sections, [&](auto& each) {
        auto& [name, bytes] = each;
        archive.text("name", name);
        archive.blob("bytes", bytes);
    });
}

inline std::vector<std::byte> bytes_of(const DebugData& data) {
    ByteWriter writer;
    exchange_debug_data(writer, data);
    return std::move(writer).take();
}

/// None if the bytes are damaged, or empty.
inline std::optional<DebugData> debug_data_of(std::span<const std::byte> bytes) {
    DebugData data;
    ByteReader reader(bytes);
    exchange_debug_data(reader, data);
    if (!reader.done() || data.symbols.empty()) return std::nullopt;
    return data;
}

}  // namespace muster::cpu
