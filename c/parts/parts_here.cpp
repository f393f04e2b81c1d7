#include <muster/c/parts/open_model.hpp>
#include <muster/c/parts/run_check.hpp>
#include <muster/c/parts_entry.hpp>
#include <muster/driver/contract/records.hpp>

namespace muster::c {
namespace {

class PartsHere final : public Parts {
  public:
    std::string_view build() const override {
        static constexpr BuildText text = build_fingerprint();
        return text.view();
    }
    bool has_onnx() const override {
#if defined(MUSTER_PARTS_HAVE_ONNX)
        return true;
#else
        return false;
#endif
    }
    Result<std::shared_ptr<OpenModel>> open_model(Session session, const ModelSource& source) override {
        return c::open_model(std::move(session), source);
    }
    Result<CheckResult> check(const CheckRequest& request) override { return run_check(request); }
};

}  // namespace
}  // namespace muster::c

extern "C" muster::c::Parts* muster_c_parts_linked() {
    static auto* const parts = new muster::c::PartsHere;  // outlives every static that might still call
    return parts;
}

extern "C" muster::c::Parts* muster_c_parts() { return muster_c_parts_linked(); }
