// The two forms of a problem file, and what they share.
#pragma once

#include <string>
#include <vector>

#include "files/draft.hpp"
#include "files/side_files.hpp"
#include "files/toml_reader.hpp"

namespace assay::files {

struct NamedEnvironment {
  std::string name;
  double weight = 1;
  const toml::table* table = nullptr;  // the other keys; null if there is no table
};

/// [[environment]], or a single one without a name if there are none.
std::vector<NamedEnvironment> read_environments(TableReader& problem);

/// A grid drawn in characters, with a legend.
Draft read_map_problem(TableReader& problem, const EpisodeSettings& episode);

/// States, actions and outcomes, written out.
Draft read_table_problem(TableReader& problem, const EpisodeSettings& episode, SideFiles& files);

/// More would not fit in memory.
void check_size(const TableReader& problem, std::size_t states, std::size_t actions,
                std::size_t environments);

}  // namespace assay::files
