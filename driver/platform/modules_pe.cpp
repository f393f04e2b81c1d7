// Walks the modules of a Windows process: each image's section table names its record section. Untested.
#include <cstring>

#include <windows.h>

#include <muster/driver/platform/modules.hpp>
// psapi.h must come after windows.h.
#include <psapi.h>

namespace muster::platform {
namespace {

class PeModule final : public LoadedModule {
  public:
    explicit PeModule(HMODULE module) : module_(module) { GetModuleFileNameA(module, path_, MAX_PATH); }

    std::uintptr_t base() const override { return reinterpret_cast<std::uintptr_t>(module_); }
    const char* loader_name() const override { return path_; }
    bool is_program() const override { return module_ == GetModuleHandleA(nullptr); }
    std::string path() const override { return path_; }
    bool contains(std::uintptr_t) const override { return false; }
    std::vector<Section> sections() const override {
        const auto* image = reinterpret_cast<const std::byte*>(module_);
        const auto* dos = reinterpret_cast<const IMAGE_DOS_HEADER*>(image);
        const auto* nt = reinterpret_cast<const IMAGE_NT_HEADERS*>(image + dos->e_lfanew);
        const IMAGE_SECTION_HEADER* section = IMAGE_FIRST_SECTION(nt);
        for (WORD i = 0; i < nt->FileHeader.NumberOfSections; ++i, ++section)
            if (std::strncmp(reinterpret_cast<const char*>(section->Name), "mustrec", 8) == 0)
                return {{image + section->VirtualAddress, section->Misc.VirtualSize}};
        return {};
    }
    std::vector<Section> data() const override { return {}; }

  private:
    HMODULE module_;
    char path_[MAX_PATH] = "";
};

}  // namespace

void for_each_module(const std::function<void(const LoadedModule&)>& visit) {
    std::vector<HMODULE> modules(1024);
    DWORD bytes = 0;
    const auto room = static_cast<DWORD>(modules.size() * sizeof(HMODULE));
    if (!K32EnumProcessModules(GetCurrentProcess(), modules.data(), room, &bytes)) return;
    if (bytes < room) modules.resize(bytes / sizeof(HMODULE));
    for (const HMODULE module : modules) visit(PeModule(module));
}

std::optional<std::uintptr_t> pin_module(const std::string& loader_name) {
    HMODULE pinned = nullptr;
    if (!GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN, loader_name.c_str(), &pinned)) return std::nullopt;
    return reinterpret_cast<std::uintptr_t>(pinned);
}

std::optional<OpenedModule> opened_module(void*) { return std::nullopt; }

}  // namespace muster::platform
