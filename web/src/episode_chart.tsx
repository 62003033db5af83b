// A chart of an episode with a line at the present step.
import { useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";
import { Chart } from "./chart";
import type { Clock } from "./clock";
import type { Figure } from "./figure";
import { Legend } from "./legend";
import { SaveButtons } from "./save_buttons";

/** Keeps a thin line over the chart at the time of the clock, which is cheaper than drawing the chart again. */
function follow(chart: uPlot, clock: Clock): () => void {
  const line = document.createElement("div");
  line.className = "now";
  chart.over.append(line);
  const place = () => {
    line.style.transform = `translateX(${chart.valToPos(clock.position, "x")}px)`;
  };
  place();
  const stop = clock.eachFrame(place);
  const watcher = new ResizeObserver(place);
  watcher.observe(chart.over);
  return () => {
    stop();
    watcher.disconnect();
  };
}

interface Props {
  figure: Figure;
  clock: Clock;
  heading: string;
}

export function EpisodeChart({ figure, clock, heading }: Props) {
  const [off, setOff] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) => {
    const next = new Set(off);
    if (!next.delete(key)) next.add(key);
    setOff(next);
  };
  const shown = useMemo(() => ({ ...figure, lines: figure.lines.filter((line) => !off.has(line.label)) }), [figure, off]);
  return (
    <div class="episode-chart">
      <div class="below">
        <h4>{heading}</h4>
        <SaveButtons title={figure.title} figure={shown} />
      </div>
      <Legend
        entries={figure.lines.map((line) => ({ key: line.label, text: line.label, colour: line.colour, dash: line.dash, bars: line.bars ?? false }))}
        off={off}
        onToggle={toggle}
      />
      <Chart figure={shown} height={190} label={figure.title} onReady={(chart) => follow(chart, clock)} />
    </div>
  );
}
