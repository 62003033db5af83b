// Behind `assay serve` the page asks for its data repeatedly.
import type { Report } from "./report";

const OFTEN = 2_000;
const SELDOM = 10_000;

export interface Connection {
  stopped: boolean;
  changed: number; // when the data changed last, in milliseconds
}

interface Listener {
  onReport: (report: Report) => void;
  onConnection: (connection: Connection) => void;
}

/** Returns a function that stops it. */
export function watch({ onReport, onConnection }: Listener): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let text = "";
  let changed = Date.now();
  const ask = async () => {
    let stopped = false;
    try {
      // The browser keeps the answer and asks only whether it has changed.
      const answer = await fetch("report.json", { cache: "no-cache" });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      const latest = await answer.text();
      if (latest !== text) {
        const report = JSON.parse(latest) as Report;
        if (text !== "") changed = Date.now();
        text = latest;
        if (!ended) onReport(report);
      }
    } catch {
      stopped = true;
    }
    if (ended) return;
    onConnection({ stopped, changed });
    timer = setTimeout(() => void ask(), stopped ? SELDOM : OFTEN);
  };
  timer = setTimeout(() => void ask(), OFTEN);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
