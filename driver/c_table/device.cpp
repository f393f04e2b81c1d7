#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <muster/driver/c_table/code.hpp>
#include <muster/driver/c_table/device.hpp>
#include <muster/driver/contract/refusals.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::c_table {
namespace {

const TableMemory& of_table(const Memory& memory) { return static_cast<const TableMemory&>(memory); }

/// Work that the host measures. It can't be stopped.
template <class Call>
WorkQueue::Work timed(Call call) {
    return [call = std::move(call)](const std::stop_token&) -> Result<Timing> {
        const auto start = std::chrono::steady_clock::now();
        TRY(call());
        return Timing::since(start);
    };
}

}  // namespace

Result<std::unique_ptr<Device>> TableDevice::open(std::shared_ptr<const Table> table, std::string_view id,
                                                  std::uint32_t ordinal) {
    Described described = TRY(device_of(*table, id, ordinal));
    void* handle = nullptr;
    if (table->open != nullptr)
        TRY(call("open", [&](muster_backend_error* error) { return table->open(ordinal, &handle, error); }));
    return std::unique_ptr<Device>(new TableDevice(std::move(table), id, std::move(described), handle));
}

TableDevice::~TableDevice() {
    queue_.reset();
    if (table_->close != nullptr) table_->close(handle_);
}

Result<Artifact> TableDevice::compile(const ValidProgram& program, const CompileOptions& options) {
    TRY(check_operations(id_, *program, info().ops));
    return lower(program, described_.form, id_ + ":" + info().arch, options);
}

Result<std::unique_ptr<Executable>> TableDevice::load(const Artifact& artifact) {
    if (form_of(artifact.format) != described_.form)
        return not_loadable(id_, form_name(described_.form), artifact.format);
    const auto code = TRY(Code::of(artifact));
    void* executable = nullptr;
    TRY(call("build", [&](muster_backend_error* error) {
        return table_->build(handle_, &code->given(), &executable, error);
    }));
    return std::make_unique<TableExecutable>(*table_, handle_, executable, code->arrays());
}

Result<std::unique_ptr<Memory>> TableDevice::allocate(std::uint64_t bytes) {
    if (table_->allocate == nullptr) {
        std::byte* host = nullptr;
        TRY(check_errno("calloc", [&] {
            host = static_cast<std::byte*>(std::calloc(bytes, 1));
            return host != nullptr ? 0 : ENOMEM;
        }));
        return std::make_unique<TableMemory>(*table_, handle_, nullptr, host, bytes, false);
    }
    void* memory = nullptr;
    TRY(call("allocate",
             [&](muster_backend_error* error) { return table_->allocate(handle_, bytes, &memory, error); }));
    if (memory == nullptr)
        return fail(ErrorCode::internal, "The backend's allocate() succeeds and gives a null pointer.",
                    "report this to who wrote the backend");
    return std::make_unique<TableMemory>(*table_, handle_, memory, nullptr, bytes, false);
}

Result<std::unique_ptr<Memory>> TableDevice::wrap(std::span<std::byte> host) {
    if (table_->allocate != nullptr) return nullptr;
    return std::make_unique<TableMemory>(*table_, handle_, nullptr, host.data(), host.size(), true);
}

Result<void> TableDevice::write(Memory& memory, std::uint64_t offset, std::span<const std::byte> from) {
    const TableMemory& to = of_table(memory);
    if (to.host != nullptr) {
        std::memcpy(to.host + offset, from.data(), from.size());
        return {};
    }
    return call("write", [&](muster_backend_error* error) {
        return table_->write(handle_, to.handle, offset, from.data(), from.size(), error);
    });
}

Result<void> TableDevice::read(const Memory& memory, std::uint64_t offset, std::span<std::byte> to) {
    const TableMemory& from = of_table(memory);
    if (from.host != nullptr) {
        std::memcpy(to.data(), from.host + offset, to.size());
        return {};
    }
    return call("read", [&](muster_backend_error* error) {
        return table_->read(handle_, from.handle, offset, to.data(), to.size(), error);
    });
}

Result<Submitted> TableDevice::submit(const Launch& launch) {
    const auto arguments = std::make_shared<const Arguments>(launch);
    if (!queue_) return submit_to_backend(*table_, handle_, arguments);
    return queue_->submit(timed([this, arguments] { return c_table::launch(*table_, handle_, *arguments); }));
}

Result<void> TableDevice::copy(const MemoryTransfer& transfer) const {
    const TableMemory& to = of_table(*transfer.to);
    const TableMemory* const from = transfer.from != nullptr ? &of_table(*transfer.from) : nullptr;
    if (table_->copy != nullptr)
        return call("copy", [&](muster_backend_error* error) {
            return table_->copy(handle_, to.handle, transfer.to_offset,
                                from != nullptr ? from->handle : nullptr, transfer.from_offset,
                                transfer.bytes, transfer.word, error);
        });
    std::byte* const begin = to.host + transfer.to_offset;
    if (from != nullptr) {
        std::memcpy(begin, from->host + transfer.from_offset, transfer.bytes);
        return {};
    }
    for (std::uint64_t at = 0; at < transfer.bytes; at += sizeof transfer.word)
        std::memcpy(begin + at, &transfer.word, sizeof transfer.word);
    return {};
}

Result<Submitted> TableDevice::transfer(const MemoryTransfer& transfer) {
    if (queue_) return queue_->submit(timed([this, transfer] { return copy(transfer); }));
    TRY(copy(transfer));
    return Timing{};
}

void TableDevice::abandon() {
    if (queue_) queue_->stop();
    if (table_->abandon != nullptr) table_->abandon(handle_);
}

}  // namespace muster::c_table
