#include "assay/json_text.hpp"

#include <cmath>
#include <ostream>

namespace assay::cli {

using nlohmann::ordered_json;

std::string json_text(const ordered_json& object, int indent) {
  return object.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

void print_json(const Streams& streams, const ordered_json& object) {
  streams.out << json_text(object, 2) << '\n';
}

void print_json_line(const Streams& streams, const ordered_json& object) {
  streams.out << json_text(object) << '\n';
}

ordered_json json_number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

ordered_json json_numbers(const std::vector<double>& values) {
  ordered_json all = ordered_json::array();
  for (const double value : values) all.push_back(json_number(value));
  return all;
}

ordered_json environment_names(const Problem& problem) {
  const std::size_t count = problem.prior()->weights().size();
  if (count == 0) return {};
  ordered_json names = ordered_json::array();
  for (std::size_t e = 0; e < count; ++e) names.push_back(problem.environment_name(static_cast<int>(e)));
  return names;
}

}  // namespace assay::cli
