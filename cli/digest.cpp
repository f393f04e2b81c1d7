#include <array>

#include <sha2.h>

#include <muster/cli/digest.hpp>

namespace muster::cli {

std::string sha256(std::span<const std::byte> bytes) {
    std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
    SHA256Data(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), digits.data());
    return digits.data();
}

}  // namespace muster::cli
