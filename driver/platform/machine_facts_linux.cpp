#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <muster/driver/platform/environment_variable.hpp>
#include <muster/driver/platform/file.hpp>
#include <muster/driver/platform/machine_facts.hpp>

namespace muster::platform {
namespace {

/// What drivers and their loaders read of the environment.
constexpr std::array read_by_drivers{
    "ALSOFT_", "AMD_",     "CL_",      "CUDA_",   "CUDNN_",  "DISABLE_", "DISPLAY",  "DRI_",
    "EGL_",    "ENABLE_",  "GALLIUM_", "GPU_",    "HIP_",    "HOME",     "HSA_",     "IGC_",
    "INTEL_",  "LD_",      "LIBGL_",   "LIBVA_",  "LP_",     "MESA_",    "NEO",      "NODEVICE_SELECT",
    "NVIDIA_", "NVK_",     "OCL_",     "ONEAPI_", "OPENCL_", "POCL_",    "RADV_",    "ROCM_",
    "ROCR_",   "RUSTICL_", "SYCL_",    "TU_",     "VIRGL_",  "VK_",      "WAYLAND_", "XDG_",
    "ZE_",     "ZES_",     "ZINK_",    "__GL",    "__NV"};

/// Folders in which drivers of Vulkan and OpenCL are announced, and the devices' files are.
std::vector<std::string> folders_of_drivers() {
    std::vector<std::string> folders{"/dev/accel", "/dev/dri", "/etc/OpenCL/vendors"};
    std::vector<std::string> places{"/etc", "/usr/local/etc", "/usr/share", "/usr/local/share", "/etc/xdg"};
    const auto add = [&](std::string_view variable, std::string_view below) {
        std::istringstream list(environment_variable(variable).value_or(""));
        for (std::string place; std::getline(list, place, ':');)
            if (!place.empty()) places.push_back(place.append(below));
    };
    add("XDG_DATA_DIRS", "");
    add("XDG_DATA_HOME", "");
    add("XDG_CONFIG_DIRS", "");
    add("XDG_CONFIG_HOME", "");
    add("HOME", "/.local/share");
    add("HOME", "/.config");
    for (const std::string& place : places)
        for (const char* kind : {"icd.d", "implicit_layer.d", "explicit_layer.d"})
            folders.push_back(fmt::format("{}/vulkan/{}", place, kind));
    std::istringstream list(environment_variable("LD_LIBRARY_PATH").value_or(""));
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) folders.push_back(folder);
    return folders;
}

class Facts {
  public:
    void line(std::string_view fact) { text_.append(fact).push_back('\n'); }
    void file(const std::string& path) { line(fact_of_file(path)); }
    /// The folder and the files in it whose names begin with one of these.
    void folder(const std::string& path, std::span<const std::string_view> prefixes) {
        std::vector<std::string> files;
        std::error_code error;
        for (std::filesystem::directory_iterator i(path, error), end; !error && i != end;
             i.increment(error)) {
            const std::string name = i->path().filename().string();
            if (std::ranges::any_of(prefixes,
                                    [&](std::string_view prefix) { return name.starts_with(prefix); }))
                files.push_back(i->path().string());
        }
        std::ranges::sort(files);  // in a folder they come in any order
        for (const std::string& each : files) file(each);
    }
    std::string text() && { return std::move(text_); }

  private:
    std::string text_;
};

}  // namespace

std::string fact_of_file(const std::string& path) {
    const auto status = file_status(path);
    if (!status) return {};
    return fmt::format("{} {} {} {} {}", path, status->identity.device, status->identity.inode, status->bytes,
                       status->changed_ns);
}

std::string machine_facts() {
    Facts facts;
    std::string boot;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
    facts.line(boot);
    facts.line(fmt::format("{} {}", ::geteuid(), ::getegid()));
    std::vector<gid_t> groups(static_cast<std::size_t>(std::max(0, ::getgroups(0, nullptr))));
    (void)::getgroups(static_cast<int>(groups.size()), groups.data());
    for (const gid_t group : groups) facts.line(fmt::format("group {}", group));
    for (const char* prefix : read_by_drivers)
        for (const std::string& name : environment_names(prefix))
            facts.line(fmt::format("{}={}", name, environment_variable(name).value_or("")));
    facts.file("/etc/ld.so.cache");
    static constexpr std::array<std::string_view, 8> devices{"apex",   "dxg",    "kfd",   "mali",
                                                             "nvhost", "nvidia", "nvmap", "xclmgmt"};
    static constexpr std::array<std::string_view, 1> all{""};
    facts.folder("/dev", devices);
    for (const std::string& folder : folders_of_drivers()) {
        facts.file(folder);
        facts.folder(folder, all);
    }
    return std::move(facts).text();
}

}  // namespace muster::platform
