// place_name.hpp - says where in a variable a word is, as its reader would write it. Internal.
#pragma once

#include <cstdint>
#include <string>

#include <muster/foundation/ir/program.hpp>

namespace muster::interpreter {

struct PlaceName {
    std::string text;         // "particles[5].velocity.y"
    std::int64_t index = -1;  // in the outermost array: 5
};

/// `word` counts from the variable's start, in the layout it has (layout.hpp).
PlaceName name_place(const TypeTable& types, const Variable& variable, std::uint64_t word);

}  // namespace muster::interpreter
