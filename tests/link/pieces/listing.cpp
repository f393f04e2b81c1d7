// Prints the registry's contents in one line: "alpha:1:dispatches beta:2:emits; dropped_by_linker:gamma".
//   listing             freezes from eight threads at once
//   listing modules     prints the file that each backend is in
//   listing load FILE   freezes, opens FILE, reads the modules again, closes FILE
//   listing file FILE   prints the records of FILE, which isn't loaded
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <dlfcn.h>

#include <muster/driver/registry/record_file.hpp>

#include "list.hpp"

namespace {

using namespace muster;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

int list_linked() {
    std::array<const Registry*, 8> seen{};
    std::array<std::thread, 8> threads;
    for (std::size_t i = 0; i < seen.size(); ++i) threads[i] = std::thread([&, i] { seen[i] = &registry(); });
    for (std::thread& thread : threads) thread.join();
    for (const Registry* one : seen)
        if (one != seen[0]) print("two registries! ");
    print(list(*seen[0]));
    for (const RegisteredBackend& backend : registered_backends())  // checks that its functions can be called
        if (backend.factory().error().message != "It is only a record.") print(" no factory!");
    return 0;
}

int list_loaded(const char* file) {
    const auto before = registered_backends_by_precedence();
    void* library = dlopen(file, RTLD_NOW);
    if (library == nullptr) return print(dlerror()), 1;
    const Registry& after = refreeze();
    dlclose(library);
    print(list(before) + " then " + list(after));
    if (&after != &registry()) print(" not published!");
    return 0;
}

int list_file(const char* file) {
    const auto records = read_record_file(file);
    if (!records) return print(records.error().to_string()), 1;
    std::string text;
    for (const FileRecord& record : *records) {
        if (!record.usable_here()) text += "foreign ";
        if (record.kind == RecordKind::registration) text += record.id + " ";
        if (record.kind == RecordKind::precedence)
            text += record.id + ":" + std::to_string(record.rank) + " ";
        if (record.kind == RecordKind::capability)
            text += record.id + (record.dispatches ? ":dispatches " : ":emits ");
    }
    print(text + (dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr ? "not loaded" : "loaded!"));
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3 && std::strcmp(arguments[1], "load") == 0) return list_loaded(arguments[2]);
    if (count == 3 && std::strcmp(arguments[1], "file") == 0) return list_file(arguments[2]);
    if (count == 2 && std::strcmp(arguments[1], "modules") == 0) return print(list_modules(registry())), 0;
    return list_linked();
}
