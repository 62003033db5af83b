#include <algorithm>
#include <cmath>

#include "assay/core/bytes.hpp"
#include "methods/tabular.hpp"

namespace assay {
namespace {

TabularValues::BeliefKey key_of(const Knowledge& belief) {
  TabularValues::BeliefKey key;
  belief.key(key);
  return key;
}

bool environment_is_known(const Knowledge& belief) {
  return std::ranges::count_if(belief.weights(), [](double w) { return w > 0; }) == 1;
}

void need_finite_values(const std::vector<double>& values) {
  if (std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) return;
  throw CorruptError("the table of values holds one that is not a finite number");
}

}  // namespace

TabularModel::TabularModel(const Problem& problem, const TabularSettings& settings)
    : settings_(settings),
      horizon_(problem.horizon()),
      discount_(problem.discount()),
      prior_(problem.knowledge(default_kernel())),
      places_(std::make_shared<const Places>(*prior_)) {
  if (prior_->weights().empty()) throw UsageError("tables need a belief over finitely many environments");
  const bool from_plans = settings_.start == TableStart::kCurrent;
  if (settings_.cross == CrossSource::kIteration || from_plans) {
    exact_ = CrossTable::exact(*prior_, *places_, horizon_);
  }
}

TabularValues TabularModel::initial_values() const {
  TabularValues values;
  if (settings_.cross == CrossSource::kKnown || settings_.cross == CrossSource::kHorizon) {
    values.cross.emplace(prior_->weights().size(), *places_, clocks());
  }
  return values;
}

double TabularModel::current(const TabularValues& values, const Knowledge& belief, int clock,
                             int place) const {
  if (!cashes()) return 0;
  return cross(values).current(belief.weights(), clock, place);
}

/// What a belief that was never met is thought to be worth.
std::vector<double> TabularModel::first_row(const Knowledge& belief) const {
  std::vector<double> row(index(clocks(), 0));
  if (cashes() || settings_.start == TableStart::kZero) return row;
  for (int clock = 0; clock < clocks(); ++clock) {
    for (int p = 0; p < places_->count(); ++p) {
      row[index(clock, p)] = exact_->current(belief.weights(), clock, p);
    }
  }
  return row;
}

const std::vector<double>* TabularModel::known_row(const TabularValues& values, const Knowledge& belief) {
  const auto found = values.future.find(key_of(belief));
  return found == values.future.end() ? nullptr : &found->second;
}

double TabularModel::future(const TabularValues& values, const std::vector<double>* row,
                            const Knowledge& belief, int clock, int place, double now) const {
  if (!cashes()) {
    if (row != nullptr) return (*row)[index(clock, place)];
    return settings_.start == TableStart::kCurrent ? exact_->current(belief.weights(), clock, place) : 0;
  }
  const double bound = settings_.future_start == FutureStart::kBound
                           ? cross(values).full(belief.weights(), clock, place) - now
                           : 0;
  return row != nullptr ? bound + (*row)[index(clock, place)] : bound;
}

TabularModel::Best TabularModel::best(const TabularValues& values, const Knowledge& belief, int clock,
                                      int state) const {
  const std::vector<double>* row = known_row(values, belief);
  Best best;
  for (const Places::Option& option : places_->options(state)) {
    const double now = current(values, belief, clock, option.place);
    const double later = future(values, row, belief, clock, option.place, now);
    if (best.option == nullptr || now + later > best.current + best.future) best = {&option, now, later};
  }
  return best;
}

std::vector<double>* TabularModel::row(TabularValues& values, const Knowledge& belief) const {
  if (cashes() && environment_is_known(belief)) return nullptr;
  TabularValues::BeliefKey key = key_of(belief);
  const auto found = values.future.find(key);
  if (found != values.future.end()) return &found->second;
  return &values.future.emplace(std::move(key), first_row(belief)).first->second;
}

std::string TabularModel::encode(const TabularValues& values) const {
  ByteWriter writer;
  writer.u64(values.future.size());
  for (const auto& [key, row] : values.future) {
    writer.u64(key.size());
    for (const std::uint64_t word : key) writer.u64(word);
    writer.f64s(row);
  }
  writer.u64(values.cross ? 1 : 0);
  if (values.cross) writer.f64s(values.cross->values());
  return writer.take();
}

TabularValues TabularModel::decode(std::string_view bytes) const {
  ByteReader reader(bytes, "the table of values");
  TabularValues values = initial_values();
  const std::size_t entries = index(clocks(), 0);
  const std::size_t words = key_of(*prior_).size();
  for (std::uint64_t rows = reader.u64(); rows > 0; --rows) {
    if (reader.u64() != words) throw CorruptError("the table of values is of another belief");
    TabularValues::BeliefKey key;
    for (std::size_t i = 0; i < words; ++i) key.push_back(reader.u64());
    std::vector<double> row = reader.f64s();
    if (row.size() != entries) throw CorruptError("the table of values is of another problem");
    need_finite_values(row);
    values.future.emplace(std::move(key), std::move(row));
  }
  if (reader.u64() != (values.cross ? 1U : 0U))
    throw CorruptError("the table of values is of another method");
  if (values.cross) {
    std::vector<double> cross = reader.f64s();
    if (cross.size() != values.cross->values().size()) {
      throw CorruptError("the table of cross-values is of another problem");
    }
    need_finite_values(cross);
    values.cross->set_values(std::move(cross));
  }
  reader.expect_end();
  return values;
}

}  // namespace assay
