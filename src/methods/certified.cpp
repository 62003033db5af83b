#include "methods/certified.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/problem/registry.hpp"
#include "problem/exact_policy.hpp"
#include "solver/digits.hpp"
#include "solver/search_policy.hpp"

namespace assay {
namespace {

constexpr int kValueDecimals = 6;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void tell(const SolveRequest& request, const std::string& stage, double lower = kNone, double upper = kNone,
          std::uint64_t beliefs = 0) {
  if (request.watch) request.watch({stage, lower, upper, beliefs});
}

BoundSearchOptions options_of(const SolveRequest& request) {
  constexpr std::size_t kShare = 8;  // a part is left for what uses the bounds
  constexpr std::size_t kMost = std::size_t{1} << 40U;
  tell(request, "making tables");
  return {.bytes = std::min(kMost, request.resources.stop.bytes_left()) / kShare * (kShare - 1),
          .threads = request.resources.threads,
          .stop = request.resources.stop};
}

}  // namespace

Solved solve_exactly(const Problem& problem, const std::string& name, std::uint64_t most,
                     const SolveRequest& request, const Stop& stop) {
  const auto watch = [&](const ExactProgress& p) {
    tell(request,
         fmt::format("{} step {} of {}", p.forward ? "collecting beliefs," : "valuing them,", p.step,
                     p.horizon),
         kNone, kNone, p.states);
  };
  std::shared_ptr<const ExactSolution> solution =
      problem.exact({.max_states = most, .threads = request.resources.threads, .watch = watch, .stop = stop});
  Solved found;
  found.method = name;
  found.bounds = solution->bounds();
  found.decimals = certain_decimals(std::abs(solution->value()), kValueDecimals);
  found.exact = agree(*found.bounds, found.decimals);
  found.beliefs = solution->states();
  found.policy = std::make_unique<ExactPolicy>(std::move(solution));
  return found;
}

CertifyingSearch::CertifyingSearch(std::shared_ptr<const FiniteModel> model, const SolveRequest& request)
    : request_(request),
      search_(std::make_shared<BoundSearch>(std::move(model), options_of(request))),
      decimals_(certain_decimals(search_->scale(), kValueDecimals)) {}

bool CertifyingSearch::run(std::uint64_t most_beliefs) {
  SearchLimits limits;
  limits.nodes = std::min(limits.nodes, most_beliefs);
  limits.tolerance = 1;  // as small as the digits require
  limits.stop = request_.resources.stop;
  limits.watch = [&](const SearchProgress& p) { tell(request_, "searching", p.lower, p.upper, p.nodes); };
  const SearchEnd end = search_decimals(*search_, decimals_, limits);
  if (end == SearchEnd::kStopped) stopped_ = limits.stop.reason();
  if (end == SearchEnd::kBytes || end == SearchEnd::kFixed) stopped_ = StopReason::kMemory;
  return end == SearchEnd::kTight && agree({search_->lower(), search_->upper()}, decimals_);
}

Solved CertifyingSearch::found() const {
  Solved found;
  const auto trials = std::max<std::uint64_t>(1, search_->simulations());
  found.method = make_method(fmt::format("search(trials={})", trials))->name();
  found.bounds = {search_->lower(), search_->upper()};
  found.decimals = decimals_;
  found.exact = agree(*found.bounds, decimals_);
  found.beliefs = search_->nodes();
  found.stopped = found.exact ? StopReason::kNone : stopped_;
  found.policy = std::make_unique<SearchPolicy>(search_);
  return found;
}

}  // namespace assay
