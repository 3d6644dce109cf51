import type { MartFigures } from "./scale-marts.ts";
import type { Table } from "./table.ts";

const second = 1000;
const scans = 5;

/** The time of each question, and whether it is within its limit. */
export function martTable({ size, ranks, waiting, scanMs, answers }: MartFigures): Table {
  const limits = { second, "five scans": Math.max(second, scans * scanMs) } as const;
  return {
    title: `Marts over ${count(ranks)} keyword ranks of ${size.account.apps} apps, beside ${count(size.strangers)} apps that were only seen, while a backfill of ${count(waiting)} cells waits; a scan of the ranks takes ${time(scanMs)}`,
    head: ["", "measured", "limit", ""],
    rows: answers.map(({ name, ms, limit }) => [
      name,
      time(ms),
      time(limits[limit]),
      ms <= limits[limit] ? "" : "over",
    ]),
  };
}

/** The plan of each question, under its name; as a block of code if the table is Markdown. */
export function martPlans({ answers }: MartFigures, isMarkdown: boolean): readonly string[] {
  return answers.map(({ name, plan }) => `${name}\n\n${isMarkdown ? `\`\`\`text\n${plan}\n\`\`\`` : plan}\n`);
}

/** A number of rows with separators. */
export function count(number: number): string {
  return Math.round(number).toLocaleString("en-US");
}

/** A time in ms or s. */
export function time(ms: number): string {
  return ms < second ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / second).toFixed(1)} s`;
}
