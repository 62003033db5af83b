// What --json prints.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/problem/problem.hpp"

namespace assay::cli {

/// Names may hold any bytes. Bytes that are not UTF-8 are replaced, so that the JSON is valid. Without
/// `indent` the text is one line.
std::string json_text(const nlohmann::ordered_json& object, int indent = -1);

/// Prints one object, indented for people.
void print_json(const Streams& streams, const nlohmann::ordered_json& object);

/// Prints one of several objects, on a line of its own.
void print_json_line(const Streams& streams, const nlohmann::ordered_json& object);

/// A number, or null if it is unknown, because JSON has no word for that.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_numbers(const std::vector<double>& values);

/// The number of one of finitely many environments; null if there are infinitely many.
nlohmann::ordered_json environment_names(const Problem& problem);

}  // namespace assay::cli
