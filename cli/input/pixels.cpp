#include <algorithm>
#include <cmath>
#include <cstring>

#include <muster/cli/input/pixels.hpp>

namespace muster::cli {

std::optional<PixelForm> pixel_form(const TypeTable& types, TypeId id) {
    const Type& type = types[id];
    if (type.kind != TypeKind::array) return {};
    if (type.element == u32_type || type.element == type_of(Scalar::u8, 4)) return PixelForm::bytes;
    if (type.element == type_of(Scalar::f32, 4)) return PixelForm::unit_floats;
    return {};
}

void pixels_from_rgba(PixelForm form, std::span<const std::byte> rgba, std::span<std::byte> to) {
    switch (form) {
        case PixelForm::bytes: std::ranges::copy(rgba, to.begin()); return;
        case PixelForm::unit_floats:
            for (std::size_t i = 0; i < rgba.size(); ++i) {
                const float value = static_cast<float>(std::to_integer<int>(rgba[i])) / 255.0f;
                std::memcpy(&to[i * 4], &value, 4);
            }
            return;
    }
}

void rgba_from_pixels(PixelForm form, std::span<const std::byte> from, std::span<std::byte> rgba) {
    switch (form) {
        case PixelForm::bytes: std::ranges::copy(from, rgba.begin()); return;
        case PixelForm::unit_floats:
            for (std::size_t i = 0; i < rgba.size(); ++i) {
                float value = 0;
                std::memcpy(&value, &from[i * 4], 4);
                // Written so that NaN fails the comparison and becomes 0.
                const float scaled = value > 0.0f ? std::min(value, 1.0f) * 255.0f : 0.0f;
                rgba[i] = static_cast<std::byte>(std::lround(scaled));
            }
            return;
    }
}

}  // namespace muster::cli
