// Learning curves: what an epoch of training earned, over the seeds.
import { useMemo, useRef, useState } from "preact/hooks";
import { Chart } from "./chart";
import { onOneAxis, type Figure } from "./figure";
import { Legend } from "./legend";
import { lineStyle, useTheme, type Theme } from "./look";
import { familyTitle, known, plural, short } from "./numbers";
import type { CurveChart, CurveSeries, Maybe } from "./report";
import { SaveButtons } from "./save_buttons";
import { Tabs } from "./tabs";

type Shown = "return" | "loss";

function curveFigure(chart: CurveChart, series: CurveSeries[], shown: Shown, theme: Theme): Figure {
  const axis = onOneAxis(series.map((one) => one.epoch));
  return {
    title: `${familyTitle(chart.title, chart.family)}: ${shown}`,
    xLabel: "epoch of training",
    yLabel: shown === "return" ? "return" : "loss (log scale)",
    log: shown === "loss",
    x: axis.x,
    lines: series.map((one, index) => {
      const style = lineStyle(chart.family, one.method, theme);
      const spread = (values: Maybe[]) => axis.spread(index, values);
      return {
        label: one.label,
        ...style,
        y: spread(shown === "return" ? one.middle : one.loss),
        ...(shown === "return" ? { band: { low: spread(one.low), high: spread(one.high) } } : { singles: one.loss_singles.map(spread) }),
      };
    }),
  };
}

function statistics(series: CurveSeries[]): string {
  const different = [...new Set(series.map((one) => one.statistic))];
  if (different.length === 1) return different[0] ?? "";
  const labels = (statistic: string) => series.filter((one) => one.statistic === statistic).map((one) => one.label);
  return different.map((statistic) => `${statistic} (${labels(statistic).join(", ")})`).join("; ");
}

export function Curves({ curves }: { curves: CurveChart[] }) {
  const theme = useTheme();
  const [family, chooseFamily] = useState(curves[0]?.family ?? "");
  const [shown, show] = useState<Shown>("return");
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const chart = curves.find((one) => one.family === family) ?? curves[0];
  const readout = useRef<(index: number | null) => void>(() => undefined);
  const hasLoss = chart?.series.some((one) => one.loss.some(known)) ?? false;
  const what: Shown = hasLoss ? shown : "return";
  const drawn = chart?.series.filter((one) => (what === "return" ? one.middle : one.loss).some(known)) ?? [];
  const visible = drawn.filter((one) => !off.has(one.method));
  const figure = useMemo(() => (chart ? curveFigure(chart, visible, what, theme) : null), [chart, what, theme, off]);
  if (!chart || !figure) return null;

  const toggle = (method: string) => {
    const next = new Set(off);
    if (!next.delete(method)) next.add(method);
    setOff(next);
  };
  const unfinished = drawn.reduce((sum, one) => sum + one.unfinished, 0);
  return (
    <section id="curves">
      <h2>Learning curves</h2>
      <div class="bar">
        <Tabs label="family" options={curves.map((one) => ({ key: one.family, text: familyTitle(one.title, one.family) }))} chosen={chart.family} onChoose={chooseFamily} />
        {hasLoss && (
          <Tabs
            label="quantity"
            options={[
              { key: "return", text: "return" },
              { key: "loss", text: "loss" },
            ]}
            chosen={what}
            onChoose={(key) => show(key as Shown)}
          />
        )}
      </div>
      <Legend
        entries={drawn.map((one) => ({ key: one.method, text: one.label, ...lineStyle(chart.family, one.method, theme) }))}
        off={off}
        onToggle={toggle}
        readout={readout}
        values={(key, index) => short(figure.lines[visible.findIndex((one) => one.method === key)]?.y[index])}
        place={(index) => `epoch ${figure.x[index] ?? ""}`}
      />
      <Chart figure={figure} height={340} label={`${figure.title}, ${plural(visible.length, "line")}`} onHover={(index) => readout.current(index)} />
      <div class="below">
        <p class="note">
          {what === "return" ? <>Line and band: {statistics(drawn)}.</> : <>Line: the middle of the loss of the same runs, on a logarithmic scale. Thin lines: single runs.</>}
          {unfinished > 0 && <> {plural(unfinished, "run")} not finished: lines may end early or still move.</>}
        </p>
        <SaveButtons title={figure.title} figure={figure} />
      </div>
    </section>
  );
}
