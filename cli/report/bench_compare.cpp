#include <algorithm>

#include <fmt/format.h>

#include <muster/cli/report/bench_compare.hpp>
#include <muster/cli/support/json.hpp>
#include <muster/foundation/base/try.hpp>

namespace muster::cli {
namespace {

/// A member of the file, and where it is: "devices[0].kernels[2].p50_ns".
class Member {
  public:
    Member(const Json& json, std::string file, std::string path)
        : json_(&json), file_(std::move(file)), path_(std::move(path)) {}

    Result<Member> operator[](const std::string& name) const {
        const std::string path = path_.empty() ? name : path_ + "." + name;
        if (!json_->is_object() || !json_->contains(name)) return wrong(path, "is missing");
        return Member((*json_)[name], file_, path);
    }
    Result<std::vector<Member>> elements() const {
        if (!json_->is_array()) return wrong(path_, "isn't an array");
        std::vector<Member> all;
        for (const Json& element : *json_)
            all.emplace_back(element, file_, fmt::format("{}[{}]", path_, all.size()));
        return all;
    }
    Result<std::string> text() const {
        if (!json_->is_string()) return wrong(path_, "isn't text");
        return json_->get<std::string>();
    }
    Result<std::uint64_t> positive() const {
        if (!json_->is_number_unsigned() || *json_ == 0) return wrong(path_, "isn't an integer above 0");
        return json_->get<std::uint64_t>();
    }

  private:
    std::unexpected<Error> wrong(const std::string& path, std::string_view what) const {
        return fail(ErrorCode::invalid_argument, fmt::format("{}: {} {}.", file_, path, what),
                    "give a file that muster bench --json has written");
    }
    const Json* json_;
    std::string file_, path_;
};

}  // namespace

Result<EarlierBench> EarlierBench::parse(std::string_view text, std::string file) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return fail(ErrorCode::invalid_argument, file + " isn't JSON.",
                    "give a file that muster bench --json has written");
    EarlierBench earlier;
    earlier.file_ = file;
    const Member root(json, file, "");
    earlier.mode_ = TRY(TRY(root["mode"]).text());
    for (const Member& from : TRY(TRY(root["devices"]).elements())) {
        const Member info = TRY(from["device"]);
        Device device{TRY(TRY(from["id"]).text()), TRY(TRY(info["name"]).text()),
                      TRY(TRY(info["memory_bytes"]).positive())};
        for (const Member& kernel : TRY(TRY(from["kernels"]).elements())) {
            const std::string name = TRY(TRY(kernel["name"]).text());
            if (TRY(TRY(kernel["outcome"]).text()) != "measured") continue;
            device.kernels.push_back(
                {name, TRY(TRY(kernel["size"]).text()), TRY(TRY(kernel["p50_ns"]).positive())});
        }
        earlier.devices_.push_back(std::move(device));
    }
    return earlier;
}

const EarlierBench::Device* EarlierBench::find(const std::string& id) const {
    const auto found = std::ranges::find(devices_, id, &Device::id);
    return found == devices_.end() ? nullptr : &*found;
}

std::optional<double> EarlierBench::ratio(const bench::DeviceReport& device,
                                          const bench::KernelResult& result) const {
    const Device* const then = find(device.id);
    if (then == nullptr || result.outcome != bench::Outcome::measured) return std::nullopt;
    const auto kernel = std::ranges::find(then->kernels, result.name, &Kernel::name);
    if (kernel == then->kernels.end() || kernel->size != result.size) return std::nullopt;
    return static_cast<double>(kernel->p50_ns) / static_cast<double>(result.times.p50_ns);
}

std::optional<std::string> EarlierBench::misfit(const bench::Report& report) const {
    const std::string_view mode = name(report.precision);
    if (mode_ != mode) return fmt::format("{} was measured in {} mode, this in {} mode.", file_, mode_, mode);
    bool has_one = false;
    for (const bench::DeviceReport& device : report.devices) {
        const Device* const then = find(device.id);
        if (then == nullptr) continue;
        has_one = true;
        if (then->name != device.info.name || then->memory_bytes != device.info.memory_bytes)
            return fmt::format(
                "{} is of another machine: there {} is {} with {} bytes, here {} with {} bytes.", file_,
                device.id, then->name, then->memory_bytes, device.info.name, device.info.memory_bytes);
    }
    if (!has_one) return fmt::format("{} has none of the devices that are measured.", file_);
    return std::nullopt;
}

std::vector<std::string> EarlierBench::unknown_kernels() const {
    const std::vector<std::string> known = bench::kernel_names();
    std::vector<std::string> unknown;
    for (const Device& device : devices_)
        for (const Kernel& kernel : device.kernels)
            if (std::ranges::find(known, kernel.name) == known.end() &&
                std::ranges::find(unknown, kernel.name) == unknown.end())
                unknown.push_back(kernel.name);
    return unknown;
}

}  // namespace muster::cli
