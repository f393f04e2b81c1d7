#include <algorithm>
#include <array>
#include <chrono>

#include <muster/foundation/base/try.hpp>
#include <muster/webgpu/recording.hpp>

namespace muster::webgpu {
namespace {

BufferRange range_of(const StorageRange& range) { return {range.storage->buffer, range.offset, range.bytes}; }

std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                          std::chrono::steady_clock::now().time_since_epoch())
                                          .count());
}

}  // namespace

/// The sequence that takes the next step; it begins with a dispatch that was by itself before.
Result<Sequence*> Recording::opened() {
    if (!open_) {
        open_ = session_.sequence();
        if (single_) {
            TRY(open_->dispatch(single_->kernel, single_->groups));
            single_.reset();
        }
    }
    return &*open_;
}

void Recording::close() {
    if (single_) steps_.emplace_back(*std::exchange(single_, std::nullopt));
    if (open_) steps_.emplace_back(*std::exchange(open_, std::nullopt));
}

Result<void> Recording::dispatch(const BoundKernel& kernel, const Workgroups& groups) {
    if (open_) return open_->dispatch(kernel, groups);
    if (single_) return TRY(opened())->dispatch(kernel, groups);
    single_.emplace(Single{kernel, groups});
    return {};
}

void Recording::dispatch_indirect(BoundKernel kernel, StorageRange grid, std::uint32_t most_groups) {
    close();
    steps_.emplace_back(Indirect{std::move(kernel), std::move(grid), most_groups});
}

Result<void> Recording::copy(const StorageRange& from, const StorageRange& to) {
    return TRY(opened())->copy(range_of(from), range_of(to));
}

Result<void> Recording::clear(const StorageRange& range) { return TRY(opened())->fill(range_of(range), 0); }

void Recording::begin_pass(Ref<QuerySet> set, std::optional<std::uint32_t> begin,
                           std::optional<std::uint32_t> end) {
    close();
    steps_.emplace_back(BeginPass{std::move(set), begin, end});
}

void Recording::end_pass() {
    close();
    steps_.emplace_back(EndPass{});
}

void Recording::write_timestamp(Ref<QuerySet> set, std::uint32_t index) {
    close();
    steps_.emplace_back(WriteTimestamp{std::move(set), index});
}

void Recording::resolve(Ref<QuerySet> set, std::uint32_t first, std::uint32_t number, StorageRange to) {
    close();
    steps_.emplace_back(Resolve{std::move(set), first, number, std::move(to)});
}

/// A grid beyond the limit runs nothing (WebGPU, dispatchWorkgroupsIndirect).
Result<Ticket> Recording::submit_indirect(const Indirect& step) {
    std::array<std::uint32_t, 3> groups{};
    TRY(step.grid.storage->buffer.read_bytes(std::as_writable_bytes(std::span(groups)), step.grid.offset));
    if (std::ranges::max(groups) > step.most_groups) return Ticket(Timing{0});
    return session_.dispatch(step.kernel, Workgroups{groups[0], groups[1], groups[2]});
}

Result<std::optional<Ticket>> Recording::submit(Clock& clock) {
    std::optional<Ticket> last;
    std::vector<Ticket> of_pass;
    const BeginPass* pass = nullptr;
    std::uint64_t pass_began_ns = 0;  // on the host, for a device that doesn't measure its work
    const auto submitted = [&](Result<Ticket> ticket) -> Result<void> {
        if (!ticket) return std::unexpected(std::move(ticket).error());
        if (pass != nullptr) of_pass.push_back(*ticket);
        last = *std::move(ticket);
        return {};
    };
    const auto end_pass = [&]() -> Result<void> {
        std::uint64_t took_ns = 0;
        bool is_measured = true;
        for (const Ticket& ticket : of_pass) {
            const Timing timing = TRY(ticket.wait());
            took_ns += timing.device_ns.value_or(0);
            is_measured = is_measured && timing.device_ns.has_value();
        }
        if (!is_measured) took_ns = now_ns() - pass_began_ns;
        of_pass.clear();
        const std::uint64_t end_ns = std::max(now_ns(), clock.last_ns + took_ns);
        if (pass->begin) pass->set->write(*pass->begin, end_ns - took_ns);
        if (pass->end) pass->set->write(*pass->end, end_ns);
        clock.last_ns = end_ns;
        pass = nullptr;
        return {};
    };
    for (Step& step : steps_) {
        if (auto* single = std::get_if<Single>(&step)) {
            TRY(submitted(session_.dispatch(single->kernel, single->groups)));
        } else if (auto* sequence = std::get_if<Sequence>(&step)) {
            TRY(submitted(sequence->submit()));
        } else if (auto* indirect = std::get_if<Indirect>(&step)) {
            TRY(submitted(submit_indirect(*indirect)));
        } else if (auto* begin = std::get_if<BeginPass>(&step)) {
            pass = begin;
            pass_began_ns = now_ns();
        } else if (std::holds_alternative<EndPass>(step)) {
            TRY(end_pass());
        } else if (auto* write = std::get_if<WriteTimestamp>(&step)) {
            if (last) (void)TRY(last->wait());
            clock.last_ns = std::max(now_ns(), clock.last_ns);
            write->set->write(write->index, clock.last_ns);
        } else if (auto* resolve = std::get_if<Resolve>(&step)) {
            const std::vector<std::uint64_t> values = resolve->set->read(resolve->first, resolve->number);
            TRY(resolve->to.storage->buffer.write_bytes(std::as_bytes(std::span(values)),
                                                        resolve->to.offset));
        }
    }
    return last;
}

}  // namespace muster::webgpu
