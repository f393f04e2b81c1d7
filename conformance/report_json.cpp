#include <muster/conformance/report_json.hpp>
#include <muster/driver/report/report.hpp>

namespace muster::conformance {
namespace {

report::Json case_json(const CaseResult& result) {
    report::Json json{{"name", result.name},
                      {"shows", result.shows},
                      {"outcome", name(result.outcome)},
                      {"fault", name(result.fault)},
                      {"took_ns", result.took.count()}};
    if (!result.text.empty()) json["text"] = result.text;
    if (!result.reason.empty()) json["gap"] = {{"reason", result.reason}, {"where", result.where}};
    if (!result.kernel.empty()) json["kernel"] = {{"text", result.kernel}, {"fault", result.text_of_kernel}};
    return json;
}

report::Json deviation_json(const Deviation& deviation) {
    report::Json json{{"operation", deviation.operation},
                      {"promise", name(deviation.promise)},
                      {"mode", name(deviation.mode)}};
    if (!deviation.not_measured.empty()) {
        json["not_measured"] = deviation.not_measured;
        return json;
    }
    json["inputs"] = deviation.inputs;
    json["differing"] = deviation.differing;
    json["largest_ulp"] = deviation.largest_ulp;
    return json;
}

report::Json device_json(const DeviceReport& device) {
    report::Json behaviours = report::Json::array(), deviations = report::Json::array(),
                 cases = report::Json::array();
    for (const Behaviour& row : device.behaviours())
        behaviours.push_back({{"name", row.name},
                              {"cases", row.cases},
                              {"passed", row.passed},
                              {"beyond_limits", row.beyond_limits},
                              {"known_gaps", row.known_gaps},
                              {"failed", row.failed}});
    for (const Deviation& deviation : device.deviations) deviations.push_back(deviation_json(deviation));
    for (const CaseResult& result : device.cases) cases.push_back(case_json(result));
    return {{"id", device.id},
            {"backend", device.backend},
            {"passes", device.conforms()},
            {"took_ns", device.took.count()},
            {"device", report::of(device.info)},
            {"behaviours", behaviours},
            {"deviations", deviations},
            {"cases", cases}};
}

}  // namespace

report::Json report_json(const Report& report) {
    report::Json devices = report::Json::array();
    for (const DeviceReport& device : report.devices) devices.push_back(device_json(device));
    return {{"passes", report.conforms()}, {"left_out", report.left_out}, {"devices", devices}};
}

}  // namespace muster::conformance
