// portable_pack.hpp - the pack that applies to every device and gives the same bits on all of
// them. docs/packs.md lists it.
#pragma once

#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

const Pack& portable_pack();

/// The pack, with the portable pack's patterns behind its own where it asks for them
/// (Pack::extends_portable).
Pack with_portable(Pack pack);

/// The portable pack's conversions alone, for packs that begin with them.
std::vector<ConversionPattern> portable_conversions();
/// Its other lists alone.
std::vector<FusionPattern> portable_fusion();
std::vector<SmoothPattern> portable_smooth();
std::vector<QuantizedPattern> portable_quantized();

}  // namespace muster::graph
