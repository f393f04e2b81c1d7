#include "support/cuda_host_parameters.hpp"

#include <algorithm>
#include <cstring>

#include <muster/foundation/base/round_up.hpp>

namespace muster::test {

using cuda::ParameterKind;

HostMemory::HostMemory(std::uint64_t bytes) : bytes_(bytes), guarded_(round_up(bytes, align)) {
    std::fill_n(data(), bytes, std::byte{0});
}

bool HostMemory::is_intact() const {
    return guarded_.is_intact() && std::all_of(data() + bytes_, data() + round_up(bytes_, align),
                                               [](std::byte b) { return b == GuardedMemory::untouched; });
}

bool is_ready_for_next(const HostMemory& barrier_state) {
    const std::size_t arrived_and_left = 8;  // the last word keeps counting
    return barrier_state.is_intact() &&
           std::all_of(barrier_state.data(), barrier_state.data() + arrived_and_left,
                       [](std::byte b) { return b == std::byte{0}; });
}

HostParameters::HostParameters(const cuda::CudaSource& source, const Launch& launch,
                               const HostMemory& barrier_state)
    : bytes_(source.parameter_bytes) {
    for (std::size_t k = 0; k < launch.bindings.size(); ++k) bind(source.parameters[k], launch.bindings[k]);
    if (source.origin_offset) put(*source.origin_offset, launch.origin);
    if (source.grid_offset) put(*source.grid_offset, launch.grid);
    if (source.barrier_state_offset)
        put(*source.barrier_state_offset, reinterpret_cast<std::uintptr_t>(barrier_state.data()));
}

template <class T>
void HostParameters::put(std::uint32_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
}

const std::byte* HostParameters::address(const BoundMemory& bound) {
    if (bound.memory != nullptr) return static_cast<const HostMemory&>(*bound.memory).data() + bound.offset;
    values_.push_back(std::make_unique<HostMemory>(bound.bytes));
    std::copy_n(bound.value, bound.bytes, values_.back()->data());
    return values_.back()->data();
}

void HostParameters::bind(const cuda::Parameter& parameter, const BoundMemory& bound) {
    const bool has_value = parameter.kind == ParameterKind::uniform_value ||
                           (parameter.kind == ParameterKind::uniform_either && bound.memory == nullptr);
    if (has_value) {
        const std::byte* from = bound.memory != nullptr ? address(bound) : bound.value;
        std::copy_n(from, std::min<std::uint64_t>(bound.bytes, parameter.value_bytes),
                    bytes_.data() + parameter.value_offset);
    } else {
        put(parameter.offset, reinterpret_cast<std::uintptr_t>(address(bound)));
    }
    if (parameter.array_stride != 0)
        put(parameter.length_offset,
            static_cast<std::uint32_t>((bound.bytes - parameter.array_offset) / parameter.array_stride));
}

}  // namespace muster::test
