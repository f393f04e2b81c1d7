// wire.hpp - checks a message's bytes before protobuf allocates anything for them. Internal to graph/onnx.
//
// protobuf says only that it can't read a message. This says where and why, and bounds what it will allocate:
// two bytes of a file can ask for an object of some hundred.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <muster/foundation/base/result.hpp>

namespace muster::graph::onnx {

/// Most bytes of one message: protobuf's own limit.
inline constexpr std::size_t max_message_bytes = (std::size_t{1} << 31) - 1;
/// Most parts of a file: messages, texts, and numbers that aren't packed.
inline constexpr std::size_t max_parts = 10'000'000;
/// Most messages within each other: protobuf's own limit.
inline constexpr int max_depth = 100;

enum class WireMessage : std::uint8_t { model, tensor };

/// Errors: invalid_program, limit_exceeded.
Result<void> check_wire(std::span<const std::byte> bytes, WireMessage of);

}  // namespace muster::graph::onnx
