// A figure as SVG for saving, with text as text and lines as lines.
import { decades, ticks, tickText, xExtent, yExtent, type Figure, type Line } from "./figure";
import type { Ink } from "./look";
import { known } from "./numbers";
import type { Maybe } from "./report";

const WIDTH = 760;
const HEIGHT = 420;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif";

interface Scales {
  x: (value: number) => number;
  y: (value: number) => number;
}

function linePath(x: number[], y: Maybe[], scales: Scales, log: boolean): string {
  // Gaps are bridged, as on the screen.
  const points: string[] = [];
  x.forEach((at, index) => {
    const value = y[index];
    if (known(value) && (!log || value > 0)) points.push(`${scales.x(at).toFixed(1)},${scales.y(value).toFixed(1)}`);
  });
  return points.length ? `M${points.join("L")}` : "";
}

function bandPath(x: number[], line: Line, scales: Scales): string {
  if (!line.band) return "";
  const upper: string[] = [];
  const lower: string[] = [];
  x.forEach((at, index) => {
    const low = line.band!.low[index];
    const high = line.band!.high[index];
    if (!known(low) || !known(high)) return;
    upper.push(`${scales.x(at).toFixed(1)},${scales.y(high).toFixed(1)}`);
    lower.unshift(`${scales.x(at).toFixed(1)},${scales.y(low).toFixed(1)}`);
  });
  return upper.length ? `M${upper.join("L")}L${lower.join("L")}Z` : "";
}

function Bars({ x, line, scales }: { x: number[]; line: Line; scales: Scales }) {
  const width = Math.max(1, (scales.x(1) - scales.x(0)) * 0.6);
  return (
    <g fill={line.colour} fill-opacity="0.75">
      {x.map((at, index) => {
        const value = line.y[index];
        if (!known(value) || value === 0) return null;
        const top = Math.min(scales.y(value), scales.y(0));
        return <rect x={scales.x(at) - width / 2} y={top} width={width} height={Math.abs(scales.y(value) - scales.y(0))} />;
      })}
    </g>
  );
}

/** Legend entries in lines that fit the width. */
function legendPlaces(lines: Line[]): { places: { x: number; y: number }[]; height: number } {
  const places: { x: number; y: number }[] = [];
  let x = 0;
  let y = 0;
  for (const line of lines) {
    const width = 44 + line.label.length * 7;
    if (x > 0 && x + width > WIDTH - 80) {
      x = 0;
      y += 20;
    }
    places.push({ x, y });
    x += width;
  }
  return { places, height: y + 20 };
}

export function FigureSvg({ figure, ink }: { figure: Figure; ink: Ink }) {
  const legend = legendPlaces(figure.lines);
  const box = { left: 64, top: 44 + legend.height, right: WIDTH - 20, bottom: HEIGHT + legend.height - 50 };
  const height = HEIGHT + legend.height;
  const xs = xExtent(figure);
  const ys = yExtent(figure);
  const along = (value: number) => (figure.log ? Math.log10(value / ys[0]) / Math.log10(ys[1] / ys[0]) : (value - ys[0]) / (ys[1] - ys[0]));
  const scales: Scales = {
    x: (value) => box.left + ((value - xs[0]) / (xs[1] - xs[0])) * (box.right - box.left),
    y: (value) => box.bottom - along(value) * (box.bottom - box.top),
  };
  const xTicks = ticks(xs, 8);
  const yTicks = figure.log ? decades(ys) : ticks(ys, 6);
  const mark = figure.mark;
  return (
    <svg xmlns="http://www.w3.org/2000/svg" width={WIDTH} height={height} viewBox={`0 0 ${WIDTH} ${height}`} font-family={FONT} font-size="12" fill={ink.text}>
      <rect width={WIDTH} height={height} fill={ink.paper} />
      <text x={box.left} y="26" font-size="15" font-weight="600">
        {figure.title}
      </text>
      {figure.lines.map((line, index) => {
        const place = legend.places[index]!;
        const y = 44 + place.y;
        return (
          <g>
            {line.bars ? (
              <rect x={box.left + place.x + 6} y={y - 5} width="14" height="10" fill={line.colour} fill-opacity="0.75" />
            ) : (
              <path d={`M${box.left + place.x},${y}h26`} stroke={line.colour} stroke-width="2" stroke-dasharray={line.dash.join(" ") || undefined} />
            )}
            <text x={box.left + place.x + 32} y={y + 4}>
              {line.label}
            </text>
          </g>
        );
      })}
      {yTicks.map((value) => (
        <g>
          <path d={`M${box.left},${scales.y(value).toFixed(1)}H${box.right}`} stroke={ink.rule} />
          <text x={box.left - 8} y={scales.y(value) + 4} text-anchor="end" fill={ink.faint}>
            {tickText(value)}
          </text>
        </g>
      ))}
      {xTicks.map((value) => (
        <text x={scales.x(value)} y={box.bottom + 18} text-anchor="middle" fill={ink.faint}>
          {tickText(value)}
        </text>
      ))}
      <path d={`M${box.left},${box.bottom}H${box.right}`} stroke={ink.faint} />
      <text x={(box.left + box.right) / 2} y={box.bottom + 38} text-anchor="middle" fill={ink.faint}>
        {figure.xLabel}
      </text>
      <text transform={`translate(16 ${(box.top + box.bottom) / 2}) rotate(-90)`} text-anchor="middle" fill={ink.faint}>
        {figure.yLabel}
      </text>
      {figure.lines.map((line) => line.band && !figure.log && <path d={bandPath(figure.x, line, scales)} fill={line.colour} fill-opacity="0.15" />)}
      {figure.lines.flatMap((line) =>
        (line.singles ?? []).map((one) => <path d={linePath(figure.x, one, scales, figure.log)} fill="none" stroke={line.colour} stroke-opacity="0.35" stroke-width="0.6" />),
      )}
      {figure.lines.map((line) =>
        line.bars ? (
          <Bars x={figure.x} line={line} scales={scales} />
        ) : (
          <path
            d={linePath(figure.x, line.y, scales, figure.log)}
            fill="none"
            stroke={line.colour}
            stroke-width="2"
            stroke-linejoin="round"
            stroke-dasharray={line.dash.join(" ") || undefined}
          />
        ),
      )}
      {mark && (
        <g>
          <path d={`M${scales.x(mark.x).toFixed(1)},${box.top}V${box.bottom}`} stroke={ink.agent} stroke-dasharray="3 3" />
          <text
            x={scales.x(mark.x) + (mark.x > (xs[0] + xs[1]) / 2 ? -6 : 6)}
            y={box.top + 12}
            text-anchor={mark.x > (xs[0] + xs[1]) / 2 ? "end" : "start"}
            fill={ink.text}
          >
            {mark.text}
          </text>
        </g>
      )}
    </svg>
  );
}
