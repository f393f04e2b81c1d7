// packs.hpp - the process's packs of patterns for models, by id.
//
//     for (const ListedPack& pack : list_packs()) fmt::print("{} of {}\n", pack.id, pack.module);
//     const graph::Pack* pack = TRY(acquire_pack("npu"));
//
// Packs are records of linked libraries and of plugins (BackendPatterns, records.hpp). The portable pack is
// part of muster's graphs, and no record. Threads: any. Lifetime: a pack stays valid until the process ends.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

struct ListedPack {
    std::string id;
    std::string module;   // path of the executable or library that has it
    bool opened = false;  // false: in a plugin that isn't open yet
};
/// All usable packs, sorted by id. Opens nothing.
std::vector<ListedPack> list_packs();

/// The pack of this id. Opens its plugin, if it is in one and the process searches for plugins.
/// Errors: not_found, with the known ids; conflict (two libraries have it), unavailable (its function
/// throws), the plugin's reason.
Result<const graph::Pack*> acquire_pack(std::string_view id);

MUSTER_API_END
}  // namespace muster
