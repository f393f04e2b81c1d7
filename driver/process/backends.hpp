// backends.hpp - the process's backends by name: listing them, and registering one in code.
//
//     register_backend("mine", [] { return make_backend<Mine>(); }, {"experimental"}, {.rank = 200, .dispatches = true});
//     for (const std::string& id : list_backends()) ...          // without those tagged "debug" or "experimental"
//     for (const std::string& id : list_backends({})) ...        // all of them
//
// Backends registered in code obey the rules of records (registry.hpp): an id is taken once, and for good. To
// use a backend in one session only, pass it to that session (SessionOptions::backends). Threads: any.
// Lifetime: until the process ends. A library's constructors run under the loader's lock, so they mustn't
// call these: a library submits records instead (inventory.hpp). register_backend() refuses calls from
// constructors of a plugin that muster is opening.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/api.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {
MUSTER_API_BEGIN

/// The remaining properties of a registered backend; the defaults are those of a backend
/// without the optional records.
struct BackendClaims {
    std::uint32_t rank = unranked;  // lower wins
    bool dispatches = false;        // claims to execute; else emission only
    OpSet supported_ops = OpSet::all_exact();
};

/// Registers a backend for sessions that are opened from now on. `maker` is called when a route first needs
/// the backend, and by each acquire(). Errors: invalid_argument (an invalid id or tag, no maker), conflict
/// (the id is taken; the message names the module that has it), refused (called by a constructor of a
/// plugin while muster opens it).
Result<void> register_backend(std::string_view id, BackendMaker maker,
                              const std::vector<std::string>& tags = {}, BackendClaims claims = {});

/// The name of a function, without its namespaces.
template <auto registered_function>
consteval auto function_name() {
    const std::string_view whole = __PRETTY_FUNCTION__;  // "... registered_function = &mine::make_npu; ..."
    std::string_view name = whole.substr(whole.rfind("registered_function = "));
    name = name.substr(0, name.find_first_of(";]"));
    while (name.ends_with(')')) name.remove_suffix(1);
    const auto is_part = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    std::size_t begin = name.size();
    while (begin > 0 && is_part(name[begin - 1])) --begin;
    return name.substr(begin);
}

/// Registers a backend whose id is the name of the function that constructs it, without its namespaces:
///
///     Result<std::unique_ptr<Backend>> npu() { return make_backend<Npu>(); }
///     register_backend<npu>({"experimental"}, {.rank = 200});     // as register_backend("npu", npu, ...)
template <Factory maker>
Result<void> register_backend(const std::vector<std::string>& tags = {}, BackendClaims claims = {}) {
    static_assert(valid_id(function_name<maker>()) && function_name<maker>().size() < sizeof(Id),
                  "a backend's id is up to 31 lower case letters, digits, '-' and '_', a letter first: "
                  "rename the function, or give the id as an argument");
    return register_backend(function_name<maker>(), maker, tags, std::move(claims));
}

/// The ids of all usable backends that have none of these tags: linked, registered in code, and in plugins,
/// opened or not. Sorted by rank, equal ranks by id.
std::vector<std::string> list_backends(std::initializer_list<std::string_view> exclude_tags = {
                                           "debug", "experimental"});

/// Constructs a backend of this id, wrapped so that its devices run programs with grid barriers, as a
/// session's do; opens the plugin that has it if the process has no usable one. Errors: as
/// Registry::acquire and Plugins::provide.
Result<std::unique_ptr<Backend>> acquire(std::string_view id);

MUSTER_API_END
}  // namespace muster
