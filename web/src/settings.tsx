// What was run, with which settings, and the command that makes this page again.
import { grouped, seedList, shortened } from "./numbers";
import type { Report } from "./report";

const LONG = 120;

function Specification({ text }: { text: string }) {
  if (text.length <= LONG) return <Breakable text={text} />;
  return (
    <details>
      <summary>
        <Breakable text={shortened(text, 60)} />
      </summary>
      <Breakable text={text} />
    </details>
  );
}

/** A text that may be broken after its commas. */
function Breakable({ text }: { text: string }) {
  return (
    <>
      {text.split(",").map((part, index) => (
        <>
          {index > 0 && (
            <>
              ,<wbr />
            </>
          )}
          {part}
        </>
      ))}
    </>
  );
}

export function Settings({ report }: { report: Report }) {
  return (
    <section id="settings">
      <h2>Settings</h2>
      <p>
        This page is made again by <code class="command">{report.command}</code>
      </p>
      <dl class="pairs">
        <dt>version</dt>
        <dd>{report.version}</dd>
        <dt>signature of the results</dt>
        <dd>
          <code>{report.signature}</code>
        </dd>
      </dl>
      {report.groups.length > 0 && (
        <>
          <h3>Runs</h3>
          <div class="scroll tall" tabIndex={0} role="region" aria-label="runs">
            <table>
              <thead>
                <tr>
                  <th scope="col">family</th>
                  <th scope="col">method</th>
                  <th scope="col">seeds</th>
                  <th scope="col" class="number">
                    finished
                  </th>
                  <th scope="col" class="number">
                    test episodes
                  </th>
                  <th scope="col" class="number">
                    test seed
                  </th>
                </tr>
              </thead>
              <tbody>
                {report.groups.map((group) => (
                  <tr>
                    <td class="spec">
                      <Specification text={group.family} />
                    </td>
                    <td class="spec">
                      <Specification text={group.method} />
                    </td>
                    <td>{seedList(group.seeds)}</td>
                    <td class="number">
                      {group.finished} of {group.seeds.length}
                    </td>
                    <td class="number">{grouped(group.episodes)}</td>
                    <td class="number">{group.test_seed}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {report.contexts.length > 0 && (
        <>
          <h3>Made with</h3>
          <div class="scroll" tabIndex={0} role="region" aria-label="contexts">
            <table>
              <thead>
                <tr>
                  {["version", "commit", "machine", "kernel", "signature"].map((name) => (
                    <th scope="col">{name}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {report.contexts.map((context) => (
                  <tr>
                    <td>{context.version}</td>
                    <td>
                      <code>{context.commit}</code>
                    </td>
                    <td>{context.machine}</td>
                    <td>{context.kernel}</td>
                    <td>
                      <code>{context.signature}</code>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  );
}
