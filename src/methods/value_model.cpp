#include <algorithm>
#include <map>

#include "assay/core/belief.hpp"
#include "assay/core/detail/portable_math.hpp"
#include "core/bytes.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

// The channels of normalised inputs that come before the belief's own: E[reward], v^c, B, time left.
constexpr std::size_t kComputedChannels = 4;
constexpr std::size_t kHiddenPerPlace = 4;    // of a dense network
constexpr std::size_t kHiddenPerChannel = 6;  // of an action network
constexpr std::size_t kOwnInputs = 3;         // of an action network's places: E[reward], v^c, B

std::size_t computed_channels(const ValueSettings& settings) {
  return settings.inputs == InputForm::kNormalised ? kComputedChannels : 0;
}

/// The 3x3 cells around each place, as far as there are any.
std::vector<PatchNetwork::Patch> patches_of(const Problem& problem, const Places& places) {
  std::vector<PatchNetwork::Patch> patches(static_cast<std::size_t>(places.count()));
  const bool grid = problem.drawable() && places.kind() != Places::Kind::kChoice;
  std::map<std::pair<int, int>, int> at;
  for (int p = 0; grid && p < places.count(); ++p) at[{problem.cell(p).row, problem.cell(p).column}] = p;
  for (int p = 0; p < places.count(); ++p) {
    PatchNetwork::Patch& patch = patches[static_cast<std::size_t>(p)];
    patch.fill(-1);
    patch[PatchNetwork::kPatch / 2] = p;
    for (int tap = 0; grid && tap < 9; ++tap) {
      const Cell cell = problem.cell(p);
      const auto found = at.find({cell.row + tap / 3 - 1, cell.column + tap % 3 - 1});
      patch[static_cast<std::size_t>(tap)] = found == at.end() ? -1 : found->second;
    }
  }
  return patches;
}

float sigmoid(float score) {
  return static_cast<float>(1 / (1 + portable::exp(-static_cast<double>(score))));
}

}  // namespace

ValueSettings paper_settings() {
  ValueSettings s;
  s.preset = ValuePreset::kPaper;
  s.start = StartValue::kCurrent;
  s.current = CurrentValue::kSampled;
  s.lambda = CashedForm::kApproximate;
  s.reward = PaidReward::kDrawn;
  s.next = NextValue::kTaken;
  s.clock = ClockUse::kStationary;
  s.inputs = InputForm::kRaw;
  s.network = NetworkKind::kPatch;
  s.keep = KeptEpoch::kBest;
  s.gradient = GradientKind::kSemi;
  s.bound = true;
  s.common_numbers = false;
  s.samples = 80;
  s.bound_samples = 40;
  s.hidden = 20;
  s.output_scale = 0.01;
  s.epochs = 2000;
  s.batch = 10;
  s.epsilon = s.final_epsilon = 0.1;
  s.rate = s.final_rate = 0.01;
  return s;
}

ValueModel::ValueModel(const Problem& problem, const ValueSettings& settings)
    : settings_(settings),
      horizon_(problem.horizon()),
      discount_(problem.discount()),
      prior_(problem.prior()),
      places_(std::make_shared<const Places>(*prior_, settings.form)),
      belief_inputs_(*prior_) {
  settle_form();
  if (settings_.start == StartValue::kCurrent || settings_.bound) {
    const Valuation how = {settings_.current, settings_.samples, settings_.bound_samples};
    valuer_.emplace(*prior_, places_, how, horizon_);
    PlaceValues values;
    PlaceValuer(*valuer_).value(*prior_, horizon_, {}, values);
    for (std::size_t p = 0; p < values.current.size(); ++p) {
      value_scale_ = std::max(value_scale_, std::abs(values.current[p] + values.bound[p]));
    }
  }
  if (places_->action_form()) {
    for (int p = 0; p < places_->count(); ++p) {
      value_scale_ =
          std::max(value_scale_, std::abs(static_cast<float>(places_->expected_reward(*prior_, p))));
    }
  }
  make_network(problem);
}

void ValueModel::settle_form() {
  // Places of the state form are alike: cells of a map, or the arms of a bandit, which suit filters of
  // patches and values for all times. Actions of different states are not.
  const bool of_states = places_->kind() == Places::Kind::kChoice && prior_->states() > 1;
  const bool actions = places_->action_form() || of_states;
  if (settings_.network == NetworkKind::kAuto) {
    settings_.network = actions ? NetworkKind::kAction : settings_.state_network;
  }
  if (settings_.clock == ClockUse::kAuto) {
    settings_.clock = actions ? ClockUse::kRemaining : ClockUse::kStationary;
  }
  if (settings_.inputs == InputForm::kAuto) {
    settings_.inputs = actions ? InputForm::kNormalised : InputForm::kRaw;
  }
}

std::size_t ValueModel::shared_inputs() const { return belief_inputs_.count() + 1; }

/// Features that belong to places are images; all others are the same at every place.
std::size_t ValueModel::channels() const {
  const auto places = static_cast<std::size_t>(places_->count());
  const bool local = prior_->feature_cells() == places;
  const std::size_t own = local ? prior_->feature_count() / places : prior_->feature_count();
  return own + computed_channels(settings_);
}

/// A dense network sees everything at once: what is the same at every place is shown to it once.
std::size_t ValueModel::inputs() const {
  if (settings_.network == NetworkKind::kAction) {
    return shared_inputs() + kOwnInputs * static_cast<std::size_t>(places_->count());
  }
  const auto places = static_cast<std::size_t>(places_->count());
  return shows_images() ? channels() * places
                        : computed_channels(settings_) * places + prior_->feature_count();
}

double ValueModel::training_bytes() const {
  constexpr double kArrays = 5;  // the parameters, those kept, the gradient, and two of Adam's
  constexpr double kSaved = 4;   // of them, in a checkpoint that is being written
  const auto places = static_cast<double>(places_->count());
  const bool dense = settings_.network == NetworkKind::kDense;
  const bool action = settings_.network == NetworkKind::kAction;
  const std::size_t units = kHiddenPerChannel * static_cast<std::size_t>(settings_.hidden);
  const double seen = action ? static_cast<double>(shared_inputs() + kOwnInputs + units)
                             : static_cast<double>(inputs()) + (dense ? kHiddenPerPlace * places : 0);
  const double steps = static_cast<double>(settings_.batch) * horizon_;
  return sizeof(float) * ((kArrays + kSaved) * static_cast<double>(network_->parameters()) + steps * seen);
}

bool ValueModel::shows_images() const {
  return settings_.network == NetworkKind::kPatch ||
         prior_->feature_cells() == static_cast<std::size_t>(places_->count());
}

std::vector<float> ValueModel::own_parameters(std::vector<float> parameters) const {
  const std::size_t count = network_->parameters();
  if (parameters.size() == count) return parameters;
  const auto places = static_cast<std::size_t>(places_->count());
  const std::size_t hidden = kHiddenPerPlace * places;
  const bool dense = settings_.network == NetworkKind::kDense;
  const std::size_t before = !dense ? 0 : count + (channels() * places - inputs()) * hidden;
  if (!dense || shows_images() || parameters.size() != before) {
    throw CorruptError("the policy has " + std::to_string(parameters.size()) +
                       " parameters where its method needs " + std::to_string(count));
  }
  const std::size_t images = computed_channels(settings_) * places * hidden;
  std::vector<float> own(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(images));
  own.resize(inputs() * hidden);
  for (std::size_t i = 0; i < prior_->feature_count() * places; ++i) {
    float* sum = own.data() + images + i / places * hidden;
    for (std::size_t h = 0; h < hidden; ++h) sum[h] += parameters[images + i * hidden + h];
  }
  own.insert(own.end(), parameters.begin() + static_cast<std::ptrdiff_t>(channels() * places * hidden),
             parameters.end());
  return own;
}

void ValueModel::make_network(const Problem& problem) {
  const auto places = static_cast<std::size_t>(places_->count());
  if (settings_.network == NetworkKind::kAction) {
    const std::size_t hidden = kHiddenPerChannel * static_cast<std::size_t>(settings_.hidden);
    network_ =
        std::make_unique<ActionNetwork>(ActionNetwork::Shape{shared_inputs(), kOwnInputs, hidden, places});
  } else if (settings_.network == NetworkKind::kDense) {
    network_ =
        std::make_unique<DenseNetwork>(DenseNetwork::Shape{inputs(), kHiddenPerPlace * places, places});
  } else {
    network_ = std::make_unique<PatchNetwork>(
        PatchNetwork::Shape{channels(), static_cast<std::size_t>(settings_.hidden),
                            static_cast<float>(settings_.output_scale), patches_of(problem, *places_)});
  }
}

ValueView::ValueView(const ValueModel& model)
    : model_(model), belief_(&model.prior()), valuer_(model.valuer()), features_(belief_->feature_count()) {}

void ValueView::look(const Belief& belief, int collections, const DrawKey& key,
                     std::span<const float> parameters) {
  belief_ = &belief;
  const ValueSettings& s = model_.settings();
  const auto places = static_cast<std::size_t>(model_.places().count());
  parameters_ = parameters;
  collections_ = collections;
  if (valuer_ && collections > 0) {
    valuer_->value(*belief_, collections, key, values_);
  } else {
    values_.current.assign(places, 0);
    values_.bound.assign(places, 0);
    values_.reward.resize(places);
    for (std::size_t p = 0; p < places; ++p) {
      values_.reward[p] = model_.places().expected_reward(*belief_, static_cast<int>(p));
    }
  }
  if (s.start == StartValue::kReward) {
    std::ranges::transform(values_.reward, values_.current.begin(),
                           [](double reward) { return static_cast<float>(reward); });
  }
  if (!s.bound) values_.bound.assign(places, model_.unbounded_scale());
  fill_inputs(collections);
  model_.network().see(parameters, seen_);
}

void ValueView::fill_inputs(int collections) {
  const ValueSettings& s = model_.settings();
  const auto places = static_cast<std::size_t>(model_.places().count());
  seen_.inputs.resize(model_.inputs());
  belief_->features(features_);
  const float left = static_cast<float>(collections) / static_cast<float>(model_.horizon());
  if (s.network == NetworkKind::kAction) return fill_action_inputs(left);
  const bool normalised = s.inputs == InputForm::kNormalised;
  float* out = seen_.inputs.data();
  if (normalised) {
    for (std::size_t p = 0; p < places; ++p) {
      out[p] = static_cast<float>(values_.reward[p]);
      out[places + p] = values_.current[p] / model_.value_scale();
      out[2 * places + p] = values_.bound[p] / model_.value_scale();
      out[3 * places + p] = left;
    }
    out += kComputedChannels * places;
  }
  const auto shown = [&](double feature) {
    return normalised ? BeliefInputs::on_log_scale(feature) : static_cast<float>(feature);
  };
  const bool repeated = model_.shows_images() && belief_->feature_cells() != places;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    if (!repeated) {
      out[i] = shown(features_[i]);
    } else {
      std::fill_n(out + i * places, places, shown(features_[i]));
    }
  }
}

void ValueView::fill_action_inputs(float left) {
  const auto places = static_cast<std::size_t>(model_.places().count());
  const std::size_t shared = model_.shared_inputs();
  model_.belief_inputs().show(features_, std::span(seen_.inputs).first(shared - 1));
  seen_.inputs[shared - 1] = left;
  float* own = seen_.inputs.data() + shared;
  for (std::size_t p = 0; p < places; ++p, own += kOwnInputs) {
    own[0] = static_cast<float>(values_.reward[p]) / model_.value_scale();
    own[1] = values_.current[p] / model_.value_scale();
    own[2] = values_.bound[p] / model_.value_scale();
  }
}

ValueView::Part ValueView::at(int place) const {
  const auto p = static_cast<std::size_t>(place);
  const float score = model_.network().score(parameters_, seen_, place);
  return {values_.current[p], values_.bound[p], model_.settings().bound ? sigmoid(score) : score};
}

float ValueView::current_with(int place, int collections, const DrawKey& key) {
  if (collections == collections_) return values_.current[static_cast<std::size_t>(place)];
  valuer_->value(*belief_, collections, key, other_);
  return other_.current[static_cast<std::size_t>(place)];
}

const Places::Option& ValueView::best_option(int state, Part& part) const {
  const std::span<const Places::Option> options = model_.places().options(state);
  const Places::Option* best = options.data();
  part = at(best->place);
  for (const Places::Option& option : options.subspan(1)) {
    const Part other = at(option.place);
    if (other.value() > part.value()) {
      best = &option;
      part = other;
    }
  }
  return *best;
}

}  // namespace assay
