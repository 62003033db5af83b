// Reads the data that is in the page and shows it.
import { render } from "preact";
import { App } from "./app";
import type { Report } from "./report";

const SCHEMA = 1;

function start(): void {
  const place = document.getElementById("page")!;
  const data = document.getElementById("report-data")?.textContent;
  if (!data) {
    render(<p class="failure">This page has no data in it: it is the template that `assay report` fills.</p>, place);
    return;
  }
  let report: Report;
  try {
    report = JSON.parse(data) as Report;
  } catch (error) {
    render(<p class="failure">The data in this page cannot be read: {String(error)}</p>, place);
    return;
  }
  if (report.schema !== SCHEMA) {
    render(<p class="failure">The data in this page has schema {String(report.schema)}; this page reads schema {SCHEMA}.</p>, place);
    return;
  }
  render(<App initial={report} />, place);
}

start();
