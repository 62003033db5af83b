// Methods on several problems: what they collect, how often they find the optimum, and when.
import { useRef } from "preact/hooks";
import { fixed, known, sentence, shortened } from "./numbers";
import type { SweepCell, SweepTable } from "./report";
import { SaveButtons } from "./save_buttons";

const LABELS = 330;
const VALUES = 220;
const COLUMN = 178;
const BAR = 56;
const ROW = 44;

function Cell({ cell, x, y, title }: { cell: SweepCell | null | undefined; x: number; y: number; title: string }) {
  if (!cell) {
    return (
      <text class="faint" x={x} y={y + 4}>
        not run
      </text>
    );
  }
  const part = cell.of > 0 ? cell.reached / cell.of : 0;
  return (
    <g>
      <title>{title}</title>
      <rect class="track" x={x} y={y - 6} width={BAR} height="12" rx="2" />
      {part > 0 && <rect class={part === 1 ? "reached all" : "reached"} x={x} y={y - 6} width={BAR * part} height="12" rx="2" />}
      <text x={x + BAR + 8} y={y + 4}>
        {cell.reached}/{cell.of}
      </text>
      <text class="faint" x={x + BAR + 56} y={y + 4}>
        {known(cell.epoch) && cell.reached > 0 ? `at ${Math.round(cell.epoch)}` : ""}
      </text>
      <text x={x} y={y + 20}>
        {known(cell.collected) && known(cell.deviation) ? `collects ${cell.collected.toFixed(1)} (${cell.deviation.toFixed(1)})` : ""}
      </text>
    </g>
  );
}

/** A method's name in at most two lines. */
function Heading({ text, x }: { text: string; x: number }) {
  const words = text.split(" ");
  let first = words.shift() ?? "";
  while (words.length > 0 && first.length + words[0]!.length < 20) first += ` ${words.shift()}`;
  const lines = words.length > 0 ? [first, words.join(" ")] : [first];
  return (
    <>
      {lines.map((line, index) => (
        <text x={x} y={30 - 17 * (lines.length - 1 - index)}>
          {shortened(line, 22)}
        </text>
      ))}
    </>
  );
}

export function Sweep({ table }: { table: SweepTable }) {
  const drawing = useRef<SVGSVGElement>(null);
  const width = LABELS + VALUES + table.methods.length * COLUMN;
  const top = 46;
  const height = top + table.rows.length * ROW + 6;
  return (
    <section id="sweep">
      <h2>Several problems</h2>
      <h3>{table.title}</h3>
      <div class="scroll" tabIndex={0} role="region" aria-label={table.title}>
        <svg class="drawing" ref={drawing} viewBox={`0 0 ${width} ${height}`} style={{ minWidth: `${Math.min(width, 900)}px`, maxWidth: `${width}px` }} aria-label={table.title}>
          <g class="faint">
            <text x="0" y="30">
              problem
            </text>
            <text x={LABELS + 60} y="30" text-anchor="end">
              v*
            </text>
            <text x={LABELS + 80} y="30">
              does information pay?
            </text>
            {table.methods.map((method, column) => (
              <Heading text={method} x={LABELS + VALUES + column * COLUMN} />
            ))}
          </g>
          <path class="rule" d={`M0,${top - 6}H${width}`} />
          {table.rows.map((row, index) => {
            const y = top + index * ROW + 14;
            return (
              <g>
                <text x="0" y={y + 4}>
                  <title>{row.family}</title>
                  {shortened(row.label, 48)}
                </text>
                <text x={LABELS + 60} y={y + 4} text-anchor="end">
                  {fixed(row.exact)}
                </text>
                <text class={row.pays ? undefined : "faint"} x={LABELS + 80} y={y + 4}>
                  <title>{`without the source of information: ${fixed(row.without_cue)}`}</title>
                  {row.pays ? `yes, +${fixed((row.exact ?? 0) - (row.without_cue ?? 0))}` : "no"}
                </text>
                {table.methods.map((method, column) => {
                  const cell = row.cells[column];
                  return (
                    <Cell cell={cell} x={LABELS + VALUES + column * COLUMN} y={y} title={cell ? `${method} on ${row.label}: ${cell.reached} of ${cell.of} reach the optimum` : ""} />
                  );
                })}
              </g>
            );
          })}
        </svg>
      </div>
      <div class="below">
        <p class="note">
          {sentence(table.note)}Bar: the share of repetitions that end at the exact optimum v*; after "at", the median epoch from which on they reach it; below, what the greedy policies collect, as median and median absolute deviation. Information pays if the value
          without the source of information would be lower.
        </p>
        <SaveButtons title={table.title} drawing={() => drawing.current} />
      </div>
    </section>
  );
}
