// Finds the modules of a Mach-O process: dyld returns each image's section. Untested.
#if defined(__APPLE__)

#include <dlfcn.h>
#include <mach-o/dyld.h>
#include <mach-o/getsect.h>

#include <muster/driver/registry/modules.hpp>

namespace muster {

Inventory read_inventory(void*) { return {}; }

std::vector<Inventory> read_lost_inventories() { return {}; }

std::vector<Inventory> read_inventories(std::span<const std::string>) {
    std::vector<Inventory> inventories;
    for (std::uint32_t image = 0; image < _dyld_image_count(); ++image) {
        const char* path = _dyld_get_image_name(image);
        const auto* header = reinterpret_cast<const mach_header_64*>(_dyld_get_image_header(image));
        if (path == nullptr || header == nullptr) continue;
        unsigned long bytes = 0;
        const std::uint8_t* section = getsectiondata(header, "__DATA", "muster_records", &bytes);
        if (section == nullptr) continue;
        if (image != 0) {
            void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
            if (library == nullptr) continue;
            dlclose(library);
        }
        Inventory& inventory = inventories.emplace_back();
        inventory.module = path;
        scan_records({reinterpret_cast<const std::byte*>(section), bytes}, inventory);
    }
    return inventories;
}

}  // namespace muster

#endif
