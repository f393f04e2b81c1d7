// raw.hpp - the peer: a plain Vulkan program, as a person writes one for a few kernels.
//
//     RawDevice device(0);
//     RawBuffer x = device.buffer(bytes);  device.write(x, words);
//     RawPass pass = device.pass(spirv, {x, y}, {.push = {a}, .groups = {256}});
//     RawCommands commands = device.record({pass});
//     device.run(commands);                // submit, wait for the fence; any number of times
//
// Memory is mapped permanently if the device shares its memory with the host; otherwise it is the device's
// own, and copied through a mapped staging buffer. Command buffers, pipelines and descriptor sets are made
// beforehand. Handles own their objects, and their device has to outlive them. An error ends the program with
// the call's name and code. Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <vulkan/vulkan.h>

namespace muster::bench {

class RawDevice;

struct RawBufferState {
    const RawDevice& device;
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkDeviceSize bytes = 0;
    void* mapped = nullptr;  // null: the device's own memory
    ~RawBufferState();
};
using RawBuffer = std::shared_ptr<RawBufferState>;

struct RawPassState {
    const RawDevice& device;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    VkDescriptorSet set = VK_NULL_HANDLE;
    std::vector<RawBuffer> buffers = {};
    std::vector<std::uint32_t> push = {};
    std::array<std::uint32_t, 2> groups{1, 1};
    ~RawPassState();
};
using RawPass = std::shared_ptr<const RawPassState>;

struct RawCommandsState {
    const RawDevice& device;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    std::vector<RawPass> passes = {};
    ~RawCommandsState();
};
using RawCommands = std::shared_ptr<const RawCommandsState>;

struct RawShape {
    std::vector<std::uint32_t> push = {};         // push constants
    std::vector<std::uint32_t> specialised = {};  // constants 0, 1, ...
    std::array<std::uint32_t, 2> groups{1, 1};
};

/// The device's properties, including those of VK_KHR_driver_properties.
struct RawDeviceInfo {
    std::string name, driver;
    std::array<std::uint8_t, VK_UUID_SIZE> uuid{};
};

class RawDevice {
  public:
    /// Opens the device with this UUID, or the loader's first.
    explicit RawDevice(std::optional<std::array<std::uint8_t, VK_UUID_SIZE>> uuid = {});
    RawDevice(const RawDevice&) = delete;
    RawDevice& operator=(const RawDevice&) = delete;
    ~RawDevice();

    const RawDeviceInfo& info() const { return info_; }
    VkDevice handle() const { return device_; }
    VkCommandPool command_pool() const { return pool_; }

    RawBuffer buffer(VkDeviceSize bytes) const;
    void write(const RawBuffer& to, std::span<const std::byte> from) const;
    void read(const RawBuffer& from, std::span<std::byte> to) const;

    RawPass pass(std::span<const std::uint32_t> spirv, std::vector<RawBuffer> buffers,
                 const RawShape& shape) const;
    /// ordered: with a barrier after each pass, so that the next sees what it wrote.
    RawCommands record(std::vector<RawPass> passes, bool ordered = true) const;
    void run(const RawCommands& commands) const;

  private:
    void choose(std::optional<std::array<std::uint8_t, VK_UUID_SIZE>> uuid);
    void open();
    std::uint32_t memory_type(std::uint32_t fitting, VkMemoryPropertyFlags flags) const;
    bool shares_memory() const;
    RawBuffer make_buffer(VkDeviceSize bytes, bool mapped) const;
    void copy(const RawBuffer& from, const RawBuffer& to, VkDeviceSize bytes) const;
    void submit(VkCommandBuffer commands) const;
    VkCommandBuffer begin() const;
    VkPipeline pipeline(std::span<const std::uint32_t> spirv, VkPipelineLayout layout,
                        std::span<const std::uint32_t> specialised) const;

    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    std::uint32_t family_ = 0;
    VkPhysicalDeviceType type_ = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    VkPhysicalDeviceMemoryProperties memory_{};
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkFence fence_ = VK_NULL_HANDLE;
    RawDeviceInfo info_;
};

/// Ends the program if a call failed.
void must_vulkan(const char* call, VkResult result);

}  // namespace muster::bench
