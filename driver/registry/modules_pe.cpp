// Finds the modules of a Windows process: each image's section table names its record section. Untested.
#if defined(_WIN32)

#include <cstring>

#include <windows.h>

#include <muster/driver/registry/modules.hpp>
// psapi.h must come after windows.h.
#include <psapi.h>

namespace muster {

namespace {

std::span<const std::byte> record_section(const std::byte* image) {
    const auto* dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(image);
    const auto* nt = reinterpret_cast<const IMAGE_NT_HEADERS*>(image + dos->e_lfanew);
    const IMAGE_SECTION_HEADER* section = IMAGE_FIRST_SECTION(nt);
    for (WORD i = 0; i < nt->FileHeader.NumberOfSections; ++i, ++section)
        if (std::strncmp(reinterpret_cast<const char*>(section->Name), "mustrec", 8) == 0)
            return {image + section->VirtualAddress, section->Misc.VirtualSize};
    return {};
}

}  // namespace

Inventory read_inventory(void*) { return {}; }

std::vector<Inventory> read_lost_inventories() { return {}; }

std::vector<Inventory> read_inventories(std::span<const std::string>) {
    std::vector<HMODULE> modules(1024);
    DWORD bytes = 0;
    const auto room = static_cast<DWORD>(modules.size() * sizeof(HMODULE));
    if (!K32EnumProcessModules(GetCurrentProcess(), modules.data(), room, &bytes)) return {};
    if (bytes < room) modules.resize(bytes / sizeof(HMODULE));

    std::vector<Inventory> inventories;
    for (const HMODULE module : modules) {
        const auto section = record_section(reinterpret_cast<const std::byte*>(module));
        if (section.empty()) continue;
        HMODULE pinned = nullptr;
        GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                           reinterpret_cast<const char*>(section.data()), &pinned);
        if (pinned != module) continue;
        char path[MAX_PATH] = "";
        GetModuleFileNameA(module, path, MAX_PATH);
        Inventory& inventory = inventories.emplace_back();
        inventory.module = path;
        scan_records(section, inventory);
    }
    return inventories;
}

}  // namespace muster

#endif
