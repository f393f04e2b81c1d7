// Plugins whose program headers or dynamic section are damaged: a file that would end the process isn't opened.
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <elf.h>
#include <plugins/kit.hpp>
#include <support/own_process.hpp>

#include <muster/driver/plugins/plugin_file.hpp>

using namespace muster;
using namespace muster::test;

namespace {

/// A part of a library's bytes.
struct Part {
    std::size_t begin = 0, bytes = 0;
};

template <class T>
T read_at(const std::string& bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

Part headers_of(const std::string& library) {
    const auto header = read_at<Elf64_Ehdr>(library, 0);
    return {header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)};
}

std::size_t header_of(const std::string& library, std::uint32_t type) {
    const Part headers = headers_of(library);
    for (std::size_t at = headers.begin; at < headers.begin + headers.bytes; at += sizeof(Elf64_Phdr))
        if (read_at<Elf64_Phdr>(library, at).p_type == type) return at;
    FAIL("the plugin has no segment of type " << type);
    return 0;
}

Part dynamic_of(const std::string& library) {
    const auto segment = read_at<Elf64_Phdr>(library, header_of(library, PT_DYNAMIC));
    return {segment.p_offset, segment.p_filesz};
}

/// True for the address of the function that runs when the library is opened or closed: no check can tell a
/// wrong address.
bool is_start_of_code(const std::string& library, const Part& dynamic, std::size_t at) {
    const std::size_t entry = at - (at - dynamic.begin) % sizeof(Elf64_Dyn);
    const auto tag = read_at<Elf64_Dyn>(library, entry).d_tag;
    return at >= entry + sizeof(Elf64_Sxword) && (tag == DT_INIT || tag == DT_FINI);
}

struct Ends {
    int refused = 0, opened = 0, died = 0;
};

/// Flips each `step`th bit of the part, one at a time.
Ends ends_of_damage(const Part& part, std::size_t step) {
    const PluginScratch folder;
    const std::string sound = file_bytes(file_of("beta"));
    const Part dynamic = dynamic_of(sound);
    Ends ends;
    for (std::size_t bit = 0; bit < 8 * part.bytes; bit += step) {
        const std::size_t at = part.begin + bit / 8;
        if (at >= dynamic.begin && at < dynamic.begin + dynamic.bytes && is_start_of_code(sound, dynamic, at))
            continue;
        std::string damaged = sound;
        damaged[at] = static_cast<char>(damaged[at] ^ (1 << (bit % 8)));
        const std::string path = folder.add("damaged", damaged);
        if (read_plugin_file(path).refused) {
            ++ends.refused;
            continue;
        }
        const auto opened =
            in_own_process(10, [&] { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr; });
        ++(opened ? ends.opened : ends.died);
        CHECK_MESSAGE(opened, "bit ", bit % 8, " of byte ", at, " ends the process");
    }
    return ends;
}

std::string refusal(const std::string& library) {
    const PluginScratch folder;
    const auto read = read_plugin_file(folder.add("damaged", library));
    return read.refused ? read.refused->to_string() : "";
}

}  // namespace

TEST_CASE("no damaged bit of the program headers gets as far as ending the process") {
    const Ends ends = ends_of_damage(headers_of(file_bytes(file_of("beta"))), 13);
    CHECK(ends.refused > 100);
    CHECK(ends.opened > 50);  // in fields that nothing reads
    CHECK(ends.died == 0);
}

TEST_CASE("no damaged bit of the dynamic section does, but where code starts") {
    const Ends ends = ends_of_damage(dynamic_of(file_bytes(file_of("beta"))), 17);
    CHECK(ends.refused > 50);
    CHECK(ends.died == 0);
}

TEST_CASE("what is wrong with a damaged plugin is said, with the numbers") {
    const std::string sound = file_bytes(file_of("beta"));
    CHECK(refusal(sound) == "");
    const auto with = [&](std::uint32_t type, std::size_t field, std::uint64_t value) {
        std::string damaged = sound;
        std::memcpy(damaged.data() + header_of(sound, type) + field, &value, sizeof value);
        return refusal(damaged);
    };
    const std::string size = std::to_string(sound.size());
    const std::string long_one = with(PT_LOAD, offsetof(Elf64_Phdr, p_filesz), sound.size() + 1);
    CHECK_MESSAGE(mentions(long_one, "Segment 0 has bytes 0 to " + std::to_string(sound.size() + 1) +
                                         " of a file of " + size + "."),
                  long_one);
    CHECK(mentions(long_one, "Fix: the file is cut short or damaged: build or copy it again"));
    CHECK(mentions(with(PT_LOAD, offsetof(Elf64_Phdr, p_memsz), 0), "Segment 0 takes 0 bytes of memory for"));
    CHECK(mentions(with(PT_LOAD, offsetof(Elf64_Phdr, p_vaddr), 8), "can't be aligned to"));
    CHECK(mentions(with(PT_DYNAMIC, offsetof(Elf64_Phdr, p_vaddr), 0), "No segment loads the "));
    CHECK(mentions(with(PT_GNU_RELRO, offsetof(Elf64_Phdr, p_memsz), UINT64_MAX / 2), "read-only"));
}

TEST_CASE("a damaged plugin is listed as refused and isn't opened") {
    const PluginScratch folder;
    std::string damaged = renamed(file_bytes(file_of("beta")), "beta", "hurt");
    const std::uint64_t far = damaged.size();
    std::memcpy(damaged.data() + header_of(damaged, PT_DYNAMIC) + offsetof(Elf64_Phdr, p_offset), &far,
                sizeof far);
    const std::string path = folder.add("hurt", damaged);
    auto plugins = plugins_in({folder.path().string()});
    CHECK(plugin_at(plugins, path).state == PluginState::refused);
    const auto loaded = plugins.load(path);
    REQUIRE_FALSE(loaded);
    CHECK(mentions(loaded.error(), "is refused: No segment loads the "));
}
