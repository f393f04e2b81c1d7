#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <muster/backend-cpu/native/image.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr std::uint64_t image_page = 4096;

std::unexpected<Error> not_an_image(std::string why) {
    return fail(ErrorCode::invalid_argument, "This isn't a kernel that the CPU backend can map: " + why,
                "compile the program again with this version of muster");
}

bool ends(std::span<const char> text) { return std::memchr(text.data(), '\0', text.size()) != nullptr; }

/// Refuses header values with which a damaged or hostile file could make us run or read
/// memory beyond the image.
Result<void> check_header(const ImageHeader& header, std::uint64_t image_bytes) {
    if (header.code_offset % image_page != 0 || header.code_offset < sizeof(ImageHeader) ||
        header.code_offset > image_bytes)
        return not_an_image(fmt::format("its code begins at byte {}.", header.code_offset));
    const std::uint64_t room = image_bytes - header.code_offset;
    if (header.code_bytes == 0 || header.code_bytes > room)
        return not_an_image(
            fmt::format("it says that it has {} bytes of code and holds {}.", header.code_bytes, room));
    if (header.entry_offset >= header.code_bytes)
        return not_an_image(fmt::format("the kernel begins at byte {} of {} bytes of code.",
                                        header.entry_offset, header.code_bytes));
    if (header.width == 0 || header.width > 64 || (header.width & (header.width - 1)) != 0)
        return not_an_image(
            fmt::format("its width is {} invocations, which isn't a power of two up to 64.", header.width));
    if (!ends(header.arch) || !ends(header.features)) return not_an_image("a name in its header has no end.");
    return {};
}

}  // namespace

Result<std::unique_ptr<ImageHeader>> read_image_header(std::span<const std::byte> image) {
    constexpr std::size_t shape = offsetof(ImageHeader, code_offset);  // the fields that every version has
    auto header = std::make_unique<ImageHeader>();
    if (image.size() < shape) return not_an_image(fmt::format("it has {} bytes.", image.size()));
    std::memcpy(header.get(), image.data(), shape);
    if (header->magic != image_magic) return not_an_image("it begins with other characters than MUSTCPU.");
    if (header->version != image_version)
        return not_an_image(fmt::format("it is of version {}, and this muster maps version {}.",
                                        header->version, image_version));
    if (header->header_bytes != sizeof(ImageHeader))
        return not_an_image(
            fmt::format("its header has {} bytes instead of {}.", header->header_bytes, sizeof(ImageHeader)));
    if (image.size() < sizeof(ImageHeader))
        return not_an_image(fmt::format("it ends after {} bytes.", image.size()));
    std::memcpy(header.get(), image.data(), sizeof(ImageHeader));
    TRY(check_header(*header, image.size()));
    return header;
}

MappedImage::MappedImage(MappedImage&& other) noexcept
    : header_(std::move(other.header_)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_bytes_(other.mapped_bytes_),
      kernel_(other.kernel_) {}

MappedImage::~MappedImage() {
    if (mapping_ != nullptr) platform::unmap_pages(mapping_, mapped_bytes_);
}

// Uses anonymous memory, so no folder has to be writable. The pages are first writable,
// then executable, never both.
Result<MappedImage> MappedImage::map(std::span<const std::byte> image) {
    MappedImage mapped;
    mapped.header_ = TRY(read_image_header(image));
    const ImageHeader& header = *mapped.header_;
    mapped.mapped_bytes_ = round_up(header.code_bytes, platform::page_bytes());
    TRY(check_errno("mmap", [&] { return platform::map_pages(mapped.mapped_bytes_, mapped.mapping_); }));
    std::memcpy(mapped.mapping_, image.data() + header.code_offset, header.code_bytes);
    auto* const code = static_cast<char*>(mapped.mapping_);
    __builtin___clear_cache(code, code + header.code_bytes);  // aarch64's instruction cache is separate
    TRY(check_errno("mprotect",
                    [&] { return platform::make_executable(mapped.mapping_, mapped.mapped_bytes_); }));
    mapped.kernel_ = reinterpret_cast<KernelFunction>(code + header.entry_offset);
    return mapped;
}

}  // namespace muster::cpu
