// beside_libvulkan - a user's program that calls Vulkan itself, linked with libvulkan, and links
// backend-vulkan: both work. volk's variables have the names of Vulkan's functions; if the linker confused the
// two, this program would crash.
#include <cstdio>
#include <vector>

#include <vulkan/vulkan.h>

#include <muster/driver/session/session.hpp>
#include <muster/foundation/wgsl/wgsl.hpp>

namespace {

constexpr const char* text = R"(
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@compute @workgroup_size(64)
fn twice(@builtin(global_invocation_id) id: vec3u) { data[id.x] = 2u * data[id.x]; }
)";

bool run_ours() {
    auto program = muster::wgsl::parse(text);
    if (!program) return false;
    auto session = muster::Session::open({.policy = {.backends = {{"vulkan"}}}, .use_environment = false});
    auto kernel = session->prepare(muster::validate(*std::move(program)).value());
    if (!kernel) {
        std::fprintf(stderr, "%s\n", kernel.error().to_string().c_str());
        return false;
    }
    muster::Buffer data = session->buffer(std::vector<std::uint32_t>(64, 21)).value();
    auto ticket = session->dispatch(*kernel, {{"data", data}}, muster::Workgroups{1});
    return ticket && ticket->wait() && data.read_all<std::uint32_t>()->at(63) == 42;
}

bool run_theirs() {
    std::uint32_t version = 0, devices = 0;
    if (vkEnumerateInstanceVersion(&version) != VK_SUCCESS || version < VK_API_VERSION_1_1) return false;
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS) return false;
    const bool counted = vkEnumeratePhysicalDevices(instance, &devices, nullptr) == VK_SUCCESS && devices > 0;
    vkDestroyInstance(instance, nullptr);
    return counted;
}

}  // namespace

int main() {
    // Before, between and after our run.
    const bool works = run_theirs() && run_ours() && run_theirs() && run_ours();
    std::puts(works ? "both work" : "one of both fails");
    return works ? 0 : 1;
}
