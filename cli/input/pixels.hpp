// pixels.hpp - converts a picture's RGBA bytes to a kernel's array, and back.
//
//     array<u32>         one word per pixel: R in bits 0 to 7, then G, B, A
//     array<vec4<u8>>    R, G, B, A
//     array<vec4<f32>>   components divided by 255; written back rounded and clamped to 0..255, NaN as 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <muster/foundation/ir/type.hpp>

namespace muster::cli {

enum class PixelForm : std::uint8_t { bytes, unit_floats };

/// The form in which an array of this type has pixels; none if it can't.
std::optional<PixelForm> pixel_form(const TypeTable& types, TypeId type);

/// `rgba`: 4 bytes per pixel; `to`: 4 (bytes) or 16 (unit_floats).
void pixels_from_rgba(PixelForm form, std::span<const std::byte> rgba, std::span<std::byte> to);
void rgba_from_pixels(PixelForm form, std::span<const std::byte> from, std::span<std::byte> rgba);

}  // namespace muster::cli
