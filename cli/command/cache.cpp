#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <muster/cli/command/shared_options.hpp>
#include <muster/cli/command/verb.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/cli/support/text.hpp>
#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

struct CacheArguments {
    std::string action;  // list, size or clear
    bool json = false;
};

/// "2026-11-25 08:30", UTC.
std::string minute_of(std::chrono::system_clock::time_point time) {
    return fmt::format("{:%F %H:%M}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string where(const DiskCache& cache) {
    return cache.folder().empty() ? "No cache is kept (MUSTER_CACHE_DIR is empty, or there is no home folder)"
                                  : cache.folder();
}

Json entry_json(const DiskCache::Entry& entry) {
    return {{"key", to_string(entry.key)},
            {"label", entry.label},
            {"bytes", entry.bytes},
            {"used", minute_of(entry.used)}};
}

std::uint64_t total_bytes(const std::vector<DiskCache::Entry>& entries) {
    std::uint64_t bytes = 0;
    for (const DiskCache::Entry& entry : entries) bytes += entry.bytes;
    return bytes;
}

Attempt<Exit> show(const DiskCache& cache, const CacheArguments& arguments) {
    const std::vector<DiskCache::Entry> entries = TRY(step(Exit::failed, cache.list()));
    const bool lists = arguments.action == "list";
    if (arguments.json) {
        Json json{{"folder", cache.folder()},
                  {"entries", entries.size()},
                  {"bytes", total_bytes(entries)},
                  {"limit_bytes", cache.most_bytes()}};
        if (lists) {
            json["list"] = Json::array();
            for (const DiskCache::Entry& entry : entries) json["list"].push_back(entry_json(entry));
        }
        print_json(json);
        return Exit::done;
    }
    if (lists)
        for (const DiskCache::Entry& entry : entries)
            say(fmt::format("{}  {:>10}  {}\n", minute_of(entry.used), human_bytes(entry.bytes),
                            entry.label));
    say(fmt::format("{}: {} {}, {} of at most {}\n", where(cache), entries.size(),
                    entries.size() == 1 ? "entry" : "entries", human_bytes(total_bytes(entries)),
                    human_bytes(cache.most_bytes())));
    return Exit::done;
}

Attempt<Exit> clear(const DiskCache& cache, const CacheArguments& arguments) {
    const std::uint64_t removed = TRY(step(Exit::failed, cache.clear()));
    if (arguments.json)
        print_json({{"folder", cache.folder()}, {"removed", removed}});
    else
        say(fmt::format("{}: {} {} removed\n", where(cache), removed, removed == 1 ? "entry" : "entries"));
    return Exit::done;
}

void declare(Options& options, CacheArguments& to) {
    options.argument(to.action, "ACTION", "list, size or clear").one_of({"list", "size", "clear"});
    add_json(options, to.json);
    options.footer("\nExample:\n  muster cache size");
}

Attempt<Exit> perform(const CacheArguments& arguments) {
    (void)TRY(step(Exit::usage, cache_bytes()));
    const DiskCache& cache = DiskCache::process();
    return arguments.action == "clear" ? clear(cache, arguments) : show(cache, arguments);
}

}  // namespace

const Verb verbs::cache{"cache", "Show or clear what is kept on disk for later processes",
                        command<CacheArguments, declare, perform>};

}  // namespace muster::cli
