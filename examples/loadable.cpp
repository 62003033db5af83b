// A family, a method and a command of your own, for the tool. Build this file as a shared object, then try
//   assay compare lock --methods "exact,cautious" --load ./my.so
//   assay keys --most 5 --load ./my.so
#include <assay/beliefs/finite.hpp>
#include <assay/command.hpp>
#include <assay/problem/register_family.hpp>
#include <iomanip>
#include <ostream>

namespace {

struct LockSettings {
  int keys = 3;
};

/// One of several keys opens the lock. Trying one costs 1, the right one pays 5, and then it is open.
struct Lock {
  using Hidden = int;  // the key that fits
  int keys;

  explicit Lock(const LockSettings& settings) : keys(settings.keys) {}
  int states() const { return 2; }  // locked, open
  int actions() const { return keys; }
  int horizon() const { return keys; }
  double discount() const { return 1; }
  std::vector<assay::Start> starts() const { return {{0, 1.0}}; }
  std::vector<double> prior() const {
    return std::vector<double>(static_cast<std::size_t>(keys), 1.0 / keys);
  }

  template <class Visit>
  void outcomes(int x, int a, int key, Visit&& visit) const {
    if (a == assay::kArrive || x == 1) return visit(1.0, assay::Outcome{x, 0, {}});
    visit(1.0, a == key ? assay::Outcome{1, 4, {}} : assay::Outcome{0, -1, {}});
  }
};

const assay::RegisterFamily<Lock, assay::FiniteBelief<Lock>, LockSettings> kLock({
    .name = "lock",
    .summary = "which of several keys fits?",
    .schema = {{assay::integer("keys", &LockSettings::keys, 1, 20, "keys to try")}},
    .small = {"lock", "lock(keys=2)"},
});

/// Always takes the first action that is allowed.
struct CautiousSettings {};
struct Cautious final : assay::Method {
  explicit Cautious(const CautiousSettings& /*settings*/) {}
  struct First final : assay::Policy {
    int act(const assay::Situation& situation, assay::Rng& /*rng*/) override {
      int action = 0;
      while (!situation.allowed(action)) ++action;
      return action;
    }
    std::unique_ptr<assay::Policy> clone() const override { return std::make_unique<First>(); }
  };
  std::vector<assay::Need> needs() const override { return {}; }
  std::unique_ptr<assay::Policy> policy(const assay::Problem& /*problem*/, std::string_view /*state*/,
                                        const assay::Resources& /*resources*/) const override {
    return std::make_unique<First>();
  }
};

const assay::RegisterMethod<Cautious, CautiousSettings> kCautious("cautious",
                                                                  "the first action that is allowed",
                                                                  assay::Schema<CautiousSettings>({}));

/// Prints what the lock is worth with one key, two keys and so on.
struct KeysCommand {
  int most = 3;
  bool json = false;
};

void declare(assay::cli::Options& options, KeysCommand& c) {
  options.number("--most", c.most, 1, 20, "keys of the largest lock");
  assay::cli::add_json(options, c.json);
}

void run_keys(const KeysCommand& command, const assay::cli::Streams& streams) {
  streams.out << std::fixed << std::setprecision(4) << (command.json ? "[" : "");
  for (int keys = 1; keys <= command.most; ++keys) {
    const auto lock = assay::make_problem("lock(keys=" + std::to_string(keys) + ")");
    const double value = lock->exact({})->value();
    if (command.json) {
      streams.out << (keys > 1 ? ", " : "") << value;
    } else {
      streams.out << keys << (keys == 1 ? " key   " : " keys  ") << value << '\n';
    }
  }
  streams.out << (command.json ? "]\n" : "");
}

const assay::cli::RegisterCommand<KeysCommand> kKeys(
    {.name = "keys",
     .summary = "Show what a lock is worth, by its number of keys.",
     .help = "assay keys --most 5 --load ./my.so\n\n--json prints the values as an array."},
    declare, run_keys);

}  // namespace
