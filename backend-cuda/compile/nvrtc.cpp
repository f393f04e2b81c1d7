#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <muster_cuda_toolkit.hpp>

#include <muster/backend-cuda/compile/nvrtc.hpp>
#include <muster/driver/contract/check.hpp>
#include <muster/driver/platform/driver_library.hpp>
#include <muster/driver/platform/library_search.hpp>
#include <muster/driver/support/once.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cuda {
namespace {

constexpr const char* install =
    "install NVRTC 12 or later (it is in NVIDIA's CUDA Toolkit), or emit the text, --format cuda, and "
    "compile that "
    "with nvcc";

/// Makes a call, names it in the error, and translates its code.
template <class Call>
Result<void> check(const NvrtcTable& table, std::string_view name, Call&& call) {
    return check_native(name, std::forward<Call>(call), [&](nvrtcResult result) -> std::optional<Error> {
        if (result == NVRTC_SUCCESS) return std::nullopt;
        // NVRTC opens its other half, libnvrtc-builtins, when it compiles.
        const bool lacks_builtins = result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
        const ErrorCode code = result == NVRTC_ERROR_COMPILATION     ? ErrorCode::compile_failed
                               : result == NVRTC_ERROR_OUT_OF_MEMORY ? ErrorCode::out_of_memory
                               : lacks_builtins                      ? ErrorCode::unavailable
                                                                     : ErrorCode::internal;
        return Error{
            code,
            fmt::format("NVRTC says: {}.", table.error_string(result)),
            lacks_builtins ? "install libnvrtc-builtins beside NVRTC, from the same CUDA Toolkit" : "",
            {}};
    });
}

template <class Visit>
void for_each_function(NvrtcTable& table, Visit&& visit) {
    visit("nvrtcVersion", table.version);
    visit("nvrtcGetErrorString", table.error_string);
    visit("nvrtcGetNumSupportedArchs", table.arch_count);
    visit("nvrtcGetSupportedArchs", table.archs);
    visit("nvrtcCreateProgram", table.create);
    visit("nvrtcDestroyProgram", table.destroy);
    visit("nvrtcCompileProgram", table.compile);
    visit("nvrtcGetProgramLogSize", table.log_size);
    visit("nvrtcGetProgramLog", table.log);
    visit("nvrtcGetPTXSize", table.ptx_size);
    visit("nvrtcGetPTX", table.ptx);
    visit("nvrtcGetCUBINSize", table.cubin_size);
    visit("nvrtcGetCUBIN", table.cubin);
}

std::vector<std::string> libraries() {
    const std::string names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    std::vector<std::string> all(std::begin(names), std::end(names));
    for (const std::string folder : {"/lib64/", "/lib/"})
        for (const std::string& name : names) all.push_back(MUSTER_CUDA_TOOLKIT + folder + name);
    return all;
}

/// An NVRTC program, for one compilation.
class Compilation {
  public:
    explicit Compilation(const NvrtcTable& table) : table_(table) {}
    ~Compilation() {
        if (program != nullptr) table_.destroy(&program);
    }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;
    nvrtcProgram program = nullptr;

  private:
    const NvrtcTable& table_;
};

}  // namespace

Result<std::shared_ptr<const Nvrtc>> Nvrtc::open(std::span<const std::string> names) {
    std::string reason;
    for (const std::string& name : names) {
        auto library = DriverLibrary::open(name.c_str());
        if (!library) {
            if (reason.empty()) reason = std::move(library).error().message;
            continue;
        }
        NvrtcTable table;
        const char* const missing =
            library->fill([&](const auto& visit) { for_each_function(table, visit); });
        if (!missing) {
            library->keep();
            return create(table);
        }
        reason = fmt::format("{} has no function {}", name, missing);
    }
    return fail(ErrorCode::unavailable,
                fmt::format("This machine has no NVRTC that can be opened ({}).", reason), install);
}

Result<std::shared_ptr<const Nvrtc>> Nvrtc::create(const NvrtcTable& table) {
    std::shared_ptr<Nvrtc> made(new Nvrtc(table));
    TRY(check(table, "nvrtcVersion", [&] { return table.version(&made->major_, &made->minor_); }));
    if (made->major_ < 12)
        return fail(ErrorCode::unavailable,
                    fmt::format("This machine's NVRTC is {}.{}, older than the 12.0 that is needed.",
                                made->major_, made->minor_),
                    install);
    int count = 0;
    TRY(check(table, "nvrtcGetNumSupportedArchs", [&] { return table.arch_count(&count); }));
    made->archs_.resize(static_cast<std::size_t>(std::max(count, 0)));
    TRY(check(table, "nvrtcGetSupportedArchs", [&] { return table.archs(made->archs_.data()); }));
    std::ranges::sort(made->archs_);
    return made;
}

Result<std::shared_ptr<const Nvrtc>> Nvrtc::process() {
    static auto* const shared = new SharedOnce<const Nvrtc>;
    return shared->get([] { return open(libraries()); });
}

std::optional<Missing> Nvrtc::missing() { return missing(libraries()); }

std::optional<Missing> Nvrtc::missing(std::span<const std::string> names) {
    for (const std::string& name : names)
        if (!missing_library(name)) return std::nullopt;
    const auto opened = open(names);
    if (opened) return std::nullopt;
    return Missing{opened.error().message, opened.error().fix};
}

Result<std::string> Nvrtc::log(nvrtcProgram program) const {
    std::size_t bytes = 0;
    TRY(check(table_, "nvrtcGetProgramLogSize", [&] { return table_.log_size(program, &bytes); }));
    std::string text(bytes, '\0');
    TRY(check(table_, "nvrtcGetProgramLog", [&] { return table_.log(program, text.data()); }));
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
}

Result<std::vector<std::byte>> Nvrtc::compile(const Request& request) const {
    Compilation of(table_);
    TRY(check(table_, "nvrtcCreateProgram", [&] {
        return table_.create(&of.program, request.text.c_str(), request.name.c_str(), 0, nullptr, nullptr);
    }));
    std::vector<const char*> options;
    for (const std::string& one : request.options) options.push_back(one.c_str());
    auto compiled = check(table_, "nvrtcCompileProgram", [&] {
        return table_.compile(of.program, static_cast<int>(options.size()), options.data());
    });
    if (!compiled) {
        const auto messages = log(of.program);
        if (messages && !messages->empty()) compiled.error().message = *messages;
        return std::unexpected(std::move(compiled).error());
    }
    const auto size_of = request.cubin ? table_.cubin_size : table_.ptx_size;
    const auto get = request.cubin ? table_.cubin : table_.ptx;
    std::size_t bytes = 0;
    TRY(check(table_, request.cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize",
              [&] { return size_of(of.program, &bytes); }));
    std::vector<std::byte> image(bytes);
    TRY(check(table_, request.cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX",
              [&] { return get(of.program, reinterpret_cast<char*>(image.data())); }));
    if (!request.cubin)
        while (!image.empty() && image.back() == std::byte{0}) image.pop_back();
    return image;
}

}  // namespace muster::cuda
