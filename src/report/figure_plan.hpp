// What a figure for print shows: its problems, methods and labels. Experiments define it as data.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace assay {

enum class FigureColour { kInk, kGrey, kOrange, kSky, kGreen, kBlue, kVermilion, kPurple };
enum class FigureLine { kSolid, kDashed, kDotted, kDashDot };

/// The labels of a chart's axes.
struct FigureAxes {
  std::string across = "epoch", up = "return";
};

/// T-mazes: the two environments, a panel of learning curves for each method, and the paths of the learned
/// policies.
struct MazeFigure {
  struct Method {
    std::string label;   // the beginning of its label; if no label begins so,
    std::string brief;   // this one; and if none begins so,
    std::string method;  // the beginning of its name
    FigureColour colour = FigureColour::kInk;
  };
  std::vector<Method> methods;
  std::string environments = "environments";  // title of a panel, like the next one
  std::string policies = "policies";
  std::vector<std::string> marks = {};  // the meaning of the marks in the environments, one line each
  std::string policies_note = {};
  FigureAxes axes = {};
  std::string loss = "loss";
};

/// The learning curves of several problems, and the path of one trained agent through the largest grid, with
/// the values of its information at each step.
struct LearningFigure {
  struct Method {
    std::string label;
    FigureColour colour = FigureColour::kInk;
    FigureLine line = FigureLine::kSolid;
  };
  struct Trajectory {
    std::string method = {};  // the beginning of its label or name; empty: no path is drawn
    std::string reward = "expected reward per step";
    std::string landmark = {};  // the mark of the place where information is found, one character, or empty
    std::string landmark_note = {};  // the caption if most is cashed there
    std::string other_note = "most is cashed";
    FigureAxes values = {"step", "value"};
  };
  std::vector<Method> methods;  // others are drawn if none of these is there
  FigureAxes axes = {};
  Trajectory trajectory = {};
};

/// The intervals of an experiment, one below the other.
struct IntervalFigure {
  std::string axis = "return";
};

/// How often each method reaches the exact optimum of each problem.
struct SweepFigure {
  std::string problem = "problem";  // the header of the problems' labels
  std::string pays = "information pays";
  std::string note = {};
};

struct FigurePlan {
  std::string name;           // of the file
  std::string experiment;     // whose intervals or sweep is shown
  std::string problems = {};  // of curves and episodes: the beginning of problems' names
  std::variant<MazeFigure, LearningFigure, IntervalFigure, SweepFigure> kind;
};

}  // namespace assay
