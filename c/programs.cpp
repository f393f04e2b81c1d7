// Programs, from text and from bytes.
#include <fmt/format.h>

#include <muster/c/objects.hpp>
#include <muster/c/slots.hpp>
#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/report/report.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace muster::c {
namespace {

struct WgslText {
    std::string_view text;
    wgsl::ParseOptions options;
};

Answer<WgslText> read_wgsl(const muster_wgsl* given) {
    const muster_wgsl wgsl = TRY(read_given(given, "muster_wgsl"));
    WgslText result{.text = TRY(read_text(wgsl.text, "text"))};
    if (wgsl.file.size > 0) result.options.file = TRY(read_text(wgsl.file, "file"));
    result.options.entry = TRY(read_text(wgsl.entry, "entry"));
    for (const muster_option& one : TRY(read_values(wgsl.overrides, wgsl.override_count, "overrides")))
        result.options.overrides.push_back({std::string(TRY(read_text(one.name, "an override's name"))),
                                            std::string(TRY(read_text(one.value, "an override's value")))});
    for (const muster_string& one : TRY(read_values(wgsl.enables, wgsl.enable_count, "enables")))
        result.options.enables.emplace_back(TRY(read_text(one, "an extension's name")));
    return result;
}

report::Json report(const wgsl::Resource& resource) {
    return {{"name", resource.name},           {"group", resource.group},
            {"binding", resource.binding},     {"space", name(resource.space)},
            {"access", name(resource.access)}, {"is_immediate", resource.is_immediate},
            {"min_bytes", resource.min_bytes}};
}

/// The entry points with their resources, and the overrides.
Result<report::Json> interface_json(const WgslText& wgsl) {
    const wgsl::Interface found = TRY(wgsl::interface_of(wgsl.text, wgsl.options));
    report::Json json{
        {"enables", found.enables}, {"entries", report::Json::array()}, {"overrides", report::Json::array()}};
    for (const wgsl::EntryInterface& entry : found.entries) {
        report::Json resources = report::Json::array();
        for (const wgsl::Resource& resource : entry.resources) resources.push_back(report(resource));
        report::Json unsupported = report::Json::array();
        for (const Diagnostic& fault : entry.unsupported) unsupported.push_back(fault.message);
        json["entries"].push_back(
            {{"name", entry.name}, {"resources", resources}, {"unsupported", unsupported}});
    }
    for (const wgsl::Override& one : TRY(wgsl::overrides(wgsl.text, wgsl.options))) {
        report::Json& member = json["overrides"].push_back(
            {{"name", one.name}, {"type", info(one.type).name}, {"has_default", one.has_default}});
        if (one.id) member["id"] = *one.id;
    }
    return json;
}

}  // namespace

Answer<std::string> ProgramObject::json() const { return report::of(file).text(); }

void add_programs(muster_api& api) {
    api.program_from_wgsl = [](const muster_wgsl* given, muster_program* program) {
        return call([&]() -> Answer<void> {
            if (program == nullptr) return null_pointer("program");
            const WgslText wgsl = TRY(read_wgsl(given));
            ArtifactFile file{.program = TRY(validate(TRY(wgsl::parse(wgsl.text, wgsl.options))))};
            return give_handle(program, std::make_shared<ProgramObject>(std::move(file)));
        });
    };
    api.program_from_bytes = [](const void* data, std::size_t size, muster_program* program) {
        return call([&]() -> Answer<void> {
            if (program == nullptr) return null_pointer("program");
            ArtifactFile file = TRY(read_artifact_file(TRY(read_bytes(data, size, "data"))));
            return give_handle(program, std::make_shared<ProgramObject>(std::move(file)));
        });
    };
    api.program_bytes = [](muster_program program, muster_blob* bytes) {
        return call([&]() -> Answer<void> {
            if (bytes == nullptr) return null_pointer("bytes");
            const std::vector<std::byte> made =
                artifact_file_bytes(TRY(get<ProgramObject>(program.id))->file);
            return give_blob(bytes, {reinterpret_cast<const char*>(made.data()), made.size()});
        });
    };
    api.wgsl_interface = [](const muster_wgsl* given, muster_blob* json) {
        return call([&]() -> Answer<void> {
            if (json == nullptr) return null_pointer("json");
            return give_blob(json, TRY(interface_json(TRY(read_wgsl(given)))).text());
        });
    };
    api.program_code = [](muster_program program, std::size_t index, muster_artifact* code) {
        return call([&]() -> Answer<muster_status> {
            if (code == nullptr) return null_pointer("code");
            const auto from = TRY(get<ProgramObject>(program.id));
            if (index >= from->file.codes.size()) return MUSTER_NONE;
            TRY(give_handle(code, std::make_shared<ArtifactObject>(from->file.codes[index])));
            return MUSTER_OK;
        });
    };
}

}  // namespace muster::c
