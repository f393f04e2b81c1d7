#include <fmt/format.h>

#include <muster/foundation/lang/part.hpp>

namespace muster::lang::detail {

bool writable(const Spot& spot, Location at) {
    if (spot.hold == Hold::memory) return true;
    Recorder* const recorder = Recorder::current();
    if (recorder == nullptr) return false;
    if (spot.hold == Hold::value)
        recorder->fault(at, "A part of a Value is assigned to; a Value doesn't change.",
                        "make it a Var, or construct another Value");
    else
        recorder->fault(at,
                        "A part of a Uniform or of a Storage<const T> is assigned to; both are read-only.",
                        "copy it to a Var, or declare the parameter as Storage<T>");
    return false;
}

bool in_bounds(const Index& index, std::uint32_t count) {
    if (!index.number || count == 0 || *index.number < count) return true;
    if (Recorder* const recorder = Recorder::current(); recorder != nullptr)
        recorder->fault(index.where,
                        fmt::format("The index {} is outside {} elements.", *index.number, count),
                        fmt::format("use 0 to {}", count - 1));
    return false;
}

}  // namespace muster::lang::detail
