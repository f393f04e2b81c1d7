#include <bit>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <muster/driver/policy/log.hpp>
#include <muster/driver/support/guard.hpp>
#include <muster/driver/validation/validator.hpp>
#include <muster/foundation/sanitize/sanitize.hpp>

namespace muster {
namespace {

constexpr std::size_t most_shapes = 4096;  // all counts begin anew once there are more

std::string sample_of(const SanitizeReport& report) {
    const std::uint64_t all = report.grid.count();
    if (all == 1) return "its one workgroup";
    if (!report.is_sample()) return fmt::format("all {} workgroups", all);
    return fmt::format("{} of {} workgroups", report.workgroups, all);
}

/// The state of a check of a program on a device.
struct Checked {
    const Program& program;
    const std::string& device;
    const SanitizeReport& report;

    std::string said(const std::string& findings) const {
        return fmt::format("Validation of {} on {} finds, in {}:\n{}", program.entry(), device,
                           sample_of(report), findings);
    }
    void warn_once(std::string_view what, const std::string& text) const {
        log_once(LogLevel::warning, fmt::format("validation {} {}", to_string(program.fingerprint()), what),
                 text);
    }
    void tell_cut(const Finding& limit) const;
    void tell(const SanitizeFinding& finding) const {
        warn_once(key_of(finding.finding), said(render(finding, report, program)));
    }
};

/// A check that has run for long enough isn't the kernel's fault.
void Checked::tell_cut(const Finding& limit) const {
    const bool is_known = limit.where.line != 0 && limit.where.file < program.files().size();
    warn_once(
        "cut",
        fmt::format("Validation of {} on {} ends early: {}{} What comes later isn't checked. Fix: "
                    "if no loop is endless, run muster sanitize, which can take more steps",
                    program.entry(), device,
                    is_known ? to_string(limit.where, program.file(limit.where)) + ": " : "", limit.message));
}

class SamplingValidator final : public Validator {
  public:
    SamplingValidator(bool fails, std::string device) : fails_(fails), device_(std::move(device)) {}
    std::optional<std::uint64_t> due(const DispatchShape& shape) override;
    Result<void> check(const ValidProgram& program, const DispatchShape& shape, std::uint64_t seed,
                       std::span<const BoundBytes> bindings, WordGuard* guard) override;

  private:
    void forget_one(const DispatchShape& shape);

    const bool fails_;
    const std::string device_;
    std::mutex mutex_;
    std::map<DispatchShape, std::uint64_t> dispatches_;  // guarded by mutex_
};

std::optional<std::uint64_t> SamplingValidator::due(const DispatchShape& shape) {
    const std::lock_guard lock(mutex_);
    if (dispatches_.size() >= most_shapes && !dispatches_.contains(shape)) dispatches_.clear();
    const std::uint64_t number = ++dispatches_[shape];
    if (!std::has_single_bit(number)) return std::nullopt;
    return static_cast<std::uint64_t>(std::countr_zero(number));
}

void SamplingValidator::forget_one(const DispatchShape& shape) {
    const std::lock_guard lock(mutex_);
    if (const auto found = dispatches_.find(shape); found != dispatches_.end() && found->second != 0)
        --found->second;
}

Result<void> SamplingValidator::check(const ValidProgram& program, const DispatchShape& shape,
                                      std::uint64_t seed, std::span<const BoundBytes> bindings,
                                      WordGuard* guard) {
    const auto report = guarded("sanitize", [&] {
        return sanitize_part(program, bindings, {shape.origin, shape.extent, shape.grid, {}, guard},
                             {.seeds = {seed},
                              .subgroup_size = shape.subgroup_size,
                              .max_steps = most_validation_steps,
                              .max_run_steps = most_validation_steps});
    });
    if (!report) {
        log_once(LogLevel::warning, fmt::format("validation {} fails", to_string(shape.program)),
                 fmt::format("{} on {} can't be validated. {}", program->entry(), device_,
                             report.error().to_string()));
        return {};
    }
    const Checked checked{*program, device_, *report};
    std::string all;
    for (const SanitizeFinding& each : report->findings) {
        if (each.finding.kind == FindingKind::step_limit)
            checked.tell_cut(each.finding);
        else if (fails_)
            all += (all.empty() ? "" : "\n\n") + render(each, *report, *program);
        else
            checked.tell(each);
    }
    if (all.empty()) return {};
    forget_one(shape);
    return fail(ErrorCode::invalid_program, checked.said(all),
                "mend the kernel; with MUSTER_VALIDATE=1, or Validation::warn, it runs with a warning");
}

}  // namespace

std::unique_ptr<Validator> make_validator(Validation validation, std::string device) {
    if (validation == Validation::off) return nullptr;
    return std::make_unique<SamplingValidator>(validation == Validation::error, std::move(device));
}

}  // namespace muster
