// Reads figures from their tables.
#include <fmt/format.h>

#include <algorithm>

#include "assay/core/detail/spec.hpp"
#include "experiments/reader_parts.hpp"

namespace assay::experiments {
namespace {

FigureColour read_colour(TableReader& reader) {
  return static_cast<FigureColour>(
      choice(reader, "colour", {"ink", "grey", "orange", "sky", "green", "blue", "vermilion", "purple"}, 0));
}

FigureLine read_line(TableReader& reader) {
  return static_cast<FigureLine>(choice(reader, "line", {"solid", "dashed", "dotted", "dash-dot"}, 0));
}

FigureAxes read_axes(TableReader& reader, FigureAxes axes) {
  axes.across = reader.text("across", axes.across);
  axes.up = reader.text("up", axes.up);
  return axes;
}

MazeFigure read_maze_figure(TableReader& reader) {
  MazeFigure figure;
  reader.need("methods", "methods = [{ label = \"TD\", method = \"td\" }]");
  each_table(reader, "methods", [&](TableReader& table) {
    MazeFigure::Method method;
    method.label = need_text(table, "label", "label = \"TD\"").text;
    method.brief = table.text("short", method.label);
    method.method = table.text("method", method.label);
    method.colour = read_colour(table);
    figure.methods.push_back(method);
  });
  figure.environments = reader.text("environments", figure.environments);
  figure.policies = reader.text("policies", figure.policies);
  figure.marks = reader.texts("marks");
  figure.policies_note = reader.text("policies_note", "");
  inner_table(reader, "axes", [&](TableReader& axes) {
    figure.axes = read_axes(axes, figure.axes);
    figure.loss = axes.text("loss", figure.loss);
  });
  return figure;
}

LearningFigure read_learning_figure(TableReader& reader) {
  LearningFigure figure;
  each_table(reader, "methods", [&](TableReader& table) {
    LearningFigure::Method method;
    method.label = need_text(table, "label", "label = \"td\"").text;
    method.colour = read_colour(table);
    method.line = read_line(table);
    figure.methods.push_back(method);
  });
  inner_table(reader, "axes", [&](TableReader& axes) { figure.axes = read_axes(axes, figure.axes); });
  inner_table(reader, "trajectory", [&](TableReader& table) {
    LearningFigure::Trajectory& trajectory = figure.trajectory;
    trajectory.method = need_text(table, "method", "method = \"pcr\"").text;
    trajectory.reward = table.text("reward", trajectory.reward);
    trajectory.landmark = table.text("landmark", "");
    if (trajectory.landmark.size() > 1) {
      table.fail(table.place("landmark"),
                 "[trajectory]: a landmark is one character, as the problem marks the place");
    }
    trajectory.landmark_note = table.text("landmark_note", trajectory.other_note);
    trajectory.other_note = table.text("other_note", trajectory.other_note);
    inner_table(table, "values",
                [&](TableReader& axes) { trajectory.values = read_axes(axes, trajectory.values); });
  });
  return figure;
}

SweepFigure read_sweep_figure(TableReader& reader) {
  SweepFigure figure;
  figure.problem = reader.text("problem", figure.problem);
  figure.pays = reader.text("pays", figure.pays);
  figure.note = reader.text("note", "");
  return figure;
}

/// Is this a name that every file system accepts?
std::string read_file_name(TableReader& reader) {
  const toml::node& node = reader.need("name", "name = \"my_figure\"");
  const std::string name = reader.text("name", "");
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!plain) {
    reader.fail(node,
                fmt::format("'{}' is no name for a file of a figure; it is made of letters, digits, - and _",
                            printable(name)));
  }
  return name;
}

}  // namespace

std::vector<FigurePlan> read_figures(TableReader& reader, const Common& common) {
  std::vector<FigurePlan> all;
  each_table(reader, "figures", [&](TableReader& table) {
    FigurePlan plan;
    plan.name = read_file_name(table);
    plan.experiment = common.name;
    const toml::node& node = table.need("kind", "kind = \"learning\"");
    const std::size_t kind = position(table, node, "kind", {"mazes", "learning", "intervals", "sweep"});
    if (kind < 2) plan.problems = need_text(table, "problems", "problems = \"t_maze\"").text;
    if (kind == 0) plan.kind = read_maze_figure(table);
    if (kind == 1) plan.kind = read_learning_figure(table);
    if (kind == 2) plan.kind = IntervalFigure{table.text("axis", "return")};
    if (kind == 3) plan.kind = read_sweep_figure(table);
    if (std::ranges::find(all, plan.name, &FigurePlan::name) != all.end())
      table.fail(table.place("name"), fmt::format("two figures are called '{}'", plan.name));
    all.push_back(std::move(plan));
  });
  return all;
}

}  // namespace assay::experiments
