// select_pack.hpp - decides which pack of patterns a graph is compiled with. Pure.
//
//     const Pack* pack = TRY(select_pack(offered, {.named = policy.pack, .fast = true, .backend = "cpu"}));
//
// A pack that is named is taken. Else, in fast mode, the one pack besides the portable one that applies
// to the device; several are an error that lists them. Else the portable pack, which alone gives the
// same bits on every device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <muster/foundation/base/result.hpp>
#include <muster/graph/pack/pack.hpp>

namespace muster::graph {

/// A pack with the id of its record (driver/contract/records.hpp), by which it is named.
struct OfferedPack {
    std::string_view id;
    const Pack* pack = nullptr;  // may be null of one that neither its name nor the mode can choose
};

struct PackChoice {
    std::optional<std::string> named = {};  // by code, environment or tool; "portable" is always there
    bool fast = false;
    std::string_view backend;  // the routed device's
};

/// Errors: not_found (no such pack, with the ids that there are), refused (it doesn't apply to the device),
/// conflict (several apply, and none is named).
Result<const Pack*> select_pack(std::span<const OfferedPack> offered, const PackChoice& choice);

}  // namespace muster::graph
