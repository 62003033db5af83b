// What a family may tell about its looks: where its states lie and how they and its actions are called.
#pragma once

namespace assay {

/// A place on a drawing: row 0 is at the top.
struct Cell {
  int row = 0;
  int column = 0;
};

}  // namespace assay
