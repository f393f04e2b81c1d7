#include <fmt/format.h>

#include <muster/backend-cuda/compile/ptx_version.hpp>

namespace muster::cuda {
namespace {

constexpr std::string_view directive = ".version ";

}  // namespace

std::string newest_ptx(int cuda_version) {
    const int major = cuda_version / 1000, minor = cuda_version % 1000 / 10;
    // CUDA 12.0 to 12.5 have PTX 8.0 to 8.5; 12.6 has 8.5 as well, and later minor versions stay one behind.
    if (major == 12) return fmt::format("8.{}", minor < 6 ? minor : minor - 1);
    return fmt::format("{}.{}", major - 4, minor);
}

std::string_view ptx_version(std::string_view text) {
    const std::size_t begin = text.find(directive);
    if (begin == text.npos) return {};
    const std::string_view rest = text.substr(begin + directive.size());
    return rest.substr(0, rest.find_first_not_of("0123456789."));
}

std::string with_ptx_version(std::string_view text, std::string_view version) {
    const std::string_view now = ptx_version(text);
    if (now.empty()) return std::string(text);
    const auto begin = static_cast<std::size_t>(now.data() - text.data());
    return fmt::format("{}{}{}", text.substr(0, begin), version, text.substr(begin + now.size()));
}

}  // namespace muster::cuda
