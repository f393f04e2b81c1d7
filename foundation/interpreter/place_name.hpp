// place_name.hpp - names places in variables as source code does. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

struct PlaceName {
    std::string text;         // "particles[5].velocity.y"
    std::int64_t index = -1;  // index into the outermost array: 5; -1 if there is none
};

/// `at` counts from the variable's start: bytes of a binding, words of any other variable.
PlaceName name_place(const TypeTable& types, const Variable& variable, std::uint64_t at);

/// Names what an index of a reference is applied to: "particles[5].history" of
/// particles[i].history[k]. `step` numbers the reference's indices as Place::steps does; `at`, counted
/// as above, gives those in front of it.
std::string name_indexed(const Program& program, NodeId reference, std::size_t step, std::uint64_t at);

}  // namespace muster::interpreter
