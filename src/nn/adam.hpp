// Adam (Kingma and Ba 2015): gradient descent with a step size for each parameter.
#pragma once

#include <span>
#include <vector>

namespace assay {

class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters), square_(parameters) {}

  void step(std::span<float> parameters, std::span<const float> gradient, double rate);

  // The whole state, for checkpoints.
  [[nodiscard]] const std::vector<float>& mean() const { return mean_; }
  [[nodiscard]] const std::vector<float>& square() const { return square_; }
  [[nodiscard]] double mean_weight() const { return mean_weight_; }
  [[nodiscard]] double square_weight() const { return square_weight_; }
  void restore(std::vector<float> mean, std::vector<float> square, double mean_weight, double square_weight);

 private:
  std::vector<float> mean_;    // running mean of the gradient
  std::vector<float> square_;  // running mean of its square
  double mean_weight_ = 1;     // beta^steps: the weight that remains of the zeros at the beginning
  double square_weight_ = 1;
};

}  // namespace assay
