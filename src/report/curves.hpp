// Learning curves from epochs.
#pragma once

#include "report/report.hpp"
#include "report/shown_runs.hpp"

namespace assay {

/// A series with labels only, if the method has no epochs.
CurveSeries curve_series(const RunStore& store, const ShownMethod& method);

}  // namespace assay
