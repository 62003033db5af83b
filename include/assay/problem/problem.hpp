// A problem: a family with its parameters and its belief, behind one interface. What needs the family's type
// is compiled once per family (ProblemOf) and used from here without it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/drawing.hpp"
#include "assay/core/world.hpp"
#include "assay/problem/exact_result.hpp"
#include "assay/solver/exact_options.hpp"
#include "assay/solver/information.hpp"
#include "assay/solver/knowledge.hpp"

namespace assay {

class FiniteModel;
class Simulator;

/// The same problem with one source of information silenced.
struct Silenced;

/// "0 2 5".
std::string numbers_text(const Observation& observation);

/// Where a source of information is used: by doing `action` (or arriving) at `state`.
struct SourcePlaces {
  std::string source;
  std::vector<std::pair<int, int>> where;  // (state, action)
};

class Problem {
 public:
  virtual ~Problem() = default;

  /// The canonical name, with every parameter written out.
  [[nodiscard]] const std::string& name() const { return name_; }

  [[nodiscard]] virtual int states() const = 0;
  [[nodiscard]] virtual int actions() const = 0;
  [[nodiscard]] virtual int horizon() const = 0;
  [[nodiscard]] virtual double discount() const = 0;
  /// What planners are to discount by: benchmarks of long undiscounted episodes are planned with a horizon
  /// that is shorter than the episode.
  [[nodiscard]] virtual double planning_discount() const = 0;
  [[nodiscard]] virtual std::vector<Start> starts() const = 0;
  [[nodiscard]] virtual std::unique_ptr<World> world() const = 0;
  [[nodiscard]] virtual std::unique_ptr<ExactResult> exact(const ExactOptions& options) const = 0;
  /// v^c, E[v^e] and B under the prior, over the starts and the full horizon.
  [[nodiscard]] virtual InformationValues information(const Sampling& sampling) const = 0;
  /// The prior, for the estimators of cross-values.
  [[nodiscard]] virtual std::unique_ptr<Knowledge> knowledge(Kernel kernel) const = 0;
  /// For planners that search by simulation.
  [[nodiscard]] virtual std::unique_ptr<Simulator> simulator() const = 0;
  /// Written out, for solvers that do not know the family's type; none unless there are finitely many
  /// environments.
  [[nodiscard]] virtual std::shared_ptr<const FiniteModel> finite_model() const = 0;
  [[nodiscard]] virtual std::vector<Silenced> sources() const = 0;
  [[nodiscard]] virtual std::vector<SourcePlaces> source_places() const = 0;
  /// What is inconsistent in the family or its belief; empty if all is well. Costs an enumeration: small
  /// problems.
  [[nodiscard]] virtual std::vector<std::string> complaints(std::uint64_t seed) const = 0;

  // For people.
  [[nodiscard]] virtual bool drawable() const = 0;
  [[nodiscard]] virtual Cell cell(int state) const = 0;
  [[nodiscard]] virtual char landmark(int state) const = 0;
  [[nodiscard]] virtual char action_glyph(int action) const = 0;
  [[nodiscard]] virtual std::string state_name(int state) const = 0;
  [[nodiscard]] virtual std::string action_name(int action) const = 0;
  /// Of one of finitely many.
  [[nodiscard]] virtual std::string environment_name(int environment) const = 0;
  /// What is seen when `action` (or arriving) at `state` shows this.
  [[nodiscard]] virtual std::string observation_text(int state, int action,
                                                     const Observation& observation) const = 0;

 protected:
  explicit Problem(std::string name) : name_(std::move(name)) {}

 private:
  std::string name_;
};

struct Silenced {
  std::string source;
  std::unique_ptr<Problem> problem;
};

}  // namespace assay
