#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE and doesn't say so
#include <cstring>

#include <jerror.h>
#include <jpeglib.h>

#include <muster/cli/input/jpeg.hpp>

namespace muster::cli {
namespace {

// Limit on progressive scans: real files have about ten, and each passes over the whole picture.
constexpr int most_scans = 200;

/// `base` comes first, so that libjpeg's pointer to it also points to the whole.
struct ErrorManager {
    jpeg_error_mgr base;
    jpeg_progress_mgr progress;
    std::jmp_buf escape;
    std::array<char, JMSG_LENGTH_MAX> message;
};

void on_error(j_common_ptr info) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    manager->base.format_message(info, manager->message.data());
    std::longjmp(manager->escape, 1);
}

/// True for a libjpeg warning that means lost pixels: all except those about metadata.
bool is_damage(int code) {
    constexpr std::array<int, 4> harmless{JWRN_ADOBE_XFORM, JWRN_EXTRANEOUS_DATA, JWRN_JFIF_MAJOR,
                                          JWRN_TOO_MUCH_DATA};
    return std::ranges::find(harmless, code) == harmless.end();
}

void on_message(j_common_ptr info, int level) {
    if (level < 0 && is_damage(info->err->msg_code)) on_error(info);
}

void on_progress(j_common_ptr info) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= most_scans) return;
    std::strcpy(manager->message.data(), "it goes over its picture more than 200 times");
    std::longjmp(manager->escape, 1);
}

/// The code between setjmp and longjmp: plain data only. If `rgba` is null, reads only the header. Returns
/// false if libjpeg failed, with its message in manager.message. The caller destroys the decoder.
bool run(const unsigned char* file, unsigned long file_bytes, unsigned char* rgba,
         jpeg_decompress_struct& decoder, ErrorManager& manager) {
    decoder.err = jpeg_std_error(&manager.base);
    manager.base.error_exit = on_error;
    manager.base.emit_message = on_message;
    if (setjmp(manager.escape) != 0) return false;
    jpeg_create_decompress(&decoder);
    manager.progress.progress_monitor = on_progress;
    decoder.progress = &manager.progress;
    jpeg_mem_src(&decoder, file, file_bytes);
    jpeg_read_header(&decoder, TRUE);
    if (rgba == nullptr) return true;
    decoder.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&decoder);
    while (decoder.output_scanline < decoder.output_height) {
        JSAMPROW row = rgba + std::size_t{decoder.output_scanline} * decoder.output_width * 4;
        jpeg_read_scanlines(&decoder, &row, 1);
    }
    jpeg_finish_decompress(&decoder);
    return true;
}

/// A lower bound: a block of 64 coefficients takes at least one bit, except with arithmetic coding, which may
/// take less.
std::uint64_t least_bytes(const jpeg_decompress_struct& decoder) {
    std::uint64_t blocks = 0;
    for (int i = 0; i < decoder.num_components; ++i) {
        const jpeg_component_info& component = decoder.comp_info[i];
        blocks += std::uint64_t{component.width_in_blocks} * component.height_in_blocks;
    }
    return decoder.arith_code ? 0 : blocks / 8;
}

const unsigned char* data_of(std::span<const std::byte> file) {
    return reinterpret_cast<const unsigned char*>(file.data());
}

}  // namespace

JpegSize jpeg_size(std::span<const std::byte> file) {
    jpeg_decompress_struct decoder{};
    ErrorManager manager{};
    JpegSize size;
    if (run(data_of(file), file.size(), nullptr, decoder, manager)) {
        size = {decoder.image_width, decoder.image_height, decoder.num_components, least_bytes(decoder), {}};
    } else {
        size.problem = manager.message.data();
    }
    jpeg_destroy_decompress(&decoder);
    return size;
}

std::string decode_jpeg(std::span<const std::byte> file, std::span<std::byte> rgba) {
    jpeg_decompress_struct decoder{};
    ErrorManager manager{};
    const bool is_read =
        run(data_of(file), file.size(), reinterpret_cast<unsigned char*>(rgba.data()), decoder, manager);
    jpeg_destroy_decompress(&decoder);
    return is_read ? "" : manager.message.data();
}

}  // namespace muster::cli
