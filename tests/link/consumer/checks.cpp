// Checks a backend of someone else with one case of the conformance suite: as it is, and without the operation that the case
// is about.
#include <cstdio>
#include <memory>
#include <string>

#include <muster/conformance.hpp>
#include <muster/muster.hpp>

namespace {

/// A backend by another name, which runs programs as the reference backend does. If it is partial, it has no remainder.
class Mine final : public muster::Backend {
  public:
    explicit Mine(bool is_partial)
        : is_partial_(is_partial), reference_(muster::acquire("reference").value()) {}
    std::string_view id() const override { return "mine"; }
    muster::Result<std::vector<muster::DeviceInfo>> probe() override {
        auto devices = reference_->probe();
        if (devices && is_partial_)
            devices->front().ops.core.reset(static_cast<std::size_t>(muster::Op::rem));
        return devices;
    }
    muster::Result<std::unique_ptr<muster::Device>> open(std::uint32_t ordinal) override {
        return reference_->open(ordinal);
    }
    std::string default_arch() const override { return reference_->default_arch(); }
    std::span<const std::string> formats() const override { return {}; }
    std::span<const muster::SpecInfo> specs() const override { return {}; }
    muster::Result<muster::Target> describe(std::string_view arch) override {
        return reference_->describe(arch);
    }
    muster::Result<muster::Artifact> emit(const muster::ValidProgram& program, const muster::Target& target,
                                          const muster::EmitRequest& request) override {
        return reference_->emit(program, target, request);
    }

  private:
    bool is_partial_;
    std::unique_ptr<muster::Backend> reference_;
};

void check(bool is_partial) {
    const std::string names[] = {"integers/signed_remainder"};
    muster::conformance::Options options{.cases = muster::conformance::select_cases(names).value()};
    options.session.policy.backends = {{"mine"}};
    options.session.backends = {{.backend = std::make_shared<Mine>(is_partial)}};
    const auto report = muster::conformance::check(options).value();
    const auto& device = report.devices.at(0);
    std::printf("%s %s %s\n", device.id.c_str(), device.cases.at(0).name.c_str(),
                std::string(name(device.cases.at(0).outcome)).c_str());
}

}  // namespace

int main() {
    check(false);
    check(true);
}
