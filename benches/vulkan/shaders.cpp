#include "shaders.hpp"

#include <cassert>

namespace muster::bench {

std::span<const std::uint32_t> shader(std::string_view kernel, Precision precision, Access access) {
    for (const Shader& one : std::span(shader_table, shader_count))
        if (one.kernel == kernel && one.precision == precision && one.access == access) return one.words;
    assert(false && "a kernel of shaders/");
    return {};
}

}  // namespace muster::bench
