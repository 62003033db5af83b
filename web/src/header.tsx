// What this page is, and whether it is complete.
import { useEffect, useReducer } from "preact/hooks";
import type { Connection } from "./live";
import { grouped, plural } from "./numbers";
import type { Report } from "./report";

function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 90 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}

function LiveBadge({ connection }: { connection: Connection }) {
  const [, tick] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => tick(undefined), 1000);
    return () => clearInterval(timer);
  }, []);
  if (connection.stopped) return <span class="badge incomplete">the server has stopped; this is what it said last</span>;
  return <span class="badge live">live, updated {ago(Date.now() - connection.changed)}</span>;
}

function Badge({ report }: { report: Report }) {
  if (report.runs === 0) return <span class="badge incomplete">no runs yet</span>;
  if (report.finished >= report.runs) return <span class="badge">{plural(report.runs, "run")}, all finished</span>;
  return (
    <span class="badge incomplete">
      {grouped(report.finished)} of {plural(report.runs, "run")} finished: what follows is incomplete
    </span>
  );
}

interface Props {
  report: Report;
  connection: Connection | null;
  sections: { id: string; text: string }[];
  dark: boolean;
  onTheme: () => void;
}

export function Header({ report, connection, sections, dark, onTheme }: Props) {
  return (
    <header>
      <div class="top">
        <span class="kicker">assay report</span>
        <button type="button" id="theme" class="quiet" aria-pressed={dark} onClick={onTheme}>
          {dark ? "light" : "dark"} page
        </button>
      </div>
      <h1>{report.title}</h1>
      <p class="lead">
        When should an agent that does not know its environment pay to look before it earns? Here are methods that decide it: what they earn, how they learned it, and single
        episodes to watch, step by step.
      </p>
      <p class="badges">
        <Badge report={report} /> {connection && <LiveBadge connection={connection} />}
      </p>
      {sections.length > 1 && (
        <nav aria-label="sections">
          {sections.map((section) => (
            <a href={`#${section.id}`}>{section.text}</a>
          ))}
        </nav>
      )}
    </header>
  );
}
