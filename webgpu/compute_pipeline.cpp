#include <algorithm>
#include <array>
#include <future>

#include <fmt/format.h>

#include <muster/driver/contract/binding_layout.hpp>
#include <muster/driver/policy/log.hpp>
#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/chain.hpp>
#include <muster/webgpu/compute_pipeline.hpp>

namespace muster::webgpu {
namespace {

std::string_view shown(WGPUBufferBindingType type) {
    return type == WGPUBufferBindingType_Uniform   ? "Uniform"
           : type == WGPUBufferBindingType_Storage ? "Storage"
                                                   : "ReadOnlyStorage";
}

WGPUBufferBindingType type_of(const wgsl::Resource& resource) {
    if (resource.space == AddressSpace::uniform) return WGPUBufferBindingType_Uniform;
    return resource.access == Access::read ? WGPUBufferBindingType_ReadOnlyStorage
                                           : WGPUBufferBindingType_Storage;
}

/// The place of a binding in the layout of its group. Errors: not_found, invalid_argument.
Result<std::uint32_t> place_of(const wgsl::Resource& resource, const PipelineLayout& layout) {
    const BindGroupEntries* group =
        resource.group < layout.groups.size() ? layout.groups[resource.group].get() : nullptr;
    const auto none = [&] {
        return fail(ErrorCode::not_found,
                    fmt::format("The variable {} is binding {} of group {}, which the {} doesn't have.",
                                resource.name, resource.binding, resource.group, layout.shown()),
                    "add it to the bind group layout, or use an automatic layout");
    };
    if (group == nullptr) return none();
    const auto entry = std::ranges::lower_bound(group->entries, resource.binding, {}, &LayoutEntry::binding);
    if (entry == group->entries.end() || entry->binding != resource.binding) return none();
    const auto refuse = [&](std::string what, std::string fix) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("The variable {}, binding {} of group {}, {}.", resource.name,
                                resource.binding, resource.group, what),
                    std::move(fix));
    };
    if ((entry->visibility & WGPUShaderStage_Compute) == 0)
        return refuse("isn't visible to compute shaders in the layout", "add WGPUShaderStage_Compute");
    if (entry->type != type_of(resource))
        return refuse(fmt::format("is {} in the shader and {} in the layout", shown(type_of(resource)),
                                  shown(entry->type)),
                      fmt::format("set its type to WGPUBufferBindingType_{}", shown(type_of(resource))));
    if (entry->min_bytes != 0 && entry->min_bytes < resource.min_bytes)
        return refuse(fmt::format("needs {} bytes; the layout's minBindingSize is {}", resource.min_bytes,
                                  entry->min_bytes),
                      fmt::format("set minBindingSize to {}, or to 0", resource.min_bytes));
    return static_cast<std::uint32_t>(entry - group->entries.begin());
}

Result<void> check_sizes(const GpuDevice& device, const Program& program) {
    const WGPULimits& limits = device.limits;
    const Extent3 size = program.workgroup_size();
    struct Check {
        std::string_view what;
        std::uint64_t value;
        std::string_view limit;
        std::uint64_t most;
    };
    for (const Check& each :
         {Check{"x of the workgroup size", size.x, "maxComputeWorkgroupSizeX",
                limits.maxComputeWorkgroupSizeX},
          Check{"y of the workgroup size", size.y, "maxComputeWorkgroupSizeY",
                limits.maxComputeWorkgroupSizeY},
          Check{"z of the workgroup size", size.z, "maxComputeWorkgroupSizeZ",
                limits.maxComputeWorkgroupSizeZ},
          Check{"number of invocations of a workgroup", size.count(), "maxComputeInvocationsPerWorkgroup",
                limits.maxComputeInvocationsPerWorkgroup},
          Check{"size of the workgroup variables", program.needs().workgroup_bytes,
                "maxComputeWorkgroupStorageSize", limits.maxComputeWorkgroupStorageSize}})
        if (each.value > each.most)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("The {} is {}; the device's {} is {}.", each.what, each.value, each.limit,
                                    each.most),
                        "use a smaller one, or require a larger limit of the device");
    return {};
}

/// The rules of createComputePipeline.
Result<PlannedPipeline> planned(GpuDevice& device, const WGPUComputePipelineDescriptor& descriptor) {
    TRY(check_chain(descriptor.nextInChain, "WGPUComputePipelineDescriptor"));
    const WGPUComputeState& stage = descriptor.compute;
    TRY(check_chain(stage.nextInChain, "WGPUComputeState"));
    if (stage.module == nullptr)
        return fail(ErrorCode::invalid_argument, "The pipeline has no shader module.", "set compute.module");
    TRY(stage.module->usable_by(device));
    if (descriptor.layout != nullptr) TRY(descriptor.layout->usable_by(device));
    const std::size_t which = TRY(find_entry(*stage.module, is_absent(stage.entryPoint)
                                                                ? std::nullopt
                                                                : std::optional(text_of(stage.entryPoint))));
    ValidProgram program = TRY(program_of(*stage.module, which, {stage.constants, stage.constantCount}));
    TRY(check_sizes(device, program));
    const wgsl::EntryInterface& entry = stage.module->module->interface.entries[which];
    PlannedPipeline made{.layout = descriptor.layout, .program = std::move(program)};
    if (!made.layout) made.layout = TRY(automatic_layout(device, entry));

    const wgsl::Resource* immediate = nullptr;
    std::vector<std::pair<const wgsl::Resource*, std::uint32_t>> places;
    for (const wgsl::Resource& resource : entry.resources) {
        if (resource.is_immediate) {
            immediate = &resource;
            made.immediate_bytes = static_cast<std::uint32_t>(resource.min_bytes);
            if (resource.min_bytes > made.layout->immediate_bytes)
                return fail(ErrorCode::invalid_argument,
                            fmt::format("The immediate {} has {} bytes; the immediateSize of the {} is {}.",
                                        resource.name, resource.min_bytes, made.layout->shown(),
                                        made.layout->immediate_bytes),
                            "set the pipeline layout's immediateSize to it");
            continue;
        }
        const std::uint32_t place = TRY(place_of(resource, *made.layout));
        places.emplace_back(&resource, place);
        if (made.layout->groups[resource.group]->entries[place].min_bytes == 0)
            made.needed.push_back({resource.group, place, resource.min_bytes, resource.name});
    }
    for (const VariableId id : made.program->bindings()) {
        const Variable& variable = made.program->variable(id);
        const GroupBinding where{variable.group, variable.binding};
        if (immediate != nullptr && variable.name == immediate->name) {
            made.bindings.push_back({.where = where, .is_immediate = true});
            continue;
        }
        const auto found = std::ranges::find_if(places, [&](const auto& each) {
            return each.first->group == where.group && each.first->binding == where.binding;
        });
        if (found == places.end())
            return fail(ErrorCode::internal,
                        fmt::format("The binding {} isn't in the entry point's interface.", variable.name));
        made.bindings.push_back({.where = where, .group = where.group, .entry = found->second});
    }
    return made;
}

Result<PlannedPipeline> planned_for(GpuDevice& device, const WGPUComputePipelineDescriptor& descriptor) {
    return during(
        [&] { return fmt::format("making the compute pipeline \"{}\"", text_of(descriptor.label)); },
        planned(device, descriptor));
}

void log_route(const GpuDevice& device, const WGPUStringView& label, const Kernel& kernel) {
    if (log_level() < LogLevel::info) return;
    log(LogLevel::info, fmt::format("The compute pipeline \"{}\" of the {}, entry point {}, runs on {}. {}",
                                    text_of(label), device.shown(), kernel.program()->entry(),
                                    device_id(kernel.backend(), kernel.device()), kernel.route().explain()));
}

/// A pipeline whose compilation goes on.
class PipelineEvent final : public Event {
  public:
    PipelineEvent(Ref<GpuDevice> device, std::string label, PlannedPipeline plan,
                  const WGPUCreateComputePipelineAsyncCallbackInfo& info)
        : Event(mode_of(info.mode)),
          device_(std::move(device)),
          label_(std::move(label)),
          plan_(std::move(plan)),
          info_(info),
          kernel_(std::async(std::launch::async, [session = device_->session, program = plan_->program,
                                                  options = device_->compile]() mutable {
              return session.prepare(program, options);
          })) {}

    bool is_ready() override {
        return kernel_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    }
    void wait(std::chrono::nanoseconds most) override { (void)kernel_.wait_for(most); }
    void call(bool is_cancelled) override {
        if (info_.callback == nullptr) return;
        const auto answer = [&](WGPUCreatePipelineAsyncStatus status, WGPUComputePipeline pipeline,
                                std::string_view message) {
            info_.callback(status, pipeline, view_of(message), info_.userdata1, info_.userdata2);
        };
        if (is_cancelled)
            return answer(WGPUCreatePipelineAsyncStatus_CallbackCancelled, nullptr,
                          "The instance was released.");
        auto kernel = kernel_.get();
        if (!kernel && !device_->is_lost()) {
            if (kernel.error().code == ErrorCode::device_lost) device_->report(kernel.error());
            return answer(WGPUCreatePipelineAsyncStatus_InternalError, nullptr, kernel.error().to_string());
        }
        if (kernel) log_route(*device_, view_of(label_), *kernel);
        answer(WGPUCreatePipelineAsyncStatus_Success,
               new ComputePipeline(device_, label_, std::move(plan_),
                                   kernel ? std::optional(*std::move(kernel)) : std::nullopt),
               {});
    }

  private:
    const Ref<GpuDevice> device_;
    const std::string label_;
    std::optional<PlannedPipeline> plan_;
    const WGPUCreateComputePipelineAsyncCallbackInfo info_;
    std::shared_future<Result<Kernel>> kernel_;  // waits in its destructor
};

}  // namespace
}  // namespace muster::webgpu

using namespace muster;
using namespace muster::webgpu;

WGPUComputePipeline wgpuDeviceCreateComputePipeline(WGPUDevice device,
                                                    WGPUComputePipelineDescriptor const* descriptor) {
    std::optional<PlannedPipeline> plan;
    std::optional<Kernel> kernel;
    const bool is_valid = device->attempt("wgpuDeviceCreateComputePipeline", [&]() -> Result<void> {
        plan = TRY(planned_for(*device, *descriptor));
        if (device->is_lost()) return {};
        kernel = TRY(device->session.prepare(plan->program, device->compile));
        log_route(*device, descriptor->label, *kernel);
        return {};
    });
    if (!is_valid && !device->is_lost()) plan.reset();
    return new ComputePipeline(device, label_of(descriptor->label), std::move(plan), std::move(kernel));
}

WGPUFuture wgpuDeviceCreateComputePipelineAsync(WGPUDevice device,
                                                WGPUComputePipelineDescriptor const* descriptor,
                                                WGPUCreateComputePipelineAsyncCallbackInfo info) {
    auto plan = planned_for(*device, *descriptor);
    if (plan) {
        auto event =
            std::make_shared<PipelineEvent>(device, label_of(descriptor->label), *std::move(plan), info);
        // Nothing tells when a thread has ended: a spontaneous callback comes in this call.
        if (event->mode() == WGPUCallbackMode_AllowSpontaneous) event->wait(std::chrono::hours(1));
        return device->instance().futures->add(std::move(event));
    }
    return done(device->instance(), info.mode, [info, error = plan.error()](bool is_cancelled) {
        if (info.callback == nullptr) return;
        const std::string message = is_cancelled ? "The instance was released." : error.to_string();
        info.callback(is_cancelled ? WGPUCreatePipelineAsyncStatus_CallbackCancelled
                                   : WGPUCreatePipelineAsyncStatus_ValidationError,
                      nullptr, view_of(message), info.userdata1, info.userdata2);
    });
}

MUSTER_WEBGPU_OBJECT(ComputePipeline)

WGPUBindGroupLayout wgpuComputePipelineGetBindGroupLayout(WGPUComputePipeline pipeline, uint32_t index) {
    GpuDevice& device = *pipeline->device;
    std::shared_ptr<const BindGroupEntries> entries;
    const bool is_valid = device.attempt("wgpuComputePipelineGetBindGroupLayout", [&]() -> Result<void> {
        TRY(pipeline->usable_by(device));
        if (index >= device.limits.maxBindGroups)
            return fail(ErrorCode::limit_exceeded,
                        fmt::format("Group {} of the {} is asked for; the device's maxBindGroups is {}.",
                                    index, pipeline->shown(), device.limits.maxBindGroups),
                        "ask for a smaller number");
        const auto& groups = pipeline->plan->layout->groups;
        if (index < groups.size()) entries = groups[index];
        return {};
    });
    if (!entries) entries = device.interned({});
    return new BindGroupLayout(&device, fmt::format("group {} of {}", index, pipeline->label()), is_valid,
                               std::move(entries));
}
