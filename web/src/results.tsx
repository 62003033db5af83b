// The result tables, ours beside the paper's.
import { useState } from "preact/hooks";
import { fixed, grouped, known, sentence, signed } from "./numbers";
import type { ResultCell, ResultRow, ResultTable } from "./report";
import { Tabs } from "./tabs";

/** The oracle sees the true environment: it is a ceiling and not a competitor. */
function isOracle(row: ResultRow): boolean {
  return /^oracle\b/.test(row.label) || /^oracle\b/.test(row.method);
}

function bestOf(table: ResultTable, column: number): ResultRow | null {
  let best: ResultRow | null = null;
  for (const row of table.rows) {
    const mean = row.cells[column]?.mean;
    if (isOracle(row) || !known(mean)) continue;
    if (!best || mean > best.cells[column]!.mean!) best = row;
  }
  return best;
}

function rowsOf(table: ResultTable): ResultRow[] {
  return [...table.rows.filter((row) => !isOracle(row)), ...table.rows.filter(isOracle)];
}

function PlusMinus({ mean, se }: { mean: number | null; se: number | null }) {
  return (
    <>
      {fixed(mean)}
      <span class="error"> ± {fixed(se)}</span>
    </>
  );
}

/** The difference between our number and the paper's. */
function differenceOf(cell: ResultCell | null | undefined): number | null {
  return cell?.paper && known(cell.mean) ? cell.mean - cell.paper.mean : null;
}

function isFar(cell: ResultCell | null | undefined): boolean {
  const difference = differenceOf(cell);
  return known(difference) && known(cell?.difference_error) && Math.abs(difference) >= 3 * cell!.difference_error!;
}

function Cells({ cell, best, paper }: { cell: ResultCell | null | undefined; best: boolean; paper: boolean }) {
  return (
    <>
      <td class={best ? "number first best" : "number first"} data-count={cell?.count} title={cell ? `${grouped(cell.count)} environments` : "not run, or not finished"}>
        {cell ? <PlusMinus mean={cell.mean} se={cell.se} /> : <span class="error">–</span>}
        {best && <span class="sr">, best of this column</span>}
      </td>
      {paper && <td class="number paper">{cell?.paper && <PlusMinus mean={cell.paper.mean} se={cell.paper.printed} />}</td>}
      {paper && (
        <td class={isFar(cell) ? "number difference far" : "number difference"}>
          {known(differenceOf(cell)) && (
            <>
              {signed(differenceOf(cell))}
              <span class="error"> ± {fixed(cell!.difference_error)}</span>
            </>
          )}
        </td>
      )}
    </>
  );
}

function Table({ table }: { table: ResultTable }) {
  const withPaper = table.columns.map((_, column) => table.rows.some((row) => row.cells[column]?.paper));
  const best = table.columns.map((_, column) => bestOf(table, column));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={table.title}>
      <table class="results">
        <thead>
          <tr>
            <th rowSpan={2} scope="col">
              method
            </th>
            {table.columns.map((column, index) => (
              <th class="first" colSpan={withPaper[index] ? 3 : 1} scope="colgroup" title={table.families[index]}>
                {column}
              </th>
            ))}
          </tr>
          <tr>
            {table.columns.map((_, index) => (
              <>
                <th class="number first" scope="col">
                  assay
                </th>
                {withPaper[index] && (
                  <th class="number" scope="col">
                    paper
                  </th>
                )}
                {withPaper[index] && (
                  <th class="number" scope="col">
                    difference
                  </th>
                )}
              </>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(table).map((row) => (
            <tr class={isOracle(row) ? "oracle" : undefined}>
              <th scope="row" title={row.method}>
                {row.label}
              </th>
              {table.columns.map((_, column) => (
                <Cells cell={row.cells[column]} best={best[column] === row} paper={withPaper[column] ?? false} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Results({ tables }: { tables: ResultTable[] }) {
  const [chosen, choose] = useState("0");
  const table = tables[Number(chosen)] ?? tables[0];
  if (!table) return null;
  return (
    <section id="results">
      <h2>Results</h2>
      <Tabs label="table" options={tables.map((one, index) => ({ key: `${index}`, text: one.title }))} chosen={tables[Number(chosen)] ? chosen : "0"} onChoose={choose} />
      {tables.length === 1 && <h3>{table.title}</h3>}
      <Table table={table} />
      <p class="note">
        {sentence(table.note)}Mean return ± standard error over fresh environments, the same ones for all methods. The <strong>best</strong> method of each column
        stands out.{" "}
        {table.rows.some((row) => row.cells.some((cell) => cell?.paper)) && (
          <>
            The paper does not say what its ± is. The difference, ours minus the paper's, has a standard error made of ours and of that of the 200 environments that the
            paper tests on, if they scatter as ours do.
          </>
        )}
        {table.rows.some(isOracle) && <> The oracle knows the hidden environment: a line above that no agent can reach.</>}
      </p>
    </section>
  );
}
