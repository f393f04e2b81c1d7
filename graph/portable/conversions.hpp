// conversions.hpp - the portable pack's conversions, by kind. Internal to graph/portable.
#pragma once

#include <vector>

#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

std::vector<ConversionPattern> clean_up();              // constants, dead code, operators that do nothing
std::vector<ConversionPattern> layout_conversions();    // transposes, reshapes, pads
std::vector<ConversionPattern> affine_conversions();    // scale and offset into products
std::vector<ConversionPattern> integer_conversions();   // dequantised products
std::vector<ConversionPattern> composed_conversions();  // operators that exporters take apart

}  // namespace muster::graph
