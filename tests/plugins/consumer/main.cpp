// Prints the plugin "extra" as it is found, then loads it and prints its backends.
#include <cstdio>

#include <muster/muster.hpp>

int main() {
    muster::Plugins& plugins = muster::Plugins::process();
    for (const muster::Plugin& plugin : plugins.list())
        for (const muster::PluginBackend& backend : plugin.backends)
            if (backend.id == "extra")
                std::printf("%s %s, ", backend.id.c_str(), std::string(name(plugin.state)).c_str());
    if (auto loaded = plugins.load("extra"); !loaded) std::printf("%s", loaded.error().to_string().c_str());
    for (const muster::RegisteredBackend& backend : muster::registered_backends())
        std::printf("then %.*s %s", static_cast<int>(backend.id.size()), backend.id.data(),
                    muster::acquire(backend.id) ? "acquired" : "not acquired");
}
