// recording.hpp - the work of a command buffer as muster runs it: sequences, cut where the host takes part.
//
// The host takes part in a dispatch whose grid is in a buffer, and in timestamps: there a submission waits
// for the work before. A dispatch by itself needs no sequence. Threads: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include <muster/driver/session/session.hpp>
#include <muster/webgpu/buffer.hpp>
#include <muster/webgpu/query_set.hpp>

namespace muster::webgpu {

/// A part of a buffer's bytes.
struct StorageRange {
    std::shared_ptr<Storage> storage;
    std::uint64_t offset = 0, bytes = 0;  // never 0 bytes
};

class Recording {
  public:
    explicit Recording(Session session) : session_(std::move(session)) {}

    Result<void> dispatch(const BoundKernel& kernel, const Workgroups& groups);
    void dispatch_indirect(BoundKernel kernel, StorageRange grid, std::uint32_t most_groups);
    Result<void> copy(const StorageRange& from, const StorageRange& to);
    Result<void> clear(const StorageRange& range);
    /// The passes between have timestamps; either may have none.
    void begin_pass(Ref<QuerySet> set, std::optional<std::uint32_t> begin, std::optional<std::uint32_t> end);
    void end_pass();
    void write_timestamp(Ref<QuerySet> set, std::uint32_t index);
    void resolve(Ref<QuerySet> set, std::uint32_t first, std::uint32_t number, StorageRange to);

    bool empty() const { return steps_.empty() && !single_ && !open_; }
    /// Called once, when all is recorded.
    void finish() { close(); }

    /// The clock of a queue's timestamps: never goes back.
    struct Clock {
        std::uint64_t last_ns = 0;
    };
    /// Submits everything. Returns the ticket of the last part, if any is in flight. Errors:
    /// those of Session::dispatch.
    Result<std::optional<Ticket>> submit(Clock& clock);

  private:
    struct Single {
        BoundKernel kernel;
        Workgroups groups;
    };
    struct Indirect {
        BoundKernel kernel;
        StorageRange grid;
        std::uint32_t most_groups = 0;
    };
    struct BeginPass {
        Ref<QuerySet> set;
        std::optional<std::uint32_t> begin, end;
    };
    struct EndPass {};
    struct WriteTimestamp {
        Ref<QuerySet> set;
        std::uint32_t index = 0;
    };
    struct Resolve {
        Ref<QuerySet> set;
        std::uint32_t first = 0, number = 0;
        StorageRange to;
    };
    using Step = std::variant<Single, Sequence, Indirect, BeginPass, EndPass, WriteTimestamp, Resolve>;

    Result<Sequence*> opened();
    void close();
    Result<Ticket> submit_indirect(const Indirect& step);

    Session session_;
    std::vector<Step> steps_;
    std::optional<Single> single_;  // the only one of what isn't closed yet,
    std::optional<Sequence> open_;  // or all of it
};

}  // namespace muster::webgpu
