// Plugins' files, read without running any of their code: any bytes give records or an error, and a file that is damaged is never opened
// by mistake for one that isn't.
#include <muster/driver/elf/elf_file.hpp>
#include <muster/driver/plugins/plugin_file.hpp>
#include <muster/driver/registry/record_file.hpp>

#include "target.hpp"
#include "temporary_folder.hpp"

namespace muster::fuzz {

void check(std::string_view text) {
    static const TemporaryFolder folder;
    const std::string path = folder.write("plugin.so", text);
    const auto expect_said = [](const auto& result) {
        expect(result || !result.error().message.empty(), "an error says what is wrong");
    };
    for (const char* section : {"muster_records", ".note.muster", ".dynamic"})
        expect_said(read_elf_file(path, section));
    expect_said(check_loadable_elf(path));
    const auto records = read_record_file(path);
    expect_said(records);
    const PluginFile plugin = read_plugin_file(path);
    expect(!plugin.refused || !plugin.refused->message.empty(), "a plugin that is refused has a reason");
    expect(records || plugin.refused, "a plugin without records that can be read is refused");
}

}  // namespace muster::fuzz
