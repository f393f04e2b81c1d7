// digest.hpp - SHA-256, by which a user demands a certain file.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace muster::cli {

/// 64 lower-case hexadecimal digits.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace muster::cli
