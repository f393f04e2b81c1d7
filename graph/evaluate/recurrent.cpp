#include <algorithm>
#include <array>

#include <muster/foundation/base/try.hpp>
#include <muster/foundation/math/evaluate.hpp>
#include <muster/graph/evaluate/evaluation.hpp>
#include <muster/graph/evaluate/sums.hpp>
#include <muster/graph/infer/inference.hpp>

namespace muster::graph {
namespace {

enum Input : std::size_t { x, w, r, bias, lengths, initial_h, initial_c, peepholes };

/// A matrix of one direction, or a row of it.
struct View {
    const Floats* values = nullptr;  // null: all zeros
    std::size_t first = 0;
    float operator[](std::size_t i) const { return values ? (*values)[first + i] : 0; }
};

float dot(const View& row, std::span<const float> vector) {
    return product_sum(vector.size(), [&](std::size_t i) { return row[i] * vector[i]; });
}

class Recurrence {
  public:
    explicit Recurrence(Evaluation& node)
        : node_(node), lstm_(node.op() == Operator::lstm), batch_first_(node.attributes().flag("layout")) {
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (node.has(i) && i != lengths) inputs_[i] = node.floats(i);
        }
        if (node.has(lengths)) lengths_ = node.integers(lengths);
        const Sizes sizes = node.sizes(x);
        steps_ = static_cast<std::size_t>(sizes[batch_first_ ? 1 : 0]);
        batch_ = static_cast<std::size_t>(sizes[batch_first_ ? 0 : 1]);
        input_ = static_cast<std::size_t>(sizes[2]);
        directions_ = static_cast<std::size_t>(node.sizes(w)[0]);
        hidden_ = static_cast<std::size_t>(node.sizes(r)[2]);
        y_.resize(steps_ * directions_ * batch_ * hidden_);
        last_h_.resize(directions_ * batch_ * hidden_);
        last_c_.resize(last_h_.size());
    }

    Result<void> run() {
        for (std::size_t b = 0; b < batch_; ++b) {
            const std::int64_t length = lengths_.empty() ? static_cast<std::int64_t>(steps_) : lengths_[b];
            if (length < 0 || length > static_cast<std::int64_t>(steps_))
                return wrong("An element of sequence_lens is negative, or more than the number of steps.");
            for (std::size_t direction = 0; direction < directions_; ++direction)
                sequence(b, direction, static_cast<std::size_t>(length));
        }
        node_.set(0, y_);
        node_.set(1, last_h_);
        node_.set(2, last_c_);
        return {};
    }

  private:
    std::size_t x_at(std::size_t step, std::size_t b) const {
        return (batch_first_ ? b * steps_ + step : step * batch_ + b) * input_;
    }
    std::size_t y_at(std::size_t step, std::size_t direction, std::size_t b) const {
        return (batch_first_ ? (b * steps_ + step) * directions_ + direction
                             : (step * directions_ + direction) * batch_ + b) *
               hidden_;
    }
    std::size_t state_at(std::size_t direction, std::size_t b) const {
        return (batch_first_ ? b * directions_ + direction : direction * batch_ + b) * hidden_;
    }
    /// Row `row` of an input whose rows of one direction have `length` elements.
    View row(std::size_t input, std::size_t direction, std::size_t row, std::size_t length) const {
        if (inputs_[input].empty()) return {};
        const std::size_t rows = inputs_[input].size() / directions_ / length;
        return {&inputs_[input], (direction * rows + row) * length};
    }
    /// One element for each unit: of B, the vector `number` of one direction.
    float vector(std::size_t input, std::size_t direction, std::size_t number, std::size_t unit) const {
        return row(input, direction, number, hidden_)[unit];
    }

    /// An activation by its place in the list: clipped before.
    float activated(std::size_t direction, std::size_t place, float value) const {
        const Attributes& attributes = node_.attributes();
        if (attributes.has("clip")) {
            const float clip = attributes.number("clip");
            value = value < -clip ? -clip : value;
            value = value > clip ? clip : value;
        }
        const std::size_t count = lstm_ ? 3 : 2;
        const auto said = attributes.texts("activations");
        const std::string_view name = said.empty() ? std::string_view(place == 0 ? "Sigmoid" : "Tanh")
                                                   : said[direction * count + place];
        if (name == "Sigmoid") return 1 / (1 + math::evaluate(Op::exp, -value));
        if (name == "Tanh") return math::evaluate(Op::tanh, value);
        return value <= 0 ? 0 : value;
    }

    struct At {
        std::size_t direction;
        std::span<const float> input, h, c;
    };
    float from_input(const At& at, std::size_t gate, std::size_t unit) const {
        return dot(row(w, at.direction, gate * hidden_ + unit, input_), at.input);
    }
    float from_state(const At& at, std::size_t gate, std::size_t unit, std::span<const float> h) const {
        return dot(row(r, at.direction, gate * hidden_ + unit, hidden_), h);
    }
    /// x * W + h * R + (Wb + Rb).
    float gate_sum(const At& at, std::size_t gate, std::size_t unit, std::span<const float> h) const {
        const std::size_t gates = lstm_ ? 4 : 3;
        return from_input(at, gate, unit) + from_state(at, gate, unit, h) +
               (vector(bias, at.direction, gate, unit) + vector(bias, at.direction, gates + gate, unit));
    }

    void step_lstm(const At& at, Floats& h, Floats& c) const {
        enum Gate : std::size_t { in, out, forget, cell };
        const auto gate = [&](Gate which, std::size_t unit, float state) {
            // P's vectors are in the order of the gates.
            const float sum =
                gate_sum(at, which, unit, at.h) + vector(peepholes, at.direction, which, unit) * state;
            return activated(at.direction, 0, sum);
        };
        for (std::size_t unit = 0; unit < hidden_; ++unit) {
            const float f = gate(forget, unit, at.c[unit]);
            const float i = node_.attributes().flag("input_forget") ? 1 - f : gate(in, unit, at.c[unit]);
            const float candidate = activated(at.direction, 1, gate_sum(at, cell, unit, at.h));
            c[unit] = f * at.c[unit] + i * candidate;
            h[unit] = gate(out, unit, c[unit]) * activated(at.direction, 2, c[unit]);
        }
    }

    void step_gru(const At& at, Floats& h) const {
        enum Gate : std::size_t { update, reset, candidate };
        Floats resets, reset_h;
        for (std::size_t unit = 0; unit < hidden_; ++unit) {
            resets.push_back(activated(at.direction, 0, gate_sum(at, reset, unit, at.h)));
            reset_h.push_back(resets[unit] * at.h[unit]);
        }
        for (std::size_t unit = 0; unit < hidden_; ++unit) {
            const float z = activated(at.direction, 0, gate_sum(at, update, unit, at.h));
            float sum = 0;
            if (node_.attributes().flag("linear_before_reset")) {
                const float state =
                    from_state(at, candidate, unit, at.h) + vector(bias, at.direction, 3 + candidate, unit);
                sum = from_input(at, candidate, unit) + resets[unit] * state +
                      vector(bias, at.direction, candidate, unit);
            } else {
                sum = gate_sum(at, candidate, unit, reset_h);
            }
            h[unit] = (1 - z) * activated(at.direction, 1, sum) + z * at.h[unit];
        }
    }

    void sequence(std::size_t b, std::size_t direction, std::size_t length) {
        const bool reversed = direction == 1 || node_.attributes().text("direction") == "reverse";
        const auto state = [&](std::size_t input) {
            Floats values(hidden_);
            if (inputs_[input].empty()) return values;
            std::copy_n(inputs_[input].begin() + static_cast<std::ptrdiff_t>(state_at(direction, b)), hidden_,
                        values.begin());
            return values;
        };
        Floats h = state(initial_h), c = state(initial_c), next_h = h, next_c = c;
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t step = reversed ? length - 1 - i : i;
            const At at{direction, std::span(inputs_[x]).subspan(x_at(step, b), input_), h, c};
            if (lstm_)
                step_lstm(at, next_h, next_c);
            else
                step_gru(at, next_h);
            h = next_h;
            c = next_c;
            std::ranges::copy(h, y_.begin() + static_cast<std::ptrdiff_t>(y_at(step, direction, b)));
        }
        std::ranges::copy(h, last_h_.begin() + static_cast<std::ptrdiff_t>(state_at(direction, b)));
        std::ranges::copy(c, last_c_.begin() + static_cast<std::ptrdiff_t>(state_at(direction, b)));
    }

    Evaluation& node_;
    bool lstm_, batch_first_;
    std::array<Floats, 8> inputs_;
    Integers lengths_;
    std::size_t steps_ = 0, batch_ = 0, input_ = 0, directions_ = 0, hidden_ = 0;
    Floats y_, last_h_, last_c_;
};

}  // namespace

/// LSTM: i, o, f = A(x*W + h*R + (Wb + Rb) + P*c), of o with the new c; c' = f*c + i*B(...), h' = o*C(c').
/// GRU: z, r = A(x*W + h*R + (Wb + Rb)); h' = (1 - z)*B(x*W + (r*h)*R + (Wb + Rb)) + z*h, or, with
/// linear_before_reset, of B(x*W + r*(h*R + Rb) + Wb). Steps beyond a sequence's length give 0; its last
/// state is that of its last step.
Result<void> evaluate_recurrent(Evaluation& node) { return Recurrence(node).run(); }

}  // namespace muster::graph
