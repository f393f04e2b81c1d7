#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <muster/driver/c_table/backend.hpp>
#include <muster/driver/c_table/code.hpp>
#include <muster/driver/c_table/device.hpp>
#include <muster/driver/c_table/properties.hpp>
#include <muster/driver/c_table/table.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/printable.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster {
namespace c_table {
namespace {

constexpr std::uint32_t most_devices = 256;

class TableBackend final : public Backend {
  public:
    TableBackend(Table table, std::string_view id, std::vector<DescribedTarget> targets)
        : table_(std::make_shared<const Table>(table)), id_(id), targets_(std::move(targets)) {
        // The default is the form of the first target.
        formats_ = form_names(table.forms);
        std::ranges::stable_partition(
            formats_, [&](const std::string& name) { return form_of(name) == targets_.front().form; });
        for (std::size_t i = 0; i < table.spec_count; ++i) {
            const auto [name, value] = table.specs[i];
            specs_.push_back(
                {printable({name.data, name.size}), printable({value.data, value.size}), runs(table)});
        }
    }

    std::string_view id() const override { return id_; }

    Result<std::vector<DeviceInfo>> probe() override {
        std::vector<DeviceInfo> devices;
        const std::uint32_t count = TRY(count_devices());
        for (std::uint32_t ordinal = 0; ordinal < count; ++ordinal)
            devices.push_back(TRY(device_of(*table_, id_, ordinal)).info);
        return devices;
    }

    Result<std::unique_ptr<Device>> open(std::uint32_t ordinal) override {
        const std::uint32_t count = TRY(count_devices());
        if (ordinal >= count) return no_such_device(id_, ordinal, count);
        return TableDevice::open(table_, id_, ordinal);
    }

    std::string default_arch() const override { return targets_.front().target.arch; }
    std::span<const std::string> formats() const override { return formats_; }
    std::span<const SpecInfo> specs() const override { return specs_; }

    Result<Target> describe(std::string_view arch) override {
        if (const DescribedTarget* found = find(arch)) return found->target;
        std::vector<std::string> known;
        for (const DescribedTarget& one : targets_) known.push_back(one.target.arch);
        return no_such_target(id_, arch, fmt::format("{}", fmt::join(known, ", ")));
    }

    Result<Artifact> emit(const ValidProgram& program, const Target& target,
                          const EmitRequest& request) override {
        const DescribedTarget* const found = find(target.arch);
        if (found == nullptr) return std::unexpected(describe(target.arch).error());
        const std::string_view form = form_name(found->form);
        if (!request.format.empty() && request.format != form)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("Code for {} is {}, not {}.", target.to_string(), form, request.format),
                        fmt::format("ask for another target, or for {}", form));
        return lower(program, found->form, target.to_string(), request.options);
    }

  private:
    const DescribedTarget* find(std::string_view arch) const {
        const auto found = std::ranges::find_if(
            targets_, [&](const DescribedTarget& one) { return one.target.arch == arch; });
        return found == targets_.end() ? nullptr : &*found;
    }

    Result<std::uint32_t> count_devices() const {
        if (!runs(*table_)) return 0;
        std::uint32_t count = 1;
        if (table_->count_devices != nullptr)
            TRY(call("count_devices",
                     [&](muster_backend_error* error) { return table_->count_devices(&count, error); }));
        if (count > most_devices)
            return fail(ErrorCode::invalid_argument,
                        fmt::format("{} counts {} devices, more than {}.", id_, count, most_devices),
                        "write the number of devices to `count`");
        return count;
    }

    const std::shared_ptr<const Table> table_;
    const std::string id_;
    const std::vector<DescribedTarget> targets_;
    std::vector<std::string> formats_;
    std::vector<SpecInfo> specs_;
};

}  // namespace
}  // namespace c_table

Result<std::unique_ptr<Backend>> make_table_backend(const muster_backend_table* table, std::string_view id) {
    const c_table::Table checked = TRY(c_table::check_table(table, id));
    auto targets = TRY(c_table::targets_of(checked, id));
    return std::make_unique<c_table::TableBackend>(checked, id, std::move(targets));
}

const OpSet& table_operations(const muster_backend_table* table) {
    return c_table::operations_of(c_table::known_forms(table));
}

}  // namespace muster
