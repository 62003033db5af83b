// A plain network of fully connected layers with ReLU between them (a multilayer perceptron), with its
// gradient written out. All outputs are computed at once: for learners that compare the actions at a state.
//
// All loops add in a fixed order, along arrays of outputs, so that every instruction set gives the same
// bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {

class Perceptron {
 public:
  /// The number of units of each layer: the inputs, the hidden layers, the outputs.
  explicit Perceptron(std::vector<std::size_t> widths);

  [[nodiscard]] std::size_t inputs() const { return widths_.front(); }
  [[nodiscard]] std::size_t outputs() const { return widths_.back(); }
  [[nodiscard]] std::size_t parameters() const { return parameters_; }

  /// What every unit puts out, and room for the way back. One thread's working memory.
  struct Activity {
    std::vector<float> units;  // [layer][unit], the inputs first
    std::vector<float> slopes;
  };
  [[nodiscard]] Activity activity() const;
  [[nodiscard]] std::span<float> inputs(Activity& activity) const {
    return std::span(activity.units).first(inputs());
  }
  [[nodiscard]] std::span<const float> outputs(const Activity& activity) const {
    return std::span(activity.units).last(outputs());
  }

  /// Uniform within sqrt(6 / number of inputs) before a ReLU (He et al. 2015), so that the size of signals
  /// does not depend on the depth; the last layer is a tenth of that, so that outputs begin near 0.
  void initialise(Rng rng, std::span<float> parameters) const;
  /// Computes all layers from the inputs, which the caller has filled in.
  void evaluate(std::span<const float> parameters, Activity& activity) const;
  /// Adds slope * d output / d parameters, where `activity` was evaluated with the same parameters.
  void add_gradient(std::span<const float> parameters, Activity& activity, std::size_t output, float slope,
                    std::span<float> gradient) const;

 private:
  struct Layer {
    std::size_t from = 0, to = 0;  // how many units
    std::size_t at = 0;            // where its inputs are in `units`; its outputs follow them
    std::size_t weights = 0;       // where they are in the parameters: [from][to], then biases [to]
    [[nodiscard]] std::size_t biases() const { return weights + from * to; }
  };

  std::vector<std::size_t> widths_;
  std::vector<Layer> layers_;
  std::size_t parameters_ = 0;
  std::size_t units_ = 0;
};

}  // namespace assay
