// backends.hpp - the process's backends by name: listing them, and registering one in code.
//
//     register_backend("mine", [] { return make_backend<Mine>(); }, {"experimental"}, {.rank = 200, .dispatches = true});
//     for (const std::string& id : list_backends()) ...          // what has consent: no "debug", no "experimental"
//     for (const std::string& id : list_backends({})) ...        // every one
//
// What is registered in code obeys the rules of records (registry.hpp): an id is taken once, and for good. For one session
// alone, hand a backend to it (SessionOptions::backends). Threads: any. Lifetime: until the process ends.
// A library's constructors run under the loader's lock, so they mustn't call these: a library submits records instead
// (inventory.hpp). Of a plugin that muster itself is opening, register_backend() says so.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/foundation/base/result.hpp>

namespace muster {

/// What else records say of a backend; what isn't given is as without the record.
struct BackendClaims {
    std::uint32_t rank = unranked;  // lower wins
    bool dispatches = false;        // claims to execute; else emission only
    OpSet supported_ops = OpSet::all_exact();
};

/// From now on the backend is there for sessions that are opened. `maker` is called when a route first needs it, and by
/// each acquire(). Errors: invalid_argument (an id or tag that can't be one, no maker), conflict (the id is taken: says by
/// whom), refused (a constructor of a plugin calls it, while the plugin is opened).
Result<void> register_backend(std::string_view id, BackendMaker maker,
                              const std::vector<std::string>& tags = {}, BackendClaims claims = {});

/// The ids of all usable backends that have none of these tags: linked, registered in code, and in plugins that aren't
/// opened. By rank, equal ranks by id.
std::vector<std::string> list_backends(std::initializer_list<std::string_view> exclude_tags = {
                                           "debug", "experimental"});

/// A new backend of this id; opens the plugin that has it, where no usable one is linked. Errors: as Registry::acquire and
/// Plugins::provide.
Result<std::unique_ptr<Backend>> acquire(std::string_view id);

}  // namespace muster
