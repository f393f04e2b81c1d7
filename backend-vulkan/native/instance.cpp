#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include <muster/backend-vulkan/native/check.hpp>
#include <muster/backend-vulkan/native/instance.hpp>
#include <muster/backend-vulkan/native/validation.hpp>
#include <muster/driver/support/once.hpp>
#include <muster/foundation/base/version.hpp>

namespace muster::vulkan {
namespace {

constexpr const char* layer_name = "VK_LAYER_KHRONOS_validation";
constexpr const char* install_driver =
    "install the device's Vulkan driver, or mesa-vulkan-drivers for one on the processor";

constinit std::atomic<ValidationSink> sink{nullptr};

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
    if (const ValidationSink to = validation_sink()) to(data->pMessage);
    return VK_FALSE;
}

constexpr VkDebugUtilsMessengerCreateInfoEXT messenger_info{
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = on_message,
};

/// False also if the loader can't tell because of a broken driver file.
bool has_extension(const char* name) {
    const auto all = enumerate("vkEnumerateInstanceExtensionProperties", VkExtensionProperties{},
                               [](std::uint32_t* count, VkExtensionProperties* list) {
                                   return vkEnumerateInstanceExtensionProperties(nullptr, count, list);
                               });
    return all && std::ranges::any_of(*all, [&](const auto& extension) {
               return std::strcmp(extension.extensionName, name) == 0;
           });
}

Result<void> need_layer() {
    const auto all = TRY(enumerate("vkEnumerateInstanceLayerProperties", VkLayerProperties{},
                                   vkEnumerateInstanceLayerProperties));
    const auto is_it = [](const auto& layer) { return std::strcmp(layer.layerName, layer_name) == 0; };
    if (std::ranges::any_of(all, is_it)) return {};
    return fail(ErrorCode::unavailable, "Vulkan's validation layer is asked for and isn't installed.",
                "install it (Debian: vulkan-validationlayers)");
}

}  // namespace

void validate(ValidationSink to) { sink.store(to, std::memory_order_release); }
ValidationSink validation_sink() { return sink.load(std::memory_order_acquire); }

Result<std::shared_ptr<const Instance>> Instance::create() {
    const std::uint32_t version = std::min(TRY(open_loader()), VK_API_VERSION_1_3);
    std::vector<const char*> layers, extensions;
    VkInstanceCreateFlags flags = 0;
    // Drivers that lack parts of Vulkan, none of which is needed here, are listed only on request.
    if (has_extension(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
        extensions.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
        flags |= VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    }
    constexpr VkValidationFeatureEnableEXT synchronization =
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    const VkValidationFeaturesEXT features{
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger_info,  // reports messages of creation and destruction
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &synchronization};
    const bool validated = validation_sink() != nullptr;
    if (validated) {
        TRY(need_layer());
        layers.push_back(layer_name);
        extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    }
    const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                        .pEngineName = "muster " MUSTER_VERSION,
                                        .apiVersion = version};
    const VkInstanceCreateInfo info{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pNext = validated ? &features : nullptr,
                                    .flags = flags,
                                    .pApplicationInfo = &application,
                                    .enabledLayerCount = static_cast<std::uint32_t>(layers.size()),
                                    .ppEnabledLayerNames = layers.data(),
                                    .enabledExtensionCount = static_cast<std::uint32_t>(extensions.size()),
                                    .ppEnabledExtensionNames = extensions.data()};
    VkInstance handle = VK_NULL_HANDLE;
    VkResult result = VK_SUCCESS;
    auto created =
        check("vkCreateInstance", [&] { return result = vkCreateInstance(&info, nullptr, &handle); });
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return fail(ErrorCode::not_found, "The Vulkan loader finds no driver that works.", install_driver);
    if (result != VK_SUCCESS && created.error().code != ErrorCode::unavailable)
        created.error().fix = "look for a broken driver or layer: VK_LOADER_DEBUG=all tells";
    TRY(std::move(created));
    const std::shared_ptr<Instance> instance(new Instance(handle, version));
    if (validated)
        TRY(check("vkCreateDebugUtilsMessengerEXT", [&] {
            return instance->table_.vkCreateDebugUtilsMessengerEXT(handle, &messenger_info, nullptr,
                                                                   &instance->messenger_);
        }));
    return instance;
}

Result<std::shared_ptr<const Instance>> Instance::process() {
    static auto* const shared =
        new SharedOnce<const Instance>;  // never destroyed: devices may be in use until the process ends
    return shared->get(create, [](const Instance& instance) { return !instance.is_given_up(); });
}

Instance::Instance(VkInstance handle, std::uint32_t version)
    : handle_(handle), table_(functions_of(handle)), version_(version) {}

Instance::~Instance() {
    if (messenger_) table_.vkDestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
    table_.vkDestroyInstance(handle_, nullptr);
}

}  // namespace muster::vulkan
