// A figure on the screen, drawn by uPlot.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { decades, tickText, ticks, xExtent, yExtent, type Figure } from "./figure";
import { inkOf, useTheme, type Ink } from "./look";

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

let firstChartDrawn = false;

function markFirstChart(): void {
  if (firstChartDrawn) return;
  firstChartDrawn = true;
  performance.mark("assay-first-chart");
}

function faded(colour: string, opacity: string): string {
  return colour + opacity;
}

function drawMark(chart: uPlot, figure: Figure, ink: Ink): void {
  const mark = figure.mark;
  if (!mark) return;
  const { ctx, bbox } = chart;
  const x = chart.valToPos(mark.x, "x", true);
  const ratio = uPlot.pxRatio;
  ctx.save();
  ctx.strokeStyle = ink.agent;
  ctx.lineWidth = ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top - 3 * ratio);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  const onLeft = x > bbox.left + bbox.width / 2;
  const room = ctx.measureText(mark.text).width;
  const at = onLeft ? Math.max(bbox.left, x + 3 * ratio - room) : Math.min(x - 3 * ratio, bbox.left + bbox.width - room);
  ctx.fillStyle = ink.text;
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.fillText(mark.text, at, bbox.top - 4 * ratio);
  ctx.restore();
}

function options(figure: Figure, ink: Ink, width: number, height: number, onHover?: (index: number | null) => void): uPlot.Options {
  const series: uPlot.Series[] = [{ label: figure.xLabel }];
  const bands: uPlot.Band[] = [];
  for (const line of figure.lines) {
    if (line.band && !figure.log) {
      const first = series.length;
      // The limits of a band have no stroke: only the fill between them is seen.
      series.push({ label: "", stroke: "transparent", width: 0, points: { show: false }, spanGaps: true });
      series.push({ label: "", stroke: "transparent", width: 0, points: { show: false }, spanGaps: true });
      bands.push({ series: [first + 1, first], fill: faded(line.colour, "26") });
    }
    for (const _ of line.singles ?? []) series.push({ label: "", stroke: faded(line.colour, "59"), width: 0.6, points: { show: false }, spanGaps: true });
    series.push({
      label: line.label,
      stroke: line.colour,
      // A line with many points is drawn thinner, so that its points can be distinguished.
      width: line.bars ? 0 : figure.x.length > 150 ? 1.5 : 2,
      dash: line.dash,
      spanGaps: true,
      points: { show: figure.x.length === 1 && !line.bars },
      ...(line.bars ? { fill: faded(line.colour, "bf"), paths: uPlot.paths.bars!({ size: [0.6, 40] }) } : {}),
    });
  }
  const axis = { stroke: ink.faint, font: FONT, labelFont: FONT, labelSize: 22, grid: { stroke: ink.rule, width: 1 }, ticks: { show: false } };
  return {
    width,
    height,
    series,
    bands,
    legend: { show: false },
    padding: [figure.mark ? 24 : 12, 22, 0, 0], // the mark's words stand above the lines
    cursor: { points: { size: 7 }, y: false },
    scales: {
      x: { time: false, range: (_, low, high) => (low === figure.x[0] && high === figure.x[figure.x.length - 1] ? xExtent(figure) : [low, high]) },
      y: { distr: figure.log ? 3 : 1, range: () => yExtent(figure) },
    },
    axes: [
      { ...axis, label: figure.xLabel, size: 28, grid: { show: false }, values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? tickText(value) : "")) },
      {
        ...axis,
        label: figure.yLabel,
        size: 50,
        splits: () => (figure.log ? decades(yExtent(figure)) : ticks(yExtent(figure), Math.max(4, Math.round(height / 50)))),
        values: (_, splits) => splits.map((value) => (value === null ? "" : tickText(value))), // uPlot leaves some out
      },
    ],
    hooks: {
      draw: [(chart) => drawMark(chart, figure, ink)],
      ready: [markFirstChart],
      setCursor: [(chart) => onHover?.(chart.cursor.idx ?? null)],
    },
  };
}

function columns(figure: Figure): uPlot.AlignedData {
  const data: (number | null)[][] = [figure.x];
  const shown = (values: (number | null)[]) => (figure.log ? values.map((value) => (value !== null && value > 0 ? value : null)) : values);
  for (const line of figure.lines) {
    if (line.band && !figure.log) data.push(line.band.low, line.band.high);
    for (const one of line.singles ?? []) data.push(shown(one));
    data.push(shown(line.y));
  }
  return data as uPlot.AlignedData;
}

interface Props {
  figure: Figure;
  height: number;
  label: string;
  onHover?: (index: number | null) => void;
  onReady?: (chart: uPlot) => (() => void) | void; // what it returns is called when the chart goes
}

export function Chart({ figure, height, label, onHover, onReady }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const place = holder.current!;
    const chart = new uPlot(options(figure, inkOf(theme), Math.max(200, place.clientWidth), height, onHover), columns(figure), place);
    const finish = onReady?.(chart);
    const watcher = new ResizeObserver(() => {
      const width = place.clientWidth;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height });
    });
    watcher.observe(place);
    return () => {
      watcher.disconnect();
      finish?.();
      chart.destroy();
    };
  }, [figure, theme, height]);
  return <div class="chart" ref={holder} role="img" aria-label={label} style={{ minHeight: `${height}px` }} />;
}
