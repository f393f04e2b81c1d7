// launches.hpp - launches of a table's device: what launch() is given, kept for as long as it runs. Threads: any.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <muster/driver/c_table/table.hpp>
#include <muster/driver/contract/backend.hpp>
#include <muster/foundation/ir/place.hpp>

namespace muster::c_table {

/// A backend's executable, and what its launches need to know of the code.
struct TableExecutable final : Executable {
    TableExecutable(const Table& table, void* device, void* executable, std::vector<RuntimeArray> arrays)
        : table(table), device(device), handle(executable), arrays(std::move(arrays)) {}
    ~TableExecutable() override {
        if (table.release != nullptr) table.release(device, handle);
    }
    TableExecutable(const TableExecutable&) = delete;
    TableExecutable& operator=(const TableExecutable&) = delete;

    const Table& table;
    void* const device;
    void* const handle;
    const std::vector<RuntimeArray> arrays;
};

/// The backend's memory, or the host's.
struct TableMemory final : Memory {
    TableMemory(const Table& table, void* device, void* handle, std::byte* host, std::uint64_t bytes,
                bool is_wrapped)
        : table(table), device(device), handle(handle), host(host), size(bytes), is_wrapped(is_wrapped) {}
    ~TableMemory() override;
    TableMemory(const TableMemory&) = delete;
    TableMemory& operator=(const TableMemory&) = delete;
    std::uint64_t bytes() const override { return size; }

    const Table& table;
    void* const device;
    void* const handle;     // of allocate(); null: the host's
    std::byte* const host;  // else null
    const std::uint64_t size;
    const bool is_wrapped;  // another one frees it
};

/// A muster_backend_launch with all that it points to: values are copied.
class Arguments {
  public:
    explicit Arguments(const Launch& launch);
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;
    const muster_backend_launch& given() const { return given_; }

  private:
    struct alignas(16) Block {
        std::byte bytes[16];
    };
    std::vector<std::vector<Block>> values_;
    std::vector<muster_backend_argument> arguments_;
    std::vector<void*> addresses_;
    std::vector<std::uint32_t> lengths_;
    muster_backend_launch given_{};
};

/// Calls launch() of a backend without wait(): returns when the work has ended.
Result<void> launch(const Table& table, void* device, const Arguments& arguments);
/// Submits a launch to a backend with wait().
Result<Submitted> submit_to_backend(const Table& table, void* device,
                                    std::shared_ptr<const Arguments> arguments);

}  // namespace muster::c_table
