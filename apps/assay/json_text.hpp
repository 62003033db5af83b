// What --json prints.
#pragma once

#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/problem/problem.hpp"

namespace assay::cli {

/// Names may hold any bytes: what is no UTF-8 is replaced, so that JSON stays JSON. On one line without
/// `indent`.
std::string json_text(const nlohmann::ordered_json& object, int indent = -1);

/// One object, for people too.
void print_json(const Streams& streams, const nlohmann::ordered_json& object);

/// One object of several, on a line of its own.
void print_json_line(const Streams& streams, const nlohmann::ordered_json& object);

/// Null where a number is not known: JSON has no word for it.
nlohmann::ordered_json json_number(double value);
nlohmann::ordered_json json_numbers(const std::vector<double>& values);

/// Of finitely many, by number; null if they are not.
nlohmann::ordered_json environment_names(const Problem& problem);

}  // namespace assay::cli
