// What a figure for print shows: which problems and methods, and the words on it. Experiments say it as data.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace assay {

enum class FigureColour { kInk, kGrey, kOrange, kSky, kGreen, kBlue, kVermilion, kPurple };
enum class FigureLine { kSolid, kDashed, kDotted, kDashDot };

/// What stands at the axes of a chart.
struct FigureAxes {
  std::string across = "epoch", up = "return";
};

/// Mazes with two ends: the two environments, a panel of learning curves for each method, and the ways of the
/// policies that were learned.
struct MazeFigure {
  struct Method {
    std::string label;   // its label begins so; if there is none such,
    std::string brief;   // its label begins so,
    std::string method;  // or its name
    FigureColour colour = FigureColour::kInk;
  };
  std::vector<Method> methods;
  std::string environments = "environments";  // a title of a panel, as the next
  std::string policies = "policies";
  std::vector<std::string> marks = {};  // what the marks in the environments mean, in lines
  std::string policies_note = {};
  FigureAxes axes = {};
  std::string loss = "loss";
};

/// Learning curves of several problems, and one trained agent's way through the largest grid, with the values
/// of its information at each step.
struct LearningFigure {
  struct Method {
    std::string label;
    FigureColour colour = FigureColour::kInk;
    FigureLine line = FigureLine::kSolid;
  };
  struct Trajectory {
    std::string method = {};  // its label or its name begins so; empty: no trajectory is drawn
    std::string reward = "expected reward per step";
    std::string landmark = {};  // the mark of the place where information is found, one character, or empty
    std::string landmark_note = {};  // what is said where most is cashed there
    std::string other_note = "most is cashed";
    FigureAxes values = {"step", "value"};
  };
  std::vector<Method> methods;  // others are drawn if none of these is there
  FigureAxes axes = {};
  Trajectory trajectory = {};
};

/// An experiment's intervals, one below the other.
struct IntervalFigure {
  std::string axis = "return";
};

/// How often which method reaches the exact optimum of which problem.
struct SweepFigure {
  std::string problem = "problem";  // the header of their labels
  std::string pays = "information pays";
  std::string note = {};
};

struct FigurePlan {
  std::string name;           // of the file
  std::string experiment;     // whose intervals or sweep it shows
  std::string problems = {};  // of curves and episodes: names of problems begin so
  std::variant<MazeFigure, LearningFigure, IntervalFigure, SweepFigure> kind;
};

}  // namespace assay
