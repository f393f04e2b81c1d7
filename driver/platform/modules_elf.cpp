// Walks the modules of an ELF process, and looks in each for the note that inventory.hpp emits.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/platform/modules.hpp>

namespace muster::platform {
namespace {

using Address = ElfW(Addr);

struct InventoryNote {
    std::uint32_t name_bytes, descriptor_bytes, type;
    std::array<char, 8> name;
    std::int32_t start, stop;  // each relative to its own address
};
constexpr InventoryNote expected_note{7, 8, 0x3153554d, {'m', 'u', 's', 't', 'e', 'r'}, 0, 0};
constexpr std::size_t note_fixed_bytes = offsetof(InventoryNote, start);

/// The object loaded at this address.
template <class T>
const T* bytes_at(Address address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses
    return reinterpret_cast<const T*>(address);
}

class ElfModule final : public LoadedModule {
  public:
    explicit ElfModule(const dl_phdr_info& info) : info_(info) {}

    Address base() const override { return info_.dlpi_addr; }
    const char* loader_name() const override { return info_.dlpi_name != nullptr ? info_.dlpi_name : ""; }
    /// False for every module of a namespace that dlmopen() made.
    bool is_program() const override {
        return reinterpret_cast<Address>(info_.dlpi_phdr) == static_cast<Address>(getauxval(AT_PHDR));
    }
    std::string path() const override { return is_program() ? program_name() : loader_name(); }
    bool contains(Address address) const override { return readable(address, 1); }

    std::vector<Section> sections() const override {
        std::vector<Section> found;
        for (const auto& segment : segments()) {
            if (segment.p_type != PT_NOTE) continue;
            const Address begin = address_of(segment);
            if (!readable(begin, segment.p_memsz)) continue;
            // Steps four bytes at a time, not from note to note, because mold merges notes of different
            // alignment into one segment.
            for (Address at = begin; at + sizeof(InventoryNote) <= begin + segment.p_memsz; at += 4)
                add_section(at, found);
        }
        return found;
    }

    std::vector<Section> data() const override {
        std::vector<Section> found;
        for (const auto& segment : segments()) {
            if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_W)) != (PF_R | PF_W)) continue;
            const Address begin = (base() + segment.p_vaddr + 7) / 8 * 8;
            const Address end = base() + segment.p_vaddr + segment.p_filesz;
            if (begin < end) found.emplace_back(bytes_at<std::byte>(begin), end - begin);
        }
        return found;
    }

  private:
    static std::string program_name() {
        const std::string path = program_path();
        return path.empty() ? "the executable" : path;
    }

    std::span<const ElfW(Phdr)> segments() const { return {info_.dlpi_phdr, info_.dlpi_phnum}; }

    /// The address of the segment, found by its place in the file: binutils' strip, removing other
    /// notes, leaves the address 0.
    Address address_of(const ElfW(Phdr) & wanted) const {
        for (const auto& segment : segments())
            if (segment.p_type == PT_LOAD && wanted.p_offset >= segment.p_offset &&
                wanted.p_offset - segment.p_offset < segment.p_filesz)
                return base() + segment.p_vaddr + (wanted.p_offset - segment.p_offset);
        return base() + wanted.p_vaddr;
    }

    bool readable(Address begin, std::size_t bytes) const {
        return std::ranges::any_of(segments(), [&](const auto& segment) {
            const Address low = base() + segment.p_vaddr;
            return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 && begin >= low &&
                   bytes <= segment.p_memsz && begin - low <= segment.p_memsz - bytes;
        });
    }

    void add_section(Address at, std::vector<Section>& found) const {
        const auto* note = bytes_at<InventoryNote>(at);
        if (std::memcmp(note, &expected_note, note_fixed_bytes) != 0) return;
        const Address start =
            at + offsetof(InventoryNote, start) + static_cast<Address>(std::intptr_t{note->start});
        const Address stop =
            at + offsetof(InventoryNote, stop) + static_cast<Address>(std::intptr_t{note->stop});
        // A module that includes the header and submits nothing may have no bounds: the
        // weak symbols are zero then.
        if (start >= stop || !readable(start, stop - start)) return;
        const Section section{bytes_at<std::byte>(start), stop - start};
        if (std::ranges::none_of(found, [&](Section s) { return s.data() == section.data(); }))
            found.push_back(section);
    }

    const dl_phdr_info& info_;
};

}  // namespace

void for_each_module(const std::function<void(const LoadedModule&)>& visit) {
    struct State {
        const std::function<void(const LoadedModule&)>& visit;
        std::exception_ptr failure;
    } state{visit, nullptr};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& s = *static_cast<State*>(data);
            try {
                s.visit(ElfModule(*info));
            } catch (...) {
                s.failure = std::current_exception();
                return 1;
            }
            return 0;
        },
        &state);
    if (state.failure) std::rethrow_exception(state.failure);
}

std::optional<std::uintptr_t> pin_module(const std::string& loader_name) {
    void* library = dlopen(loader_name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (library == nullptr) return std::nullopt;
    const auto opened = opened_module(library);
    dlclose(library);
    return opened ? std::optional(opened->base) : std::nullopt;
}

std::optional<OpenedModule> opened_module(void* library) {
    const link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return std::nullopt;
    return OpenedModule{map->l_addr, map->l_name};
}

}  // namespace muster::platform
