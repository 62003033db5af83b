// The page, with the most important parts first.
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Ablation } from "./ablation";
import { Curves } from "./curves";
import { Header } from "./header";
import { watch, type Connection } from "./live";
import { keepTheme, preferredTheme, ThemeContext } from "./look";
import { Mazes } from "./mazes";
import { Player } from "./player";
import type { Report } from "./report";
import { Results } from "./results";
import { Settings } from "./settings";
import { Sweep } from "./sweep";

function Empty({ report }: { report: Report }) {
  return (
    <section id="empty">
      <h2>Nothing has been run yet</h2>
      <p>This store holds no runs, so there is nothing to show. The paper's experiments in miniature take some ten seconds:</p>
      <p>
        <code class="command">assay reproduce --quick --out DIR</code>
      </p>
      <p>
        Then make this page again{report.command && <>:</>}
        {!report.command && "."}
      </p>
      {report.command && (
        <p>
          <code class="command">{report.command}</code>
        </p>
      )}
    </section>
  );
}

function sectionsOf(report: Report): { id: string; text: string }[] {
  const all: [string, string, boolean][] = [
    ["results", "Results", report.tables.length > 0],
    ["curves", "Learning curves", report.curves.length > 0],
    ["player", "Watch an episode", playable(report)],
    ["ablation", "Ablation", report.ablation !== null],
    ["sweep", "Several problems", report.sweep !== null],
    ["mazes", "T-maze", report.players.some((family) => family.family.startsWith("t_maze"))],
    ["settings", "Settings", report.runs > 0],
  ];
  return all.filter(([, , there]) => there).map(([id, text]) => ({ id, text }));
}

function playable(report: Report): boolean {
  return report.players.some((family) => family.episodes.some((episode) => episode.traces.length > 0));
}

/** True after the first frame: the lower parts of the page are rendered after the first ones are seen. */
function useLater(): boolean {
  const [later, set] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => set(true)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return later;
}

export function App({ initial }: { initial: Report }) {
  const [report, setReport] = useState(initial);
  const [theme, setTheme] = useState(preferredTheme);
  const [connection, setConnection] = useState<Connection | null>(initial.live ? { stopped: false, changed: Date.now() } : null);
  const later = useLater();
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  useEffect(() => {
    document.title = `${report.title} \u00b7 assay`;
  }, [report.title]);
  useEffect(() => (initial.live ? watch({ onReport: setReport, onConnection: setConnection }) : undefined), []);
  const switchTheme = () => {
    const next = theme === "dark" ? "light" : "dark";
    keepTheme(next);
    setTheme(next);
  };
  return (
    <ThemeContext.Provider value={theme}>
      <Header report={report} connection={connection} sections={sectionsOf(report)} dark={theme === "dark"} onTheme={switchTheme} />
      <main>
        {report.runs === 0 && <Empty report={report} />}
        {report.tables.length > 0 && <Results tables={report.tables} />}
        {report.curves.length > 0 && <Curves curves={report.curves} />}
        {later && playable(report) && <Player players={report.players.filter((family) => family.episodes.some((episode) => episode.traces.length > 0))} />}
        {later && report.ablation && <Ablation table={report.ablation} />}
        {later && report.sweep && <Sweep table={report.sweep} />}
        {later && <Mazes players={report.players} />}
        {later && report.runs > 0 && <Settings report={report} />}
      </main>
      <footer>
        assay {report.version}. What knowledge is worth, after Ambrogioni, “Knowledge is reward: learning optimal exploration by predictive reward cashing”.
      </footer>
    </ThemeContext.Provider>
  );
}
