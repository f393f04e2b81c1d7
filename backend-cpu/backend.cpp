#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include <muster/backend-cpu/backend.hpp>
#include <muster/backend-cpu/compile/compile_isolated.hpp>
#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/backend-cpu/device/device.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/policy/environment.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {

namespace {

Result<std::string> parse_symbol(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    bool fits = !text.empty() && letter(text.front());
    for (const char c : text) fits = fits && (letter(c) || (c >= '0' && c <= '9'));
    if (!fits)
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The compile spec symbol is \"{}\", no name in C.", text),
                    "use letters, digits and '_', no digit first");
    return std::string(text);
}

}  // namespace

// The machine, and on request each level of its architecture.
std::vector<CpuOptions> CpuBackend::devices() const {
    std::vector<CpuOptions> all{options_};
    all[0].debug_info = options_.debug_info || environment_debug_info().value_or(false);
    if (!options_.arch.empty()) return all;
    for (const ArchTraits& level : arch_levels()) {
        if (!level.runs_here) continue;
        all.push_back(all[0]);
        all.back().arch = level.arch;
        all.back().ordinal = static_cast<std::uint32_t>(all.size() - 1);
    }
    return all;
}

Result<std::vector<DeviceInfo>> CpuBackend::probe() {
    std::vector<DeviceInfo> infos;
    for (const CpuOptions& device : devices()) infos.push_back(host_info(device));
    return infos;
}

Result<std::unique_ptr<Device>> CpuBackend::open(std::uint32_t ordinal) {
    TRY(environment_debug_info());  // a value that is neither 0 nor 1
    const std::vector<CpuOptions> all = devices();
    if (ordinal >= all.size()) return no_such_device("CPU", ordinal, all.size());
    return std::make_unique<CpuDevice>(all[ordinal]);
}

// The level that most machines in use have; independent of the machine that emits,
// apart from its architecture.
std::string CpuBackend::default_arch() const { return host().arch == "aarch64" ? "aarch64" : "x86-64-v3"; }

std::span<const std::string> CpuBackend::formats() const {
    static const std::array<std::string, 3> all{"object", "asm", "llvm-ir"};
    return all;
}

std::span<const SpecInfo> CpuBackend::specs() const {
    static const std::array<SpecInfo, 2> all{
        {{"symbol", "name of the C function; by default the program's entry point"},
         {"width", "invocations per vector, a power of two up to 64; by default the target's choice", true}}};
    return all;
}

Result<Target> CpuBackend::describe(std::string_view arch) {
    const ArchTraits* traits = arch_traits(arch);
    if (traits == nullptr) return no_such_target("CPU", arch, arch_names());
    Target target{.backend = options_.id, .arch = std::string(arch), .kind = DeviceKind::cpu};
    target.no_compiler = missing_compiler();
    target.limits = limits();
    target.ops = supported_ops();
    target.exactness = exactness(traits->has_fma);
    target.scalars.set();
    target.subgroup_size = subgroup_size(options_.width != 0 ? options_.width : traits->width);
    target.subgroup_sizes = subgroup_sizes;
    return target;
}

Result<Artifact> CpuBackend::emit(const ValidProgram& program, const Target& target,
                                  const EmitRequest& request) {
    CompileRequest asked;
    asked.target.arch = target.arch;
    asked.options = request.options;
    asked.width = options_.width;
    asked.format = request.to_load ? "image" : request.format.empty() ? formats().front() : request.format;
    for (const auto& [key, value] : request.options.specs) {
        if (key == "width") asked.width = TRY(parse_width(value));
        if (key == "symbol") asked.symbol = TRY(parse_symbol(value));
    }
    return compile(program, asked);
}

// A level's code runs on every later level of the same architecture.
std::string CpuBackend::objection(const Artifact& code, const DeviceInfo& device) const {
    const auto levels = arch_levels();
    const auto level_of = [&](std::string_view arch) {
        return std::ranges::find(levels, arch, &ArchTraits::arch);
    };
    const std::string_view target = code.target;
    const auto needed = level_of(target.substr(std::min(target.size(), target.find(':') + 1)));
    const auto there = level_of(device.arch);
    const bool same_family = needed != levels.end() && there != levels.end() &&
                             needed->arch.starts_with("x86") == there->arch.starts_with("x86");
    return same_family && needed <= there ? std::string() : Backend::objection(code, device);
}

std::optional<std::uint64_t> CpuBackend::free_memory(std::uint32_t) {
    return platform::free_host_memory_bytes();
}

Result<std::string> CpuBackend::disassemble(const Artifact& code) const {
    return code.format == "image" || code.format == "object" ? cpu::disassemble(code)
                                                             : Backend::disassemble(code);
}

}  // namespace muster::cpu
