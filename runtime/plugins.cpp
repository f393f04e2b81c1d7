// driver/plugins/ of programs that link muster::runtime: no plugin is searched for, and none is opened.
#include <muster/driver/plugins/plugin_selection.hpp>
#include <muster/driver/plugins/plugins.hpp>

namespace muster {

struct Plugins::State {};

Plugins::Plugins(std::vector<PluginFolder>, bool) {}
Plugins::~Plugins() = default;

Plugins& Plugins::process() {
    static Plugins none({}, false);
    return none;
}

std::vector<Plugin> Plugins::list() { return {}; }
std::vector<PluginFolder> Plugins::folders() { return {}; }
std::vector<FleetEntry> Plugins::entries() { return {}; }
void Plugins::log_refused() {}
std::uint64_t Plugins::generation() { return 0; }
bool Plugins::is_automatic() const { return false; }
bool Plugins::is_loaded(std::string_view) { return false; }

Result<void> Plugins::load(std::string_view) {
    return fail(ErrorCode::unsupported, "This program links muster::runtime, which opens no plugins.",
                "link the shared muster::muster instead");
}
Result<void> Plugins::provide(std::string_view id) { return load(id); }
Result<void> Plugins::retire(std::string_view id) { return load(id); }

}  // namespace muster
