#include <algorithm>
#include <filesystem>
#include <system_error>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <link.h>
#include <unistd.h>

#include <muster/backend-cpu/compiler_module.hpp>
#include <muster/driver/records.hpp>
#include <muster/foundation/try.hpp>

namespace muster::cpu {
namespace {

constexpr const char* file_name = "libmuster_backend_cpu_compiler.so";

/// Of our build, and no other: values of C++ types go in and come out.
Result<const Compiler*> checked(const Compiler* compiler, std::string_view where) {
    static constexpr AbiText ours = abi_fingerprint();
    if (compiler == nullptr || compiler->abi_fingerprint == nullptr ||
        compiler->abi_fingerprint != ours.view())
        return fail(
            ErrorCode::unavailable,
            fmt::format("The CPU backend's compiler, {}, is of another build: \"{}\" instead of \"{}\".",
                        where, compiler && compiler->abi_fingerprint ? compiler->abi_fingerprint : "",
                        ours.view()),
            "install the compiler and the backend from the same build");
    return compiler;
}

#if !defined(MUSTER_BACKEND_CPU_LINK_COMPILER)

/// The library or program that this code is in.
std::string holder_path() {
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(reinterpret_cast<const void*>(&holder_path), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
    const char* name = static_cast<const link_map*>(map)->l_name;
    return name != nullptr && *name != '\0' ? name
                                            : "/proc/self/exe";  // the program itself has no name there
}

#endif

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
        add(real.parent_path());
        for (const char* folder : {MUSTER_LIBRARY_FOLDER, "lib"}) add(real.parent_path() / ".." / folder);
    }
    places.emplace_back(file_name);
    return places;
}

Result<const Compiler*> open_compiler(std::span<const std::string> places) {
    std::string why;  // of the last place that has the file, else of the last
    for (const std::string& place : places) {
        const bool is_path = place.find('/') != place.npos;
        if (is_path && access(place.c_str(), F_OK) != 0) continue;
        // Never closed: what it gave out lives on, and LLVM can't be unloaded.
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
    static const Result<const Compiler*> opened = open_compiler(compiler_places(holder_path()));
    return opened;
#endif
}

}  // namespace muster::cpu
