#include "assay/beliefs/detail/beta_field.hpp"

#include <Random123/philox.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "beliefs/beta_tables.hpp"
#include "beliefs/kernels/beta_table.hpp"

namespace assay {
namespace {

using beta_kernels::BetaJob;
using beta_kernels::PhiloxKey;

constexpr double kPlaces = 1U << BetaTable::kPlaceBits;
constexpr std::size_t kCellBits = 20;
constexpr std::size_t kCellsAtOnce = 64;  // so that their words and strips stay in the first-level cache

double unit(std::uint32_t word) { return (word + 0.5) * 0x1p-32; }

/// The words for the slow method of one draw: they use counters that the fast method never uses.
class SlowWords {
 public:
  SlowWords(const PhiloxKey& key, std::uint32_t cell, std::uint32_t draw)
      : key_(key), cell_(cell), draw_(draw) {}

  std::uint32_t operator()() {
    if (next_ == 4) {
      const std::uint32_t first = 1U << 31U | block_++ << kCellBits | cell_;
      made_ = r123::Philox4x32{}({{first, draw_, key_[2], key_[3]}}, {{key_[0], key_[1]}});
      next_ = 0;
    }
    return made_[next_++];
  }

 private:
  const PhiloxKey& key_;
  std::uint32_t cell_, draw_;
  std::uint32_t block_ = 0;
  std::size_t next_ = 4;
  r123::Philox4x32::ctr_type made_{};
};

PhiloxKey philox_key(const DrawKey& key) {
  Rng rng = key.rng();
  const std::uint64_t one = rng.next64();
  const std::uint64_t two = rng.next64();
  return {static_cast<std::uint32_t>(one), static_cast<std::uint32_t>(one >> 32U),
          static_cast<std::uint32_t>(two), static_cast<std::uint32_t>(two >> 32U)};
}

/// Far outside, the number of strips and the digits of t no longer suffice.
void check_parameters(double a, double b) {
  constexpr double kLeast = 1e-6;
  constexpr double kMost = 1e10;
  if (a >= kLeast && a <= kMost && b >= kLeast && b <= kMost) return;
  throw UsageError(fmt::format("Beta({}, {}): both parameters must be from {} to {}", a, b, kLeast, kMost));
}

float logistic(double t) { return static_cast<float>(1 / (1 + portable::exp(-t))); }

}  // namespace

float BetaTable::Strip::step() const { return std::bit_cast<float>(step_and_limit); }

std::uint32_t BetaTable::Strip::limit() const {
  return (step_and_limit & ((1U << kLimitBits) - 1)) << (kPlaceBits - kLimitBits);
}

BetaTable::BetaTable(double a, double b) : a_(a), b_(b), peak_(0), log_peak_(0), strips_(kStrips) {
  check_parameters(a, b);
  peak_ = portable::log(a / b);
  log_peak_ = log_density(peak_);
  // Constructing the strips makes them a little narrower than counting does, so one more may be needed.
  for (double area = fitting_area(); !lay_all(area);) area *= 1 + 2.0 / kStrips;
}

bool BetaTable::lay_all(double area) {
  std::vector<Edges> right_edges;
  std::vector<Strip> left;
  std::vector<Strip> right;
  edges_.clear();
  area_ = area;
  tails_[0] = lay(area, -1, edges_, left);
  tails_[1] = lay(area, 1, right_edges, right);
  if (left.size() + right.size() > kStrips) return false;
  tails_[0].strip = 0;
  tails_[1].strip = left.size() + right.size() - 1;
  std::ranges::reverse(edges_);
  edges_.insert(edges_.end(), right_edges.begin(), right_edges.end());
  edges_.resize(kStrips);
  std::ranges::copy(left.rbegin(), left.rend(), strips_.begin());
  std::ranges::copy(right, strips_.begin() + static_cast<std::ptrdiff_t>(left.size()));
  return true;
}

double BetaTable::log_density(double t) const {
  return a_ * t - (a_ + b_) * portable::softplus(t) - log_peak_;
}

double BetaTable::slope(double t) const { return a_ - (a_ + b_) / (1 + portable::exp(-t)); }

template <class Visit>
BetaTable::TailEnd BetaTable::walk(double area, double side, const Visit& visit) const {
  constexpr std::size_t kGiveUp = 8 * kStrips;
  const double steepest = side < 0 ? a_ : b_;
  TailEnd end{0, peak_, 0, 0};
  for (; end.strips < kGiveUp; ++end.strips) {
    const double height = portable::exp(end.log_height);
    // The density is log-concave, so an exponential that touches it lies above it. Where the exponential's
    // area fits one strip, that strip is the last.
    if (height <= area * steepest) {
      end.rate = -side * slope(end.at);
      if (end.rate > 0 && height <= area * end.rate) return end;
    }
    const double width = side * area / height;
    Rectangle r{end.at, end.log_height, height, width, log_density(end.at + width)};
    visit(r);
    end.at += r.width;
    end.log_height = r.log_low;
  }
  return end;
}

/// The number of strips is nearly alpha / area + beta. Two cheap counts give both constants, and a few more
/// correct them. Some indices may be left over: they stand for "draw again".
double BetaTable::fitting_area() const {
  constexpr double kSpare = 4;
  constexpr double kAim = kStrips - kSpare / 2;
  double area = 8 * (std::sqrt((a_ + b_) / (a_ * b_)) + 1 / a_ + 1 / b_) / kStrips;
  auto count = static_cast<double>(count_strips(area));
  double beta = 0;
  while (count > kStrips - 1 || count < kStrips - kSpare) {
    // The first count is coarse: it is cheap and gives beta.
    const double aim = beta == 0 ? std::min(kAim, 2 * count) : kAim;
    const double last_area = area;
    const double last_count = count;
    area *= (count - beta) / (aim - beta);
    count = static_cast<double>(count_strips(area));
    if (area != last_area && count != last_count) {
      const double alpha = (count - last_count) / (1 / area - 1 / last_area);
      beta = std::clamp(count - alpha / area, 1e-9, 0.5 * count);
    }
  }
  return area;
}

std::size_t BetaTable::count_strips(double area) const {
  const auto nothing = [](const Rectangle&) {};
  return walk(area, -1, nothing).strips + walk(area, 1, nothing).strips + 2;
}

BetaTable::Tail BetaTable::lay(double area, double side, std::vector<Edges>& edges,
                               std::vector<Strip>& strips) const {
  constexpr double kLimits = 1U << kLimitBits;
  constexpr double kPlacesPerLimit = 1U << (kPlaceBits - kLimitBits);
  const auto lay_one = [&](Rectangle& r) {
    // A little lower than the minimum of the density, because the width, and with it the height, will change
    // in the 11th bit.
    const double low = portable::exp(r.log_low - r.log_height);
    const auto limit = static_cast<std::uint32_t>(std::floor(kLimits * low * (1 - 0x1p-10)));
    Strip strip;
    if (limit > 0) {
      const double places = limit * kPlacesPerLimit;
      const double step = std::abs(r.width) / places;
      strip.step_and_limit =
          (std::bit_cast<std::uint32_t>(static_cast<float>(step)) & ~((1U << kLimitBits) - 1)) | limit;
      while (static_cast<double>(strip.step()) > step) strip.step_and_limit -= 1U << kLimitBits;
      r.width = side * places * static_cast<double>(strip.step());
      r.log_low = log_density(r.from + r.width);
      const double left = side < 0 ? r.from + r.width : r.from;
      strip.left = static_cast<float>(left + static_cast<double>(strip.step()) / 2);
    }
    constexpr double kSafe = 1e-6;  // far more than rounding to float needs
    Edges e;
    e.from = r.from;
    e.width = r.width;
    const double top = r.height * std::abs(r.width) / area;  // density, relative to the height
    const double log_low = r.log_low - r.log_height;
    // A function deviates from its chord by at most width^2 / 8 times its second derivative, which is at
    // most (a + b) / 4 here.
    const double slack = portable::exp(r.width * r.width * (a_ + b_) / 32);
    e.lower = static_cast<float>(top * (1 - kSafe));
    e.log_low = static_cast<float>(log_low * (1 + kSafe));
    e.upper = static_cast<float>(top * slack * (1 + kSafe));
    e.low = static_cast<float>(portable::exp(log_low) * (1 + kSafe));
    edges.push_back(e);
    strips.push_back(strip);
  };
  const TailEnd end = walk(area, side, lay_one);
  edges.emplace_back();
  strips.emplace_back();
  const double keep = portable::exp(end.log_height) / end.rate / area;
  return {0, end.at, end.log_height, -side * end.rate, keep};
}

/// Is `height` (relative to the rectangle) below the density at `share` of the way to the strip's low end?
bool BetaTable::under_density(const Edges& e, double height, double share) const {
  // Two bounds without logarithms nearly always decide. The density is above its log-linear interpolation
  // top * low^share, which is above top * (1 + share log(low)). It is below slack times that interpolation,
  // which is below the chord.
  if (height < static_cast<double>(e.lower) * (1 + share * static_cast<double>(e.log_low))) return true;
  if (height > static_cast<double>(e.upper) * (1 - share * (1 - static_cast<double>(e.low)))) return false;
  const double log_height = portable::log(area_ / std::abs(e.width));
  return portable::log(height) + log_height < log_density(e.from + share * e.width);
}

template <class Words>
float BetaTable::slow(std::uint32_t word, Words&& words) const {
  for (;;) {
    const std::size_t index = word >> kPlaceBits;
    const Edges& e = edges_[index];
    const Strip& strip = strips_[index];
    const std::uint32_t place = word & ((1U << kPlaceBits) - 1);
    const double middle = (place + 0.5) / kPlaces;
    if (place < strip.limit()) {
      return logistic(static_cast<double>(strip.left) + place * static_cast<double>(strip.step()));
    }
    if (e.width != 0) {
      // A place at or above the limit is the height; a place below the limit was the position.
      const double share = unit(words());
      if (under_density(e, middle, share)) return logistic(e.from + share * e.width);
    } else if (index == tails_[0].strip || index == tails_[1].strip) {
      const Tail& tail = tails_[index == tails_[0].strip ? 0 : 1];
      const double distance = -portable::log(unit(words()));  // exponential
      const double t = tail.from - distance / tail.rate;
      const double log_height = portable::log(unit(words())) + tail.log_height - distance;
      if (middle < tail.keep && log_height < log_density(t)) return logistic(t);
    }
    word = words();
  }
}

double BetaTable::slow_share() const {
  double fast = 0;
  for (const Strip& s : strips_) fast += s.limit() / kPlaces;
  return 1 - fast / kStrips;
}

std::shared_ptr<BetaTables> BetaTables::of(double prior_a, double prior_b) {
  static std::mutex guard;
  static std::map<std::pair<double, double>, std::weak_ptr<BetaTables>> all;
  const std::lock_guard lock(guard);
  std::weak_ptr<BetaTables>& known = all[{prior_a, prior_b}];
  std::shared_ptr<BetaTables> tables = known.lock();
  if (!tables) known = tables = std::make_shared<BetaTables>(prior_a, prior_b);
  return tables;
}

std::shared_ptr<const BetaTable> BetaTables::table_for(std::uint64_t counts) {
  {
    const std::shared_lock reading(mutex_);
    if (const auto found = tables_.find(counts); found != tables_.end()) return found->second;
  }
  auto made = std::make_shared<const BetaTable>(prior_a_ + static_cast<double>(counts & 0xffffffffU),
                                                prior_b_ + static_cast<double>(counts >> 32U));
  const std::unique_lock writing(mutex_);
  return tables_.try_emplace(counts, std::move(made)).first->second;
}

BetaFieldSampler::BetaFieldSampler(double prior_a, double prior_b, Kernel kernel)
    : prior_a_(prior_a), prior_b_(prior_b), kernel_(kernel) {
  check_parameters(prior_a, prior_b);
  tables_ = BetaTables::of(prior_a, prior_b);
}

/// The parameters of a draw, for whatever cells it is made.
struct BetaFieldSampler::Request {
  std::span<const std::uint64_t> counts;
  DrawKey name;
  PhiloxKey key;
  std::size_t tiles;
  float* out;

  Request(std::span<const std::uint64_t> all, const DrawKey& draw_key, std::size_t draws,
          std::span<float> into)
      : counts(all), name(draw_key), key(philox_key(draw_key)), tiles(tiles_for(draws)), out(into.data()) {
    if (counts.size() >= std::size_t{1} << kCellBits || into.size() != tiles * counts.size() * kTile) {
      throw UsageError(
          fmt::format("{} draws of {} cells do not fit {} numbers", draws, counts.size(), into.size()));
    }
  }
};

void BetaFieldSampler::draw(std::span<const std::uint64_t> counts, const DrawKey& key, std::size_t draws,
                            std::span<float> out) const {
  const Request request(counts, key, draws, out);
  std::array<std::uint32_t, kCellsAtOnce> cells{};
  for (std::size_t begin = 0; begin < counts.size(); begin += kCellsAtOnce) {
    const std::size_t count = std::min(kCellsAtOnce, counts.size() - begin);
    for (std::size_t i = 0; i < count; ++i) cells[i] = static_cast<std::uint32_t>(begin + i);
    draw_some(request, std::span(cells).first(count));
  }
}

void BetaFieldSampler::draw_cells(std::span<const std::uint64_t> counts, std::span<const std::uint32_t> cells,
                                  const DrawKey& key, std::size_t draws, std::span<float> out) const {
  const Request request(counts, key, draws, out);
  for (const std::uint32_t cell : cells) {
    if (cell >= counts.size()) throw UsageError(fmt::format("cell {} of {}", cell, counts.size()));
  }
  for (std::size_t begin = 0; begin < cells.size(); begin += kCellsAtOnce) {
    draw_some(request, cells.subspan(begin, std::min(kCellsAtOnce, cells.size() - begin)));
  }
}

/// Draws in double precision without a table. Draw i depends only on the draws before it.
void BetaFieldSampler::draw_one_by_one(const Request& request, std::uint32_t cell) const {
  const double a = prior_a_ + static_cast<double>(request.counts[cell] & 0xffffffffU);
  const double b = prior_b_ + static_cast<double>(request.counts[cell] >> 32U);
  Rng rng = request.name.rng().split(cell);
  for (std::size_t tile = 0; tile < request.tiles; ++tile) {
    float* lanes = request.out + (tile * request.counts.size() + cell) * kTile;
    for (std::size_t i = 0; i < kTile; ++i) lanes[i] = beta<float>(rng, a, b);
  }
}

void BetaFieldSampler::draw_some(const Request& request, std::span<const std::uint32_t> asked) const {
  std::array<std::uint32_t, kCellsAtOnce> tabled{};
  std::size_t tabled_count = 0;
  for (const std::uint32_t cell : asked) {
    const std::uint64_t counts = request.counts[cell];
    if ((counts & 0xffffffffU) + (counts >> 32U) > BetaTables::kMostDraws) {
      draw_one_by_one(request, cell);
    } else {
      tabled[tabled_count++] = cell;
    }
  }
  const std::span<const std::uint32_t> cells = std::span(tabled).first(tabled_count);
  std::array<std::shared_ptr<const BetaTable>, kCellsAtOnce> tables;
  std::array<const BetaTable::Strip*, kCellsAtOnce> strips{};
  std::array<std::size_t, kCellsAtOnce> table_of{};  // cell's place among the tables
  alignas(64) std::array<std::uint32_t, kCellsAtOnce * kTile> words;
  alignas(64) std::array<BetaTable::Strip, kCellsAtOnce * kTile> found;
  std::array<std::uint32_t, kCellsAtOnce * kTile> slow;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool as_before = i > 0 && request.counts[cells[i]] == request.counts[cells[i - 1]];
    table_of[i] = as_before ? table_of[i - 1] : i;
    if (!as_before) tables[i] = tables_->table_for(request.counts[cells[i]]);
    strips[i] = tables[table_of[i]]->strips();
  }
  BetaJob job;
  job.key = request.key;
  job.cells = cells.data();
  job.strips = strips.data();
  job.count = cells.size();
  job.words = words.data();
  job.found = found.data();
  job.slow = slow.data();
  const beta_kernels::BetaKernelTable& kernel = beta_kernels::table_of(kernel_);
  for (std::size_t tile = 0; tile < request.tiles; ++tile) {
    job.first_draw = static_cast<std::uint32_t>(tile * kTile);
    job.out = request.out + tile * request.counts.size() * kTile;
    const std::size_t slow_count = kernel.draw(job);
    for (std::size_t s = 0; s < slow_count; ++s) {
      const std::size_t i = slow[s] / kTile;
      const auto lane = static_cast<std::uint32_t>(slow[s] % kTile);
      job.out[cells[i] * kTile + lane] =
          tables[table_of[i]]->slow(words[slow[s]], SlowWords(job.key, cells[i], job.first_draw + lane));
    }
  }
}

}  // namespace assay
