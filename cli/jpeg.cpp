#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs FILE and doesn't say so

#include <jerror.h>
#include <jpeglib.h>

#include <muster/cli/jpeg.hpp>

namespace muster::cli {
namespace {

/// First member: libjpeg's own, so that its pointer is ours too.
struct ErrorManager {
    jpeg_error_mgr base;
    std::jmp_buf escape;
    bool cut_off;
    std::array<char, JMSG_LENGTH_MAX> message;
};

void on_error(j_common_ptr info) {
    auto* manager = reinterpret_cast<ErrorManager*>(info->err);
    manager->base.format_message(info, manager->message.data());
    std::longjmp(manager->escape, 1);
}

void on_message(j_common_ptr info, int level) {
    if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF)
        reinterpret_cast<ErrorManager*>(info->err)->cut_off = true;
}

/// Everything between setjmp and longjmp: plain data only. With `rgba` null only the header is read.
/// False where libjpeg gave up; its words are then in manager.message.
bool run(const unsigned char* file, unsigned long file_bytes, unsigned char* rgba,
         jpeg_decompress_struct& decoder, ErrorManager& manager) {
    decoder.err = jpeg_std_error(&manager.base);
    manager.base.error_exit = on_error;
    manager.base.emit_message = on_message;
    if (setjmp(manager.escape) != 0) {
        jpeg_destroy_decompress(&decoder);
        return false;
    }
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, file, file_bytes);
    jpeg_read_header(&decoder, TRUE);
    if (rgba != nullptr) {
        decoder.out_color_space = JCS_EXT_RGBA;
        jpeg_start_decompress(&decoder);
        while (decoder.output_scanline < decoder.output_height) {
            JSAMPROW row = rgba + std::size_t{decoder.output_scanline} * decoder.output_width * 4;
            jpeg_read_scanlines(&decoder, &row, 1);
        }
        jpeg_finish_decompress(&decoder);
    }
    jpeg_destroy_decompress(&decoder);
    return true;
}

const unsigned char* data_of(std::span<const std::byte> file) {
    return reinterpret_cast<const unsigned char*>(file.data());
}

}  // namespace

JpegSize jpeg_size(std::span<const std::byte> file) {
    jpeg_decompress_struct decoder{};
    ErrorManager manager{};
    if (!run(data_of(file), file.size(), nullptr, decoder, manager)) return {0, 0, manager.message.data()};
    JpegSize size{decoder.image_width, decoder.image_height, {}};
    if (decoder.num_components > 3) size.problem = "it has four colour components (CMYK)";
    return size;
}

std::string decode_jpeg(std::span<const std::byte> file, std::span<std::byte> rgba) {
    jpeg_decompress_struct decoder{};
    ErrorManager manager{};
    if (!run(data_of(file), file.size(), reinterpret_cast<unsigned char*>(rgba.data()), decoder, manager)) {
        return manager.message.data();
    }
    return manager.cut_off ? "it ends before its last row" : "";
}

}  // namespace muster::cli
