#include <cstddef>
#include <type_traits>

#include <muster/c/slots.hpp>
#include <muster/c/structures.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::c {
namespace {

constexpr std::uint32_t oldest_version = 1, newest_version = MUSTER_API_VERSION;

// The table of version 1 ends with check, and so on. What is added later comes behind, and has another such line.
static_assert(offsetof(muster_api, check) == 8 + 66 * sizeof(void*), "the table of version 1 doesn't change");
static_assert(offsetof(muster_api, wait_until_optimized) == 8 + 69 * sizeof(void*), "nor that of version 2");
static_assert(std::is_standard_layout_v<muster_api> && std::is_trivial_v<muster_api>);

const muster_api& table_of_functions() {
    static const muster_api table = [] {
        muster_api made{};
        made.struct_size = sizeof(made);
        made.version = newest_version;
        for (const auto add : {add_objects, add_process, add_programs, add_sessions, add_buffers, add_dlpack,
                               add_dispatches, add_sequences, add_code, add_models, add_check})
            add(made);
        return made;
    }();
    return table;
}

}  // namespace
}  // namespace muster::c

extern "C" muster_status muster_get_api(uint32_t version, const muster_api** api, muster_versions* offered) {
    using namespace muster::c;
    if (api == nullptr) return MUSTER_ERROR_INVALID_ARGUMENT;
    *api = nullptr;
    if (offered != nullptr && !is_writable(*offered)) return MUSTER_ERROR_INVALID_ARGUMENT;
    write(offered, muster_versions{.oldest = oldest_version,
                                   .newest = newest_version,
                                   .library = view(std::string_view(muster::version))});
    if (version < oldest_version || version > newest_version) return MUSTER_ERROR_VERSION;
    *api = &table_of_functions();
    return MUSTER_OK;
}
