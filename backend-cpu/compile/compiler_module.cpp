#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/library_search.hpp>
#include <muster/driver/platform/may_run.hpp>
#include <muster/driver/platform/memory.hpp>
#include <muster/driver/platform/module_of.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr const char* file_name = "libmuster_backend_cpu_compiler.so";

/// Refuses a compiler of any other build: values of C++ types cross the interface.
Result<const Compiler*> checked(const Compiler* compiler, std::string_view where) {
    static constexpr BuildText ours = compiler_fingerprint();
    if (compiler == nullptr || compiler->fingerprint == nullptr || compiler->fingerprint != ours.view())
        return fail(
            ErrorCode::unavailable,
            fmt::format("The CPU backend's compiler, {}, is of another build: \"{}\" instead of \"{}\".",
                        where, compiler && compiler->fingerprint ? compiler->fingerprint : "", ours.view()),
            "install the compiler and the backend from the same build");
    return compiler;
}

/// True if the process may still map as many addresses as LLVM and its dependencies take. A loader's error
/// says only that something couldn't be mapped.
bool has_room_for_llvm() {
    constexpr std::uint64_t bytes = std::uint64_t{256} << 20;
    return check_errno("mmap", [] { return platform::why_no_addresses(bytes); }).has_value();
}

bool is_there(const std::string& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored);
}

/// The file that a place stands for: a path itself, or what the loader would open for a plain name, so that
/// it is judged like a path. None: the loader would find nothing.
std::optional<std::string> file_at(const std::string& place) {
    if (place.find('/') != place.npos) return place;
    return library_file(place, platform::driver_module());  // whose run paths the loader takes
}

}  // namespace

std::vector<std::string> compiler_places(const std::string& holder) {
    std::vector<std::string> places;
    const auto add = [&](const std::filesystem::path& folder) {
        const std::string place = (folder.lexically_normal() / file_name).string();
        if (std::ranges::find(places, place) == places.end()) places.push_back(place);
    };
    std::error_code ignored;
    const std::filesystem::path real = std::filesystem::canonical(holder, ignored);
    if (!real.empty()) {
        const std::filesystem::path beside = real.parent_path();
        add(beside);
        add(beside / "muster");                                          // beside a library
        if (beside.filename() == "backends") add(beside.parent_path());  // beside the folder of a plugin
        if (beside.filename() == "bin")
            for (const char* folder : {MUSTER_LIBRARY_FOLDER, "lib"}) add(beside / ".." / folder / "muster");
    }
    places.emplace_back(file_name);
    return places;
}

std::string compiler_file() {
    const std::string backend = platform::module_of(reinterpret_cast<const void*>(&compiler_file));
#if defined(MUSTER_BACKEND_CPU_LINK_COMPILER)
    return backend;
#endif
    const auto places = compiler_places(backend);
    for (const std::string& place : places)
        if (const auto file = file_at(place))
            if (is_there(*file) && !platform::passed_over(*file, backend)) return *file;
    return places.back();
}

const std::optional<Missing>& missing_compiler() {
#if defined(MUSTER_BACKEND_CPU_LINK_COMPILER)
    static const std::optional<Missing> missing;
#else
    static const std::optional<Missing> missing = []() -> std::optional<Missing> {
        if (!missing_library(compiler_file(), platform::module_of(reinterpret_cast<const void*>(&compiler))))
            return std::nullopt;
        const auto& opened = compiler();
        if (opened) return std::nullopt;
        return Missing{opened.error().message, opened.error().fix};
    }();
#endif
    return missing;
}

const std::string& compiler_identity() {
    static const std::string identity = fmt::format(
        "cpu backend, {}; compiler, {}; {}",
        platform::build_of_file(platform::module_of(reinterpret_cast<const void*>(&compiler_file))),
        platform::build_of_file(compiler_file()), host_features());
    return identity;
}

Result<const Compiler*> open_compiler(std::span<const std::string> places) {
    std::string why;  // of the first file that exists but doesn't load, otherwise of the last place
    std::optional<Error> refused;
    bool any_is_there = false;
    const std::string backend = platform::module_of(reinterpret_cast<const void*>(&compiler_file));
    for (const std::string& place : places) {
        const auto file = file_at(place);
        const bool is_path = file && file->find('/') != file->npos;
        if (!file && why.empty()) why = place + ": cannot open shared object file: No such file or directory";
        if (!file || (is_path && !is_there(*file))) continue;
        if (is_path)
            if (auto reason = platform::passed_over(*file, backend)) {
                if (!refused) refused = std::move(reason);
                continue;
            }
        any_is_there = any_is_there || is_path;
        auto module = DriverLibrary::open(file->c_str(), CodePlace::found, backend);
        if (!module) {
            if (why.empty()) why = module.error().message;
            continue;
        }
        using Entry = decltype(&muster_cpu_compiler);
        const auto entry = reinterpret_cast<Entry>(module->find("muster_cpu_compiler"));
        module->keep();  // objects that it makes live on, and LLVM can't be unloaded
        if (entry == nullptr)
            return fail(
                ErrorCode::unavailable,
                fmt::format("{} isn't the CPU backend's compiler: it has no muster_cpu_compiler.", *file),
                "install the compiler and the backend from the same build");
        return checked(entry(), *file);
    }
    if (any_is_there && !has_room_for_llvm())
        return fail(
            ErrorCode::out_of_memory,
            fmt::format("The CPU backend's compiler can't be loaded: {}. With LLVM it takes some 256 MiB of "
                        "addresses, and the process may not have so many more.",
                        why),
            "raise the limit on the process's memory (ulimit -v, or that of its service or batch job), by "
            "512 MiB to be sure, or compile elsewhere, by muster emit");
    if (refused && !any_is_there) return std::unexpected(*std::move(refused));
    return fail(ErrorCode::unavailable,
                fmt::format("The CPU backend's compiler can't be opened{}{}. It was looked for as {}.",
                            why.empty() ? "" : ": ", why, fmt::join(places, ", ")),
                fmt::format("install {} beside the backend, with LLVM 19, or build muster with "
                            "MUSTER_BACKEND_CPU_LINK_COMPILER=ON",
                            file_name));
}

Result<const Compiler*> compiler() {
#if defined(MUSTER_BACKEND_CPU_LINK_COMPILER)
    return checked(muster_cpu_compiler(), "which is linked in");
#else
    static const Result<const Compiler*> opened =
        open_compiler(compiler_places(platform::module_of(reinterpret_cast<const void*>(&compiler))));
    return opened;
#endif
}

}  // namespace muster::cpu
