#include <optional>

#include <fmt/format.h>

#include <muster/driver/artifact/artifact_fields.hpp>
#include <muster/driver/cache/disk_cache.hpp>
#include <muster/driver/contract/records.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/driver/routing/compile_for.hpp>
#include <muster/driver/routing/given_code.hpp>
#include <muster/driver/routing/prepare.hpp>
#include <muster/driver/trace/recorder.hpp>
#include <muster/foundation/base/byte_archive.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::routing {
namespace {

std::string_view characters(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Each function names all members of its structure, so that adding a member doesn't compile until it is
// decided whether code depends on it. What changes while a device is used (free memory, a clock) must not be
// written: no process would find another's code.

void write_ops(ByteWriter& writer, const OpSet& ops) {
    const auto& [core, f16, f32_atomics, wide_atomics, extensions] = ops;
    writer.bits("ops", core);
    writer.bits("ops of f16", f16);
    writer.bits("atomics of f32", f32_atomics);
    writer.flag("wide atomics", wide_atomics);
    writer.list("extensions", extensions, [&](const std::string& id) { writer.text("extension", id); });
}

void write_exactness(ByteWriter& writer, const Exactness& exactness) {
    const auto& [nearest, specials, subnormals, division, root, fma, mathematics, subgroup_order] = exactness;
    for (const Promise promise :
         {nearest, specials, subnormals, division, root, fma, mathematics, subgroup_order})
        writer.choice("promise", promise, Promise::promised);
}

/// The properties of a device that decide about its code, besides the program.
void write_device(ByteWriter& writer, const DeviceInfo& info) {
    const auto& [ordinal, name, arch, kind, software_emulated, uuid, driver, memory_bytes, subgroup_size,
                 subgroup_sizes, no_subgroups, limits, ops, scalars, exactness, on_request, compiler,
                 hardware, no_compiler] = info;
    // Which device it is, and how large: devices of one name, driver and arch run each other's code.
    (void)ordinal, (void)kind, (void)software_emulated, (void)uuid, (void)memory_bytes, (void)on_request;
    // How to spread work, and what is missing where the code runs.
    (void)hardware, (void)no_compiler;
    // A program's needs were checked, and the size of subgroups is among the options.
    (void)subgroup_size, (void)subgroup_sizes, (void)no_subgroups, (void)limits, (void)scalars;
    for (const std::string* text : {&compiler, &name, &arch, &driver}) writer.text("device", *text);
    write_ops(writer, ops);
    write_exactness(writer, exactness);
}

/// The program with what its code's debug map leads to, which its fingerprint leaves out.
void write_program(ByteWriter& writer, const Program& program) {
    exchange_digest(writer, program.fingerprint());
    for (const SourceFile& file : program.files()) exchange_file(writer, file);
    for (std::uint32_t i = 0; i < program.node_count(); ++i) {
        const SourceLocation location = program.location(NodeId{i});
        exchange_location(writer, location);
    }
}

/// The key of a program's code; none if it isn't kept. `options` have the size of subgroups.
std::optional<CacheKey> key_of(const DeviceInfo& info, const Program& program,
                               const CompileOptions& options) {
    static constexpr BuildText build = build_fingerprint();
    static const std::string driver = platform::build_of_file(platform::driver_module());
    if (info.compiler.empty() || driver.empty()) return std::nullopt;
    ByteWriter writer;
    writer.text("build", build.view());
    writer.text("driver", driver);
    write_device(writer, info);
    write_program(writer, program);
    exchange_options(writer, options);
    return digest_of(writer.bytes());
}

/// The entry of a program's code for a device in a cache.
class KeptCode {
  public:
    KeptCode(const DiskCache& cache, const DeviceInfo& info, const Program& program,
             const CompileOptions& options)
        : cache_(cache), device_(info.name) {
        if (!cache.folder().empty()) key_ = key_of(info, program, options);
    }

    std::optional<Artifact> find() const {
        const auto bytes = key_ ? cache_.find(*key_) : std::nullopt;
        if (!bytes) return std::nullopt;
        ByteReader reader(std::as_bytes(std::span(*bytes)));
        Artifact artifact;
        exchange_artifact(reader, artifact);
        if (!reader.done()) return std::nullopt;
        artifact.is_stored = true;
        return artifact;
    }
    void keep(const Artifact& artifact) const {
        if (!key_) return;
        ByteWriter writer;
        exchange_artifact(writer, artifact);
        cache_.keep(*key_, fmt::format("{} for {}", artifact.entry, device_),
                    characters(std::move(writer).take()));
    }
    void drop() const {
        if (key_) cache_.drop(*key_);
    }

  private:
    const DiskCache& cache_;
    std::string device_;
    std::optional<CacheKey> key_;
};

Result<ValidProgram> expanded_for(const Device& device, const ValidProgram& program,
                                  const CompileOptions& options) {
    const trace::Span span(trace::Stage::expand, program->entry());
    return expand_for(program, device.info().ops, device.info().exactness, options);
}

Result<Artifact> compile_and_keep(Device& device, const ValidProgram& expanded, const CompileOptions& options,
                                  const KeptCode& kept) {
    Artifact artifact = TRY(device.compile(expanded, options));
    kept.keep(artifact);
    return artifact;
}

const DiskCache& cache_of(const CodeSources& sources) {
    return sources.cache == nullptr ? DiskCache::process() : *sources.cache;
}

bool may_be_the_codes_fault(const Error& error) {
    return error.code != ErrorCode::out_of_memory && error.code != ErrorCode::device_lost;
}

}  // namespace

namespace {

Result<SoonestCode> code_for(Device& device, const ValidProgram& program, const CompileOptions& given,
                             const CodeSources& sources, bool may_be_quick) {
    const CompileOptions options = with_subgroup_size(given, *program, device.info().subgroup_size);
    if (sources.given)
        if (auto artifact = given_code(*sources.given, device.info(), *program, given))
            return SoonestCode{*std::move(artifact)};
    const KeptCode kept(cache_of(sources), device.info(), *program, options);
    if (auto artifact = kept.find()) {
        trace::mark("code found on disk", program->entry());
        return SoonestCode{*std::move(artifact)};
    }
    const ValidProgram expanded = TRY(expanded_for(device, program, options));
    if (may_be_quick)
        if (auto quick = device.compile_quickly(expanded, options); quick && *quick)
            return SoonestCode{**std::move(quick), true};  // an error may be that of quick code alone
    return SoonestCode{TRY(compile_and_keep(device, expanded, options, kept))};
}

}  // namespace

Result<Artifact> compile_for(Device& device, const ValidProgram& program, const CompileOptions& options,
                             const CodeSources& sources) {
    return TRY(code_for(device, program, options, sources, false)).artifact;
}

Result<SoonestCode> soonest_code_for(Device& device, const ValidProgram& program,
                                     const CompileOptions& options, const CodeSources& sources) {
    return code_for(device, program, options, sources, true);
}

Result<std::unique_ptr<Executable>> load_for(Device& device, const ValidProgram& program,
                                             const CompileOptions& given, Artifact& artifact,
                                             const CodeSources& sources) {
    auto loaded = device.load(artifact);
    if (loaded || !artifact.is_stored || !may_be_the_codes_fault(loaded.error())) return loaded;
    const CompileOptions options = with_subgroup_size(given, *program, device.info().subgroup_size);
    const KeptCode kept(cache_of(sources), device.info(), *program, options);
    kept.drop();
    artifact = TRY(during(
        [&] { return "compiling it, because its stored code doesn't load: " + loaded.error().message; },
        compile_and_keep(device, TRY(expanded_for(device, program, options)), options, kept)));
    return device.load(artifact);
}

}  // namespace muster::routing
