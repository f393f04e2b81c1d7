// expect: an argument that only refers to its elements: make a Buffer of them
#include <span>

#include <muster/driver/device/argument.hpp>

muster::Argument bound(std::span<const float> values) { return {"x", values}; }
