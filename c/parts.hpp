// parts.hpp - what the interface offers and libmuster doesn't have itself: models and the
// conformance suite, as plain data.
//
//     Parts* const parts = TRY(find_parts());
//     std::shared_ptr<OpenModel> model = TRY(parts->open_model(session, std::move(source)));
//
// They stand above libmuster (graph/, conformance/), so libmuster can't call them by name. c/parts/
// implements this interface: linked into a static program, or in the module libmuster_c_parts.so, which is
// opened when it is first needed, so that no program loads what it doesn't use. Threads: functions may be
// called from many threads at once, unless stated otherwise.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <muster/driver/report/json.hpp>
#include <muster/driver/session/session.hpp>

namespace muster::c {

/// A tensor in the host's memory, row-major; `element` is MUSTER_F32 and so on.
struct HostTensor {
    std::uint32_t element = 0;
    std::vector<std::int64_t> sizes;
    std::shared_ptr<const std::byte> data;
    std::size_t bytes = 0;
};

/// An input or output of a model.
struct ModelEnd {
    std::uint32_t element = 0;
    std::string name, type;
    std::vector<std::int64_t> sizes;  // -1 where it isn't a number
    std::vector<std::string> texts;
};

struct ModelSource {
    std::span<const std::byte> data;
    std::string path, folder;  // `path` counts if there are no data
    std::optional<CompileOptions> compile;
    std::vector<std::pair<std::string, HostTensor>> constants;
    std::vector<std::pair<std::string, std::int64_t>> sizes;
};

class OpenModel {
  public:
    virtual ~OpenModel() = default;
    virtual std::string name() const = 0;
    virtual std::vector<ModelEnd> inputs() const = 0;
    virtual std::vector<ModelEnd> outputs() const = 0;
    virtual Result<std::vector<HostTensor>> run(std::span<const HostTensor> inputs) = 0;
    virtual Result<report::Json> prepare(std::span<const HostTensor> inputs) = 0;
    virtual Result<report::Json> route(std::span<const HostTensor> inputs) = 0;
    virtual Result<report::Json> profile(std::span<const HostTensor> inputs) = 0;
};

struct CheckStep {
    std::string_view device, what, outcome;
    std::uint64_t done = 0, total = 0;
};
struct CheckRequest {
    SessionOptions session;
    std::vector<std::string> cases;  // globs; none: all
    std::string gaps;
    std::chrono::nanoseconds timeout{0}, reduction{0};  // timeout 0: the suite's own
    bool deviations = true;
    std::function<bool(const CheckStep&)> stops;  // called at each step; may be empty
};
struct CheckResult {
    bool passes = false;
    std::uint64_t left_out = 0;
    report::Json json;
};

class Parts {
  public:
    virtual ~Parts() = default;
    /// The build that it is of, build_fingerprint(): libmuster's own, or it can't be called.
    virtual std::string_view build() const = 0;
    virtual bool has_onnx() const = 0;
    virtual Result<std::shared_ptr<OpenModel>> open_model(Session session, const ModelSource& source) = 0;
    virtual Result<CheckResult> check(const CheckRequest& request) = 0;
};

/// The parts, for as long as the process runs. Errors: unavailable.
Result<Parts*> find_parts();

}  // namespace muster::c
