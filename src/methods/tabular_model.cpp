#include <algorithm>
#include <cmath>

#include "core/bytes.hpp"
#include "methods/tabular.hpp"

namespace assay {
namespace {

/// In front of the tables: no number of beliefs that anyone has met.
constexpr std::uint64_t kSparseTables = ~std::uint64_t{0};

TabularValues::BeliefKey key_of(const Belief& belief) {
  TabularValues::BeliefKey key;
  belief.key(key);
  return key;
}

bool environment_is_known(const Belief& belief) {
  return std::ranges::count_if(belief.weights(), [](double w) { return w > 0; }) == 1;
}

double need_finite(double value) {
  if (std::isfinite(value)) return value;
  throw CorruptError("the table of values holds one that is not a finite number");
}

}  // namespace

DrawnCash::Cash DrawnCash::at(const Belief& belief, int clock, int place) {
  constexpr std::size_t kMostRemembered = 100'000;
  // The same draws for every belief, so that what is forgotten is computed to the same bits.
  constexpr DrawKey kDraws = {.seed = 20'220'329};
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostRemembered) known_.clear();
  const auto [found, missing] = known_.try_emplace(Key{clock, belief.key()});
  if (missing) valuer_.value(belief, clock, kDraws, found->second);
  const auto p = static_cast<std::size_t>(place);
  return {static_cast<double>(found->second.current[p]), static_cast<double>(found->second.bound[p])};
}

TabularModel::TabularModel(const Problem& problem, const TabularSettings& settings)
    : settings_(settings),
      horizon_(problem.horizon()),
      discount_(problem.discount()),
      prior_(problem.prior()),
      places_(std::make_shared<const Places>(*prior_, settings.form)) {
  if (settings_.clock == TableClock::kAuto) {
    const bool choices = places_->kind() == Places::Kind::kChoice;
    settings_.clock = choices ? TableClock::kRemaining : TableClock::kStationary;
  }
  const std::size_t environments = prior_->weights().size();
  tables_ = environments > 0 && CrossTable::fits(environments, *places_, horizon_ + 1);
  const bool from_plans = settings_.start == TableStart::kCurrent;
  if (learns_cross() || (!cashes() && !from_plans)) return;
  if (tables_) {
    exact_ = CrossTable::exact(*prior_, *places_, horizon_);
  } else {
    constexpr Valuation kHow = {CurrentValue::kMean, 64, 64};
    drawn_ = std::make_unique<DrawnCash>(PlaceValuer(*prior_, places_, kHow, horizon_));
  }
}

bool TabularModel::learns_cross() const {
  return tables_ && cashes() && settings_.cross != CrossSource::kIteration;
}

TabularValues TabularModel::initial_values() const {
  TabularValues values;
  if (learns_cross()) values.cross.emplace(prior_->weights().size(), *places_, cross_clock(horizon_) + 1);
  return values;
}

double TabularModel::known_current(const Belief& belief, int clock, int place) const {
  return exact_ ? exact_->current(belief.weights(), clock, place) : drawn_->at(belief, clock, place).current;
}

double TabularModel::known_full(const Belief& belief, int clock, int place) const {
  if (exact_) return exact_->full(belief.weights(), clock, place);
  const DrawnCash::Cash cash = drawn_->at(belief, clock, place);
  return cash.current + cash.bound;
}

double TabularModel::current(const TabularValues& values, const Belief& belief, int clock, int place) const {
  if (!cashes()) return 0;
  return values.cross ? values.cross->current(belief.weights(), cross_clock(clock), place)
                      : known_current(belief, clock, place);
}

double TabularModel::first_value(const Belief& belief, int clock, int place) const {
  const bool from_plans = !cashes() && settings_.start == TableStart::kCurrent;
  return from_plans ? known_current(belief, clock, place) : 0;
}

const SparseRow* TabularModel::known_row(const TabularValues& values, const Belief& belief) {
  const auto found = values.future.find(key_of(belief));
  return found == values.future.end() ? nullptr : &found->second;
}

double TabularModel::learned(const SparseRow* row, const Belief& belief, int clock, int place) const {
  const double* found = row == nullptr ? nullptr : row->find(index(clock, place));
  return found != nullptr ? *found : first_value(belief, clock, place);
}

double TabularModel::future(const TabularValues& values, const SparseRow* row, const Belief& belief,
                            int clock, int place, double now) const {
  double bound = 0;
  if (cashes() && settings_.future_start == FutureStart::kBound) {
    bound = (values.cross ? values.cross->full(belief.weights(), cross_clock(clock), place)
                          : known_full(belief, clock, place)) -
            now;
  }
  return bound + learned(row, belief, clock, place);
}

TabularModel::Best TabularModel::best(const TabularValues& values, const Belief& belief, int clock,
                                      int state) const {
  const SparseRow* row = known_row(values, belief);
  Best best;
  for (const Places::Option& option : places_->options(state)) {
    const double now = current(values, belief, clock, option.place);
    const double later = future(values, row, belief, clock, option.place, now);
    if (best.option == nullptr || now + later > best.current + best.future) best = {&option, now, later};
  }
  return best;
}

SparseRow* TabularModel::row(TabularValues& values, const Belief& belief) const {
  return cashes() && environment_is_known(belief) ? nullptr : &values.future[key_of(belief)];
}

std::string TabularModel::encode(const TabularValues& values) const {
  ByteWriter writer;
  writer.u64(kSparseTables);
  writer.u64(index(clocks(), 0));
  writer.u64(values.future.size());
  for (const auto& [key, row] : values.future) {
    writer.u64(key.size());
    for (const std::uint64_t word : key) writer.u64(word);
    writer.u64(row.entries().size());
    for (const SparseRow::Entry& entry : row.entries()) {
      writer.u64(entry.index);
      writer.f64(entry.value);
    }
  }
  writer.u64(values.cross ? 1 : 0);
  if (values.cross) writer.f64s(values.cross->values());
  return writer.take();
}

/// Before there were sparse tables, a row was all of its numbers: those of places that were never met too.
SparseRow TabularModel::read_row(ByteReader& reader, bool sparse) const {
  const std::size_t all = index(clocks(), 0);
  SparseRow row;
  if (!sparse) {
    const std::vector<double> numbers = reader.f64s();
    if (numbers.size() != all) throw CorruptError("the table of values is of another problem");
    for (std::size_t i = 0; i < all; ++i) row.set(i, need_finite(numbers[i]));
    return row;
  }
  for (std::uint64_t left = reader.u64(); left > 0; --left) {
    const std::uint64_t at = reader.u64();
    const bool follows = row.entries().empty() || row.entries().back().index < at;
    if (at >= all || !follows) throw CorruptError("the table of values is of another problem");
    row.set(at, need_finite(reader.f64()));
  }
  return row;
}

TabularValues TabularModel::decode(std::string_view bytes) const {
  ByteReader reader(bytes, "the table of values");
  TabularValues values = initial_values();
  const std::size_t words = key_of(*prior_).size();
  std::uint64_t rows = reader.u64();
  const bool sparse = rows == kSparseTables;
  if (sparse && reader.u64() != index(clocks(), 0)) {
    throw CorruptError("the table of values is of another problem");
  }
  for (rows = sparse ? reader.u64() : rows; rows > 0; --rows) {
    if (reader.u64() != words) throw CorruptError("the table of values is of another belief");
    TabularValues::BeliefKey key;
    for (std::size_t i = 0; i < words; ++i) key.push_back(reader.u64());
    values.future.emplace(std::move(key), read_row(reader, sparse));
  }
  if (reader.u64() != (values.cross ? 1U : 0U))
    throw CorruptError("the table of values is of another method");
  if (values.cross) {
    std::vector<double> cross = reader.f64s();
    const std::size_t due = values.cross->values().size();
    // Before there were sparse tables, those of clocks that nothing asks for were kept too.
    const bool all_clocks = !sparse && cross.size() == due * static_cast<std::size_t>(clocks());
    if (all_clocks && cross.size() > due)
      cross.erase(cross.begin(), cross.end() - static_cast<std::ptrdiff_t>(due));
    if (cross.size() != due) throw CorruptError("the table of cross-values is of another problem");
    for (const double value : cross) need_finite(value);
    values.cross->set_values(std::move(cross));
  }
  reader.expect_end();
  return values;
}

}  // namespace assay
