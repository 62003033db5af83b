// Learning curves out of epochs.
#pragma once

#include "report/report.hpp"
#include "report/shown_runs.hpp"

namespace assay {

/// Nothing but the labels if the method has no epochs.
CurveSeries curve_series(const RunStore& store, const ShownMethod& method);

}  // namespace assay
