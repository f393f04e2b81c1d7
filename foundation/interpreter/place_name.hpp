// place_name.hpp - names the place of a scalar in a variable as source code does. Internal.
#pragma once

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

}  // namespace muster::interpreter
