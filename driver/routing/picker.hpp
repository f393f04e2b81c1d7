// picker.hpp - the steps behind decide(), which build one route. Internal to driver/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <muster/driver/policy/selection.hpp>
#include <muster/driver/routing/requirements.hpp>
#include <muster/driver/routing/router.hpp>

namespace muster::routing {

/// Builds one route: holds the inputs and the record written so far. picker.cpp asks what is known without
/// devices; router.cpp chooses a device, or a target to emit for.
class Picker {
  public:
    Picker(const Program& program, const Policy& policy, std::span<const BackendFacts> facts,
           const RouteOptions& options);

    std::variant<Route, Question> run();

  private:
    struct Pick {
        std::size_t backend, record;
        policy::Selection::Preference place;
        const DeviceInfo* device;
        const DeviceCheck* check = nullptr;  // null: not checked, or not yet
        bool fails_check() const { return check != nullptr && check->fails(); }
    };

    std::vector<std::size_t> in_order();
    CandidateRecord start(std::size_t backend, Stage stage, Reason reason, std::string message,
                          std::string fix = {}) const;
    std::size_t list_index(std::size_t backend) const;
    policy::Selection::Preference place(std::size_t backend, const DeviceInfo& device) const;
    bool has_consent(const FleetEntry& entry) const;
    std::optional<CandidateRecord> policy_refusal(std::size_t backend) const;
    bool refused_by_policy(std::size_t backend, const DeviceInfo& device, CandidateRecord& record) const;
    std::string put_on_list(const std::string& id) const;
    std::optional<CandidateRecord> tags_forbid(std::size_t backend) const;
    std::optional<CandidateRecord> consent_refusal(std::size_t backend) const;
    std::optional<CandidateRecord> operations_refusal(std::size_t backend, bool can_be_split) const;
    std::optional<CandidateRecord> split_refusal(std::size_t backend) const;
    void ask_policy();
    void note_unlinked();
    void note_missing_devices(std::size_t backend);

    bool could_win(std::size_t backend) const;
    bool is_postponed(std::size_t backend) const;
    void leave_unasked(std::size_t backend, std::string why);
    std::optional<Question> choose_device();
    bool is_checked(std::size_t backend) const;
    bool is_wanted(std::size_t backend, const DeviceInfo& device) const;
    bool refused_by_check(std::size_t backend, const DeviceInfo& device, CandidateRecord& record) const;
    std::optional<Question> unchecked() const;
    void tell_check();
    void check_devices(std::size_t backend);
    CandidateRecord check_device(std::size_t backend, const DeviceInfo& device) const;
    CandidateRecord probe_failure(std::size_t backend) const;
    std::string with_hidden(std::size_t backend, std::string message) const;
    void note_hidden();
    static bool comes_before(const Pick& one, const Pick& other);
    void settle();
    std::string order_of(const Pick& winner, const Pick& loser) const;
    std::string fix_of(const Pick& loser) const;
    std::string name_it(const std::string& id) const;
    std::optional<Misfit> lacks_code(std::size_t backend, const DeviceInfo& device,
                                     const Missing& compiler) const;

    std::optional<Question> choose_emitter();
    std::optional<Misfit> misfit_of(const Target& target) const;
    const Target* later_target(std::size_t backend) const;
    const Target* choose_target(std::size_t backend) const;
    CandidateRecord check_target(std::size_t backend, const Target& target) const;
    bool asks_all() const { return options_.ask_all || takes_only_one_ || estimates(); }
    /// True if estimates decide instead of ranks.
    bool estimates() const { return is_measured(policy_) && options_.estimate; }
    void choose_by_estimate();
    void note_unmeasured();
    bool may_emit() const;
    bool call_ambiguous(Stage stage);
    void mark_failed_first();
    bool comes_first(std::size_t backend, const CandidateRecord& failed) const;
    Error refusal() const;
    std::string headline_of_refusal() const;
    std::string first_fix() const;
    Route finish(Outcome outcome);
    Route refuse();

    const Program& program_;
    const Policy& policy_;
    policy::Selection selection_;
    Requirements requirements_;
    bool takes_only_one_;
    std::span<const BackendFacts> facts_;
    const RouteOptions& options_;
    FitOptions fit_options_;
    Decision decision_;
    std::vector<std::size_t> allowed_;  // backends that the policy allows, in order of preference
    std::optional<Pick> best_;
    std::vector<Pick> fits_;
    std::vector<std::size_t> unasked_;  // backends that weren't probed, since they couldn't win
    std::optional<std::size_t> emitter_;
    const Target* emission_target_ = nullptr;  // of emitter_
    bool names_missing_device_ = false;   // true if the policy's list names a device that its backend lacks
    std::vector<std::string> ambiguous_;  // the backends that fit, if several do and the policy is OnlyOne
};

}  // namespace muster::routing
