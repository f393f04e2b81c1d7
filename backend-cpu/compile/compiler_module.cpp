#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <muster/backend-cpu/compile/compiler_module.hpp>
#include <muster/backend-cpu/native/host.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/support/module_of.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cpu {
namespace {

constexpr const char* file_name = "libmuster_backend_cpu_compiler.so";

/// Refuses a compiler of any other build: values of C++ types cross the interface.
Result<const Compiler*> checked(const Compiler* compiler, std::string_view where) {
    static constexpr AbiText ours = compiler_fingerprint();
    if (compiler == nullptr || compiler->fingerprint == nullptr || compiler->fingerprint != ours.view())
        return fail(
            ErrorCode::unavailable,
            fmt::format("The CPU backend's compiler, {}, is of another build: \"{}\" instead of \"{}\".",
                        where, compiler && compiler->fingerprint ? compiler->fingerprint : "", ours.view()),
            "install the compiler and the backend from the same build");
    return compiler;
}

/// True if the process may still map as many addresses as LLVM and its dependencies take. A loader's error says only
/// that something couldn't be mapped.
bool has_room_for_llvm() {
    constexpr std::size_t bytes = std::size_t{256} << 20;
    void* at = MAP_FAILED;
    const auto mapped = check_errno("mmap", [&] {
        at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return at == MAP_FAILED ? errno : 0;
    });
    if (at != MAP_FAILED) munmap(at, bytes);
    return mapped.has_value();
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
        for (const char* folder : {MUSTER_LIBRARY_FOLDER, "lib"}) add(beside / ".." / folder / "muster");
    }
    places.emplace_back(file_name);
    return places;
}

std::string compiler_file() {
    const std::string backend = module_of(reinterpret_cast<const void*>(&compiler_file));
#if defined(MUSTER_BACKEND_CPU_LINK_COMPILER)
    return backend;
#endif
    const auto places = compiler_places(backend);
    for (const std::string& place : places)
        if (access(place.c_str(), F_OK) == 0) return place;
    return places.back();
}

const std::string& compiler_identity() {
    static const std::string identity =
        fmt::format("cpu backend, {}; compiler, {}; {}",
                    build_of_file(module_of(reinterpret_cast<const void*>(&compiler_file))),
                    build_of_file(compiler_file()), host_features());
    return identity;
}

Result<const Compiler*> open_compiler(std::span<const std::string> places) {
    std::string why;  // of the first file that exists but doesn't load, otherwise of the last place
    bool is_there = false;
    for (const std::string& place : places) {
        const bool is_path = place.find('/') != place.npos;
        if (is_path && access(place.c_str(), F_OK) != 0) continue;
        is_there = is_there || is_path;
        // Never closed: objects that it made live on, and LLVM can't be unloaded.
        void* const module = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (module == nullptr) {
            const char* error = dlerror();
            if (why.empty() && error != nullptr) why = error;
            continue;
        }
        using Entry = decltype(&muster_cpu_compiler);
        const auto entry = reinterpret_cast<Entry>(dlsym(module, "muster_cpu_compiler"));
        if (entry == nullptr)
            return fail(
                ErrorCode::unavailable,
                fmt::format("{} isn't the CPU backend's compiler: it has no muster_cpu_compiler.", place),
                "install the compiler and the backend from the same build");
        return checked(entry(), place);
    }
    if (is_there && !has_room_for_llvm())
        return fail(
            ErrorCode::out_of_memory,
            fmt::format("The CPU backend's compiler can't be loaded: {}. With LLVM it takes some 256 MiB of "
                        "addresses, and the process may not have so many more.",
                        why),
            "raise the limit on the process's memory (ulimit -v, or that of its service or batch job), by "
            "512 MiB to be sure, or compile elsewhere, by muster emit");
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
        open_compiler(compiler_places(module_of(reinterpret_cast<const void*>(&compiler))));
    return opened;
#endif
}

}  // namespace muster::cpu
