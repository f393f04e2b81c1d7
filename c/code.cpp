// Emission, artifacts and blobs.
#include <muster/c/objects.hpp>
#include <muster/c/session_options.hpp>
#include <muster/c/slots.hpp>
#include <muster/driver/process/process_fleet.hpp>
#include <muster/driver/report/report.hpp>

namespace muster::c {
namespace {

Answer<std::string> disassembled(const Artifact& code) {
    const std::shared_ptr<Fleet> fleet = process_fleet();
    const std::string id = code.target.substr(0, code.target.find(':'));
    const auto which = fleet->find(id);
    if (!which)
        return std::unexpected(Error{ErrorCode::not_found,
                                     "No backend here is called " + id + ".",
                                     "link it, or put its plugin where muster looks for it",
                                     {}});
    return TRY(TRY(fleet->backend(*which))->disassemble(code));
}

report::Json debug_map_json(const Artifact& artifact) {
    report::Json map = report::Json::array();
    for (const DebugEntry& entry : artifact.debug_map) {
        const bool has_file = entry.source.file < artifact.files.size();
        map.push_back({{"target", entry.target},
                       {"node", entry.node.index},
                       {"file", has_file ? report::Json(artifact.files[entry.source.file].name)
                                         : report::Json(nullptr)},
                       {"line", entry.source.line},
                       {"column", entry.source.column}});
    }
    return map;
}

}  // namespace

Answer<Property> BlobObject::ask(std::int32_t property) const {
    switch (property) {
        case MUSTER_CONTENT: return one(Value(std::string_view(content)));
        case MUSTER_SIZE_BYTES: return number(content.size());
        default: return no_property(property);
    }
}

Answer<std::string> ArtifactObject::json() const {
    return report::Json{{"entry", artifact.entry},
                        {"fingerprint", to_string(artifact.fingerprint)},
                        {"emitted_fingerprint", to_string(artifact.emitted_fingerprint)},
                        {"target", artifact.target},
                        {"format", artifact.format},
                        {"precision", name(artifact.options.precision)},
                        {"bytes", artifact.bytes.size()},
                        {"workgroup_size", report::of(artifact.workgroup_size)},
                        {"bindings", report::of(std::span<const BindingLayout>(artifact.bindings))},
                        {"debug_map", debug_map_json(artifact)}}
        .text();
}

void add_code(muster_api& api) {
    api.emit = [](muster_session session, muster_program program, const muster_emit_options* given,
                  muster_artifact* artifact) {
        return call([&]() -> Answer<void> {
            if (artifact == nullptr) return null_pointer("artifact");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<ProgramObject>(program.id));
            const EmitOptions options =
                TRY(read_emit_options(TRY(read(given, "muster_emit_options")), by->precision));
            return give_handle(artifact, std::make_shared<ArtifactObject>(
                                             TRY(by->session.emit(what->file.program, options))));
        });
    };
    api.package = [](muster_session session, muster_program program, const muster_emit_options* targets,
                     std::size_t count, muster_blob* bytes) {
        return call([&]() -> Answer<void> {
            if (bytes == nullptr) return null_pointer("bytes");
            const auto by = TRY(get<SessionObject>(session.id));
            const auto what = TRY(get<ProgramObject>(program.id));
            std::vector<EmitOptions> all;
            const Items<muster_emit_options> items = TRY(read_items(targets, count, "muster_emit_options"));
            for (const muster_emit_options& one : items.all)
                all.push_back(TRY(read_emit_options(one, by->precision)));
            const std::vector<std::byte> file =
                artifact_file_bytes(TRY(by->session.package(what->file.program, all)));
            return give_blob(bytes, {reinterpret_cast<const char*>(file.data()), file.size()});
        });
    };
    api.disassemble = [](muster_artifact artifact, muster_blob* text) {
        return call([&]() -> Answer<void> {
            if (text == nullptr) return null_pointer("text");
            return give_blob(text, TRY(disassembled(TRY(get<ArtifactObject>(artifact.id))->artifact)));
        });
    };
}

}  // namespace muster::c
