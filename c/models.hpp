// models.hpp - tensors, models and reports as objects. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <muster/c/objects.hpp>
#include <muster/c/parts.hpp>

namespace muster::c {

class TensorObject final : public ObjectOf<MUSTER_KIND_TENSOR> {
  public:
    explicit TensorObject(HostTensor is) : tensor(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;

    const HostTensor tensor;
};

/// An end of a model, as the caller's structure views it.
class ModelEndView {
  public:
    explicit ModelEndView(const ModelEnd& of) : of_(of) {
        for (const std::string& text : of.texts) texts_.push_back(view(text));
    }
    muster_model_end end() const {
        return {.element = of_.element,
                .name = view(of_.name),
                .type = view(of_.type),
                .sizes = of_.sizes.data(),
                .texts = texts_.data(),
                .rank = of_.sizes.size()};
    }

  private:
    const ModelEnd& of_;
    std::vector<muster_string> texts_;
};

class ModelObject final : public ObjectOf<MUSTER_KIND_MODEL> {
  public:
    ModelObject(std::shared_ptr<SessionObject> of, std::shared_ptr<OpenModel> is)
        : session(std::move(of)),
          model(std::move(is)),
          inputs(model->inputs()),
          outputs(model->outputs()),
          input_views(inputs.begin(), inputs.end()),
          output_views(outputs.begin(), outputs.end()) {}
    Answer<Property> ask(std::int32_t property) const override;

    const std::shared_ptr<SessionObject> session;
    const std::shared_ptr<OpenModel> model;
    const std::vector<ModelEnd> inputs, outputs;
    const std::vector<ModelEndView> input_views, output_views;
};

class ReportObject final : public ObjectOf<MUSTER_KIND_REPORT> {
  public:
    explicit ReportObject(CheckResult is) : result(std::move(is)) {}
    Answer<Property> ask(std::int32_t property) const override;
    Answer<std::string> json() const override { return result.json.text(); }

    const CheckResult result;
};

}  // namespace muster::c
