// device.hpp - a device of a table, as the driver's Device. Internal to driver/.
#pragma once

#include <memory>
#include <optional>

#include <muster/driver/c_table/launches.hpp>
#include <muster/driver/c_table/properties.hpp>
#include <muster/driver/c_table/table.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/driver/contract/work_queue.hpp>

namespace muster::c_table {

class TableDevice final : public Device {
  public:
    /// Errors: device_of()'s, open()'s.
    static Result<std::unique_ptr<Device>> open(std::shared_ptr<const Table> table, std::string_view id,
                                                std::uint32_t ordinal);
    ~TableDevice() override;
    TableDevice(const TableDevice&) = delete;
    TableDevice& operator=(const TableDevice&) = delete;

    const DeviceInfo& info() const override { return described_.info; }
    Result<Artifact> compile(const ValidProgram& program, const CompileOptions& options) override;
    Result<std::unique_ptr<Executable>> load(const Artifact& artifact) override;
    Result<std::unique_ptr<Memory>> allocate(std::uint64_t bytes) override;
    Result<std::unique_ptr<Memory>> wrap(std::span<std::byte> host) override;
    Result<void> write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) override;
    Result<void> read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) override;
    Result<Submitted> submit(const Launch& launch) override;
    bool has_transfers() const override {
        return table_->copy != nullptr || (table_->allocate == nullptr && queue_.has_value());
    }
    Result<Submitted> transfer(const MemoryTransfer& transfer) override;
    void abandon() override;

  private:
    Result<void> copy(const MemoryTransfer& transfer) const;
    TableDevice(std::shared_ptr<const Table> table, std::string_view id, Described described, void* handle)
        : table_(std::move(table)), id_(id), described_(std::move(described)), handle_(handle) {
        if (table_->wait == nullptr) queue_.emplace();
    }

    const std::shared_ptr<const Table> table_;
    const std::string id_;
    const Described described_;
    void* const handle_;
    std::optional<WorkQueue> queue_;  // of a table without wait()
};

}  // namespace muster::c_table
