#include "support/cuda_host.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <muster/foundation/base/round_up.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::test {
namespace {

namespace files = std::filesystem;

constexpr std::size_t kernels_per_unit = 12;
// Without fast mathematics or contraction, as the text requires of NVRTC in exact mode.
constexpr std::string_view options = "-std=c++17 -O1 -w -ffp-contract=off -fvisibility=hidden -fPIC -shared";
constexpr std::string_view traps =
    "-fsanitize=undefined,float-cast-overflow -fno-sanitize=vptr -fsanitize-undefined-trap-on-error";

std::string command(HostBuild how) {
    return fmt::format("{} {} {}", MUSTER_HOST_COMPILER, options, how == HostBuild::trapping ? traps : "");
}

/// Opens the library of the grid, whose functions the units call.
bool has_grid() {
    static void* const opened = dlopen(MUSTER_CUDA_SHIM_LIBRARY, RTLD_NOW | RTLD_GLOBAL);
    return opened != nullptr;
}

std::string contents(const files::path& path) {
    std::ifstream in(path);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

/// Writes the file whole or not at all: other processes may look for it.
void write_file(const files::path& path, const std::string& text) {
    const files::path mine = fmt::format("{}.{}", path.string(), getpid());
    std::ofstream(mine) << text;
    files::rename(mine, path);
}

/// The text, with dynamic shared memory made static, which the host has none of, and without PTX's conversions of f16.
std::string for_the_host(const cuda::CudaSource& source) {
    static const std::regex dynamic(R"(extern __shared__ __align__\(16\) (\w+) (\w+)\[\];)");
    static const std::regex narrowing(
        R"re(asm\("cvt\.rn\.f16\.f32 %0, %1;" : "=h"\((\w+)\) : "f"\((\w+)\)\);)re");
    static const std::regex widening(R"re(asm\("cvt\.f32\.f16 %0, %1;" : "=f"\((\w+)\) : "h"\((\w+)\)\);)re");
    std::string text =
        std::regex_replace(source.text, dynamic,
                           fmt::format("__shared__ __attribute__((aligned(16))) $1 $2[{} / sizeof($1)];",
                                       source.dynamic_shared_bytes));
    text = std::regex_replace(text, narrowing, "$1 = shim_cvt_rn_f16_f32($2);");
    return std::regex_replace(text, widening, "$1 = shim_cvt_f32_f16($2);");
}

std::string unit_text(HostBuild how, std::span<const cuda::CudaSource* const> unit) {
    const files::path shim = MUSTER_CUDA_SHIM;
    static const std::string head = contents(shim / "run.hpp") + contents(shim / "shim.hpp");
    static const std::string functions = contents(shim / "functions.hpp");
    std::string text = fmt::format("// {}\n{}", command(how), head);
    for (std::size_t k = 0; k < unit.size(); ++k)
        text += fmt::format(
            "namespace kernel_{0} {{\n#undef MUSTER_SHIM_SHARED\n#define MUSTER_SHIM_SHARED "
            "\"kernel_{0}\"\n{1}"
            "#line 1 \"{2}.cu\"\n{3}}}\nMUSTER_SHIM_KERNEL(kernel_{0}, {2})\n",
            k, functions, unit[k]->entry, for_the_host(*unit[k]));
    return text;
}

/// The library of a translation unit, taken from an earlier run if the text is the same.
Result<files::path> library_of(HostBuild how, const std::string& text) {
    const files::path folder = MUSTER_CUDA_HOST_FOLDER;
    files::create_directories(folder);
    const std::string name = fmt::format("{:016x}", std::hash<std::string>{}(text));
    const files::path source = folder / (name + ".cpp"), library = folder / (name + ".so");
    if (files::exists(library) && contents(source) == text) {
        files::last_write_time(library, files::file_time_type::clock::now());
        return library;
    }
    write_file(source, text);
    const std::string mine = fmt::format("{}.{}", library.string(), getpid());
    const std::string build =
        fmt::format("{0} -o '{1}' '{2}' >'{1}.log' 2>&1", command(how), mine, source.string());
    const bool is_built = std::system(build.c_str()) == 0;
    const std::string log = contents(mine + ".log");
    files::remove(mine + ".log");
    if (!is_built)
        return fail(ErrorCode::compile_failed,
                    fmt::format("The host's compiler refuses {}:\n{}", source.string(), log));
    files::rename(mine, library);
    return library;
}

/// Removes libraries that nobody has used for three days.
void remove_stale() {
    std::error_code ignored;
    const auto oldest = files::file_time_type::clock::now() - std::chrono::hours(72);
    for (const auto& entry : files::directory_iterator(MUSTER_CUDA_HOST_FOLDER, ignored)) {
        const files::path library = files::path(entry.path()).replace_extension(".so");
        if (files::last_write_time(files::exists(library) ? library : entry.path(), ignored) < oldest)
            files::remove(entry.path(), ignored);
    }
}

std::vector<std::uint32_t> offsets_told(const cuda::CudaSource& source) {
    std::vector<std::uint32_t> offsets;
    for (const cuda::Parameter& parameter : source.parameters) {
        offsets.push_back(parameter.offset);
        if (parameter.array_stride != 0) offsets.push_back(parameter.length_offset);
    }
    for (const auto& offset : {source.origin_offset, source.grid_offset, source.barrier_state_offset})
        if (offset) offsets.push_back(*offset);
    return offsets;
}

Result<void> check_layout(const cuda::CudaSource& source, const muster_shim::Layout& layout) {
    const std::vector<std::uint32_t> told = offsets_told(source);
    if (std::ranges::equal(told, std::span(layout.offsets, layout.count)) &&
        source.parameter_bytes == layout.bytes)
        return {};
    std::string message = fmt::format("Parameters of {}: told / as the compiler has them:", source.entry);
    for (std::size_t k = 0; k < std::max<std::size_t>(told.size(), layout.count); ++k)
        message +=
            fmt::format(" {} / {},", k < told.size() ? told[k] : 0, k < layout.count ? layout.offsets[k] : 0);
    return fail(ErrorCode::internal,
                fmt::format("{} in all {} / {} bytes.", message, source.parameter_bytes, layout.bytes));
}

}  // namespace

Result<cuda::CudaSource> host_source(const ValidProgram& program, const CompileOptions& options,
                                     bool dispatched) {
    return cuda::lower(program, {.options = options,
                                 .dispatched = dispatched,
                                 .debug = dispatched,
                                 .entry_name = (dispatched ? "dispatched_" : "emitted_") +
                                               to_string(program->fingerprint())});
}

HostKernel::HostKernel(const muster_shim::Kernel& code, const cuda::CudaSource& source)
    : code_(&code),
      block_(source.workgroup_size),
      has_barriers_(
          std::ranges::any_of(std::array{"__syncthreads", "__ballot_sync", "__shfl_sync", "__activemask"},
                              [&](const char* name) { return source.text.contains(name); })),
      is_cooperative_(source.barrier_state_offset.has_value()) {}

Result<void> HostKernel::launch(std::span<const std::byte> parameters, Extent3 grid,
                                std::uint64_t seed) const {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    alignas(16) std::byte block[cuda::most_parameter_bytes];
    std::ranges::copy(parameters, block);
    const std::string wrong = code_->run({.parameters = reinterpret_cast<const unsigned char*>(block),
                                          .block = {block_.x, block_.y, block_.z},
                                          .grid = {grid.x, grid.y, grid.z},
                                          .seed = seed,
                                          .has_barriers = has_barriers_,
                                          .is_cooperative = is_cooperative_});
    if (!wrong.empty()) return fail(ErrorCode::internal, wrong);
    return {};
}

HostKernels& HostKernels::process(HostBuild how) {
    static HostKernels plain(HostBuild::plain), trapping(HostBuild::trapping);
    return how == HostBuild::plain ? plain : trapping;
}

bool HostKernels::has(const cuda::CudaSource& source) {
    const std::lock_guard lock(mutex_);
    return built_.contains(source.text);
}

Result<void> HostKernels::build_unit(const Unit& unit) {
    const files::path library = TRY(library_of(how_, unit_text(how_, unit)));
    void* const opened = has_grid() ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (opened == nullptr) return fail(ErrorCode::internal, dlerror());
    const std::lock_guard lock(mutex_);
    for (const cuda::CudaSource* source : unit)
        built_[source->text] =
            static_cast<const muster_shim::Kernel*>(dlsym(opened, ("muster_shim_" + source->entry).c_str()));
    return {};
}

void HostKernels::build(std::span<const cuda::CudaSource> sources) {
    remove_stale();
    std::map<std::string, const cuda::CudaSource*> wanted;  // by name: a unit has each kernel once
    for (const cuda::CudaSource& source : sources)
        if (!has(source)) wanted.emplace(source.entry, &source);
    std::vector<Unit> units;
    for (const auto& [name, source] : wanted) {
        if (units.empty() || units.back().size() == kernels_per_unit) units.emplace_back();
        units.back().push_back(source);
    }
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t mine = next++; mine < units.size(); mine = next++) (void)build_unit(units[mine]);
    };
    std::vector<std::jthread> threads;
    for (unsigned k = 0; k < std::thread::hardware_concurrency(); ++k) threads.emplace_back(work);
}

Result<HostKernel> HostKernels::find(const cuda::CudaSource& source) {
    if (!has(source)) TRY(build_unit({&source}));
    const muster_shim::Kernel* code = nullptr;
    {
        const std::lock_guard lock(mutex_);
        code = built_[source.text];
    }
    if (code == nullptr) return fail(ErrorCode::internal, source.entry + " isn't in its library.");
    TRY(check_layout(source, code->layout));
    return HostKernel(*code, source);
}

}  // namespace muster::test
