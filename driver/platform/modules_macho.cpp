// Walks the modules of a Mach-O process: dyld returns each image's section. Untested.
#include <string_view>

#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

#include <muster/driver/platform/modules.hpp>

namespace muster::platform {
namespace {

class MachOModule final : public LoadedModule {
  public:
    explicit MachOModule(std::uint32_t image) : image_(image) {}

    std::uintptr_t base() const override { return reinterpret_cast<std::uintptr_t>(header()); }
    const char* loader_name() const override { return _dyld_get_image_name(image_); }
    bool is_program() const override { return image_ == 0; }
    std::string path() const override { return loader_name(); }
    bool contains(std::uintptr_t) const override { return false; }
    std::vector<Section> sections() const override {
        unsigned long bytes = 0;
        const std::uint8_t* section = getsectiondata(header(), "__DATA", "muster_records", &bytes);
        if (section == nullptr) return {};
        return {{reinterpret_cast<const std::byte*>(section), bytes}};
    }
    std::vector<Section> data() const override { return {}; }

  private:
    const mach_header_64* header() const {
        return reinterpret_cast<const mach_header_64*>(_dyld_get_image_header(image_));
    }
    std::uint32_t image_;
};

}  // namespace

void for_each_module(const std::function<void(const LoadedModule&)>& visit) {
    for (std::uint32_t image = 0; image < _dyld_image_count(); ++image)
        if (_dyld_get_image_name(image) != nullptr && _dyld_get_image_header(image) != nullptr)
            visit(MachOModule(image));
}

std::optional<std::uintptr_t> pin_module(const std::string& loader_name) {
    void* library = dlopen(loader_name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library == nullptr) return std::nullopt;
    dlclose(library);
    std::optional<std::uintptr_t> base;
    for_each_module([&](const LoadedModule& module) {
        if (std::string_view(module.loader_name()) == loader_name) base = module.base();
    });
    return base;
}

std::optional<OpenedModule> opened_module(void*) { return std::nullopt; }

}  // namespace muster::platform
