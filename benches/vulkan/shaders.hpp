// shaders.hpp - the kernels of shaders/, compiled by glslang at build time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

#include <support/device_bench.hpp>

#include <muster/driver/contract/artifact.hpp>

namespace muster::bench {

struct Shader {
    std::string_view kernel;
    Precision precision;  // exact: with NoContraction
    Access access;
    std::span<const std::uint32_t> words;
};

/// The SPIR-V of a kernel. Precondition: the kernel exists.
std::span<const std::uint32_t> shader(std::string_view kernel, Precision precision, Access access);

extern const Shader shader_table[];
extern const std::size_t shader_count;

}  // namespace muster::bench
