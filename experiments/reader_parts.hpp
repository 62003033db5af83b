// The parts of the reader of experiment files: what several kinds of tables have in common, and the
// functions that read them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/reader.hpp"
#include "files/toml_reader.hpp"

namespace assay::experiments {

using files::TableReader;

/// A text that must be given and must not be empty.
Placed need_text(TableReader& reader, const char* key, const char* example);
/// The text, or an empty one if it is absent.
Placed placed_text(TableReader& reader, const char* key);
/// A text in which {name} may stand for one of the values, or of `more`.
std::string template_text(TableReader& reader, const char* key, const std::string& otherwise,
                          const Values& values, const std::vector<std::string>& more);

/// Calls `read` with each node of an array that must not be empty; does nothing if the key is absent.
void each_of(TableReader& reader, const char* key, const std::function<void(const toml::node&)>& read);
/// The same for an array of tables, of which `read` reads all keys.
void each_table(TableReader& reader, const char* key, const std::function<void(TableReader&)>& read);
/// A table, if it is given.
void inner_table(TableReader& reader, const char* key, const std::function<void(TableReader&)>& read);
std::vector<int> whole_numbers(TableReader& reader, const char* key, int low, int high);
/// Texts, each with its place.
std::vector<Placed> placed_texts(TableReader& reader, const char* key);

/// The position of the text among the names.
std::size_t choice(TableReader& reader, const char* key, const std::vector<std::string>& names,
                   std::size_t otherwise);
/// The same for a text of an array.
std::size_t position(const TableReader& reader, const toml::node& node, std::string_view kind,
                     const std::vector<std::string>& names);

Values read_values(TableReader& reader, const char* key);
ProblemEntry read_problem_entry(const TableReader& above, const toml::node& node);
std::vector<ProblemEntry> read_problem_entries(TableReader& reader);
std::vector<MethodEntry> read_method_entries(TableReader& reader);
Score read_score(TableReader& reader);

TableFile read_table_file(TableReader& reader, const Common& common);
IntervalFile read_interval_file(TableReader& reader, const Common& common);
SweepFile read_sweep_file(TableReader& reader, const Common& common);
SimulationFile read_simulation_file(TableReader& reader);
std::vector<FigurePlan> read_figures(TableReader& reader, const Common& common);

}  // namespace assay::experiments
