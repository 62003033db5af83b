// Small networks that score places, with their gradients written out.
//
// A network is a pure function of its parameters (one flat array) and of its inputs, [channel][place]. The
// layers that all places share are evaluated once for a belief. Then single places are scored, because an
// agent asks only for the few places that it can go to, and learning asks only for the one that it went to.
// On a 7x7 grid these are 9 and 1 of 49 places. Therefore these plain loops are faster than the full images
// of any library.
//
// All loops add in a fixed order, along arrays of outputs, so that every instruction set gives the same
// bits.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {

class Network {
 public:
  /// The inputs and the layers that all places share. The caller fills in `inputs`, the network the rest.
  struct Seen {
    std::vector<float> inputs;  // [channel][place]
    std::vector<float> hidden;  // the layer that all places share
    int only = -1;              // the place whose inputs these are; -1 if those of all places
  };

  virtual ~Network() = default;
  [[nodiscard]] virtual std::size_t parameters() const = 0;
  /// Uniform within 1/sqrt(number of inputs), as in most libraries; scores begin near 0.
  virtual void initialise(Rng rng, std::span<float> parameters) const = 0;
  virtual void see(std::span<const float> parameters, Seen& seen) const = 0;
  [[nodiscard]] virtual float score(std::span<const float> parameters, const Seen& seen, int place) const = 0;
  /// Adds slope * d score / d parameters.
  virtual void add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                            std::span<float> gradient) const = 0;
  /// What `add_gradient` will need of what was seen.
  virtual void keep(const Seen& seen, int /*place*/, Seen& into) const { into = seen; }
};

/// The network of the paper's appendix C: a convolution with ReLU, a convolution of size 1x1, a factor, and
/// a learnable table with one number per place. Where places are not on a grid, each patch is a single
/// place.
class PatchNetwork final : public Network {
 public:
  static constexpr std::size_t kPatch = 9;
  using Patch = std::array<int, kPatch>;  // places around a place and itself; -1 beyond the edge

  struct Shape {
    std::size_t channels = 1;
    std::size_t hidden = 20;
    float output_scale = 0.01F;
    std::vector<Patch> patches;  // [place]
  };

  explicit PatchNetwork(Shape shape) : shape_(std::move(shape)) {}

  [[nodiscard]] std::size_t parameters() const override { return table_at() + shape_.patches.size(); }
  void initialise(Rng rng, std::span<float> parameters) const override;
  void see(std::span<const float> /*parameters*/, Seen& /*seen*/) const override {}
  [[nodiscard]] float score(std::span<const float> parameters, const Seen& seen, int place) const override;
  void add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                    std::span<float> gradient) const override;

 private:
  // Parameters: filters [tap][channel][hidden], their biases [hidden], output weights [hidden], output bias,
  // table [place].
  [[nodiscard]] std::size_t bias_at() const { return kPatch * shape_.channels * shape_.hidden; }
  [[nodiscard]] std::size_t output_at() const { return bias_at() + shape_.hidden; }
  [[nodiscard]] std::size_t output_bias_at() const { return output_at() + shape_.hidden; }
  [[nodiscard]] std::size_t table_at() const { return output_bias_at() + 1; }
  void hidden_of(std::span<const float> parameters, const Seen& seen, int place, float* hidden) const;

  Shape shape_;
};

/// Two fully connected layers with ReLU between them, in which every place depends on all inputs.
class DenseNetwork final : public Network {
 public:
  struct Shape {
    std::size_t inputs = 1;
    std::size_t hidden = 1;
    std::size_t places = 1;
  };

  explicit DenseNetwork(const Shape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t parameters() const override { return output_bias_at() + shape_.places; }
  void initialise(Rng rng, std::span<float> parameters) const override;
  void see(std::span<const float> parameters, Seen& seen) const override;
  [[nodiscard]] float score(std::span<const float> parameters, const Seen& seen, int place) const override;
  void add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                    std::span<float> gradient) const override;

 private:
  // Parameters: [input][hidden], biases [hidden], [place][hidden], biases [place].
  [[nodiscard]] std::size_t bias_at() const { return shape_.inputs * shape_.hidden; }
  [[nodiscard]] std::size_t output_at() const { return bias_at() + shape_.hidden; }
  [[nodiscard]] std::size_t output_bias_at() const { return output_at() + shape_.places * shape_.hidden; }

  Shape shape_;
};

/// A hidden layer for every place, with ReLU: of inputs that all places share, of a few inputs of its own,
/// and of a learnable row that tells it from the others. What all places share is added up once for a belief,
/// so that a place costs no more than its hidden units.
class ActionNetwork final : public Network {
 public:
  struct Shape {
    std::size_t shared = 1;  // inputs
    std::size_t own = 0;     // inputs of each place
    std::size_t hidden = 1;
    std::size_t places = 1;
  };

  explicit ActionNetwork(const Shape& shape) : shape_(shape) {}

  /// Inputs are [shared], then [place][own].
  [[nodiscard]] std::size_t inputs() const { return shape_.shared + shape_.places * shape_.own; }
  [[nodiscard]] std::size_t parameters() const override { return table_at() + shape_.places; }
  void initialise(Rng rng, std::span<float> parameters) const override;
  void see(std::span<const float> parameters, Seen& seen) const override;
  [[nodiscard]] float score(std::span<const float> parameters, const Seen& seen, int place) const override;
  void add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                    std::span<float> gradient) const override;
  void keep(const Seen& seen, int place, Seen& into) const override;

 private:
  // Parameters: [shared input][hidden], biases [hidden], [own input][hidden], rows [place][hidden], output
  // weights [place][hidden], table [place].
  [[nodiscard]] std::size_t bias_at() const { return shape_.shared * shape_.hidden; }
  [[nodiscard]] std::size_t own_at() const { return bias_at() + shape_.hidden; }
  [[nodiscard]] std::size_t row_at() const { return own_at() + shape_.own * shape_.hidden; }
  [[nodiscard]] std::size_t output_at() const { return row_at() + shape_.places * shape_.hidden; }
  [[nodiscard]] std::size_t table_at() const { return output_at() + shape_.places * shape_.hidden; }
  [[nodiscard]] const float* own_inputs(const Seen& seen, int place) const;
  void hidden_of(std::span<const float> parameters, const Seen& seen, int place, float* hidden) const;

  Shape shape_;
};

}  // namespace assay
