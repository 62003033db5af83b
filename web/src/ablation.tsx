// The ablation: how well each variant does over the training seeds.
import { useRef } from "preact/hooks";
import { ticks, tickText } from "./figure";
import { extent, fixed, known, plural, sentence, shortened, signed } from "./numbers";
import type { IntervalRow, IntervalTable } from "./report";
import { SaveButtons } from "./save_buttons";

const WIDTH = 960;
const LABELS = 270;
const NUMBERS = 240;
const ROW = 30;

function Interval({ row, x, y }: { row: IntervalRow; x: (value: number) => number; y: number }) {
  return (
    <g>
      <title>{`${row.label} (${row.method}): ${fixed(row.middle)}, interval ${fixed(row.low)} to ${fixed(row.high)}, seeds ${fixed(row.worst)} to ${fixed(row.best)}${row.diverged > 0 ? `; ${row.diverged} of ${row.seeds} diverged` : ""}`}</title>
      <text x={LABELS - 14} y={y + 4} text-anchor="end">
        {shortened(row.label, 38)}
      </text>
      {known(row.worst) && known(row.best) && <path class="whisker" d={`M${x(row.worst)},${y}H${x(row.best)}M${x(row.worst)},${y - 4}v8M${x(row.best)},${y - 4}v8`} />}
      {known(row.low) && known(row.high) && <rect class="interval" x={x(row.low)} y={y - 5} width={Math.max(2, x(row.high) - x(row.low))} height="10" rx="2" />}
      {known(row.middle) && <circle class="middle" cx={x(row.middle)} cy={y} r="5" />}
      <text x={WIDTH - NUMBERS + 76} y={y + 4} text-anchor="end" font-weight="600">
        {fixed(row.middle)}
      </text>
      <text x={WIDTH - NUMBERS + 170} y={y + 4} text-anchor="end">
        {row.diverged > 0 ? `diverged ${row.diverged}/${row.seeds}` : signed(row.difference)}
      </text>
      <text class="faint" x={WIDTH - 6} y={y + 4} text-anchor="end">
        {row.seeds}
      </text>
    </g>
  );
}

export function Ablation({ table }: { table: IntervalTable }) {
  const drawing = useRef<SVGSVGElement>(null);
  const found = extent(table.rows.flatMap((row) => [row.middle, row.low, row.high, row.worst, row.best]));
  const room = found ? (found[1] - found[0]) * 0.04 || 1 : 1;
  const range: [number, number] = found ? [found[0] - room, found[1] + room] : [0, 1];
  const x = (value: number) => LABELS + ((value - range[0]) / (range[1] - range[0])) * (WIDTH - LABELS - NUMBERS);
  const top = 30;
  const height = top + table.rows.length * ROW + 44;
  const bottom = height - 40;
  const first = table.rows[0]?.middle;
  return (
    <section id="ablation">
      <h2>Ablation</h2>
      <h3>{table.title.replace(/^Ablation: /, "")}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={table.title}>
        <svg class="drawing" ref={drawing} viewBox={`0 0 ${WIDTH} ${height}`} style={{ minWidth: "720px", maxWidth: `${WIDTH}px` }} aria-label={`${table.title}: ${plural(table.rows.length, "variant")}`}>
          <g class="faint">
            <text x={WIDTH - NUMBERS + 76} y="16" text-anchor="end">
              mean
            </text>
            <text x={WIDTH - NUMBERS + 170} y="16" text-anchor="end">
              difference
            </text>
            <text x={WIDTH - 6} y="16" text-anchor="end">
              seeds
            </text>
          </g>
          {ticks(range, 7).map((value) => (
            <g class="faint">
              <path class="rule" d={`M${x(value)},${top - 4}V${bottom}`} />
              <text x={x(value)} y={bottom + 16} text-anchor="middle">
                {tickText(value)}
              </text>
            </g>
          ))}
          {known(first) && <path class="reference" d={`M${x(first)},${top - 4}V${bottom}`} />}
          <text class="faint" x={(LABELS + WIDTH - NUMBERS) / 2} y={bottom + 34} text-anchor="middle">
            return
          </text>
          {table.rows.map((row, index) => (
            <Interval row={row} x={x} y={top + (index + 0.5) * ROW} />
          ))}
        </svg>
      </div>
      <div class="below">
        <p class="note">
          {sentence(table.note)}Dot: the mean over seeds. Bar: its interval. Thin line: worst to best seed. Dashed: the first row.
        </p>
        <SaveButtons title={table.title} drawing={() => drawing.current} />
      </div>
    </section>
  );
}
