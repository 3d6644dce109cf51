import { large, ranksOf, slicesOf, type Account } from "./scale-size.ts";
import type { Answered, Growth } from "./scale-questions.ts";
import type { QueueFigures } from "./scale-queue.ts";
import type { Table } from "./table.ts";

/** A ledger and the questions about it. */
export type LedgerFigures = {
  readonly account: Account;
  readonly madeMs: number;
  readonly slices: number;
  /** Rows of `ops.slice`: a folded row stands for several slices. */
  readonly rows: number;
  readonly sliceBytes: number;
  readonly requestBytes: number;
  readonly answered: readonly Answered[];
};

/** All that was measured. */
export type ScaleFound = {
  readonly machine: string;
  readonly ledgers: readonly LedgerFigures[];
  readonly planned: { readonly account: Account; readonly seconds: number; readonly peakMiB: number } | null;
  readonly facts: {
    readonly account: Account;
    readonly rows: number;
    readonly ms: number;
    readonly bytes: number;
    readonly answered: readonly Answered[];
  };
  readonly queues: readonly QueueFigures[];
};

/** The figures as tables. What was not measured is extrapolated in proportion to what it grows with, and marked as such. */
export function scaleTables(found: ScaleFound): readonly Table[] {
  return [sizeTable(found), ledgerTable(found), queueTable(found), factTable(found)];
}

const whole = `${count(large.apps)} apps x ${large.countries} countries x ${large.keywords} keywords, ${large.days} days`;

function sizeTable({ ledgers, planned }: ScaleFound): Table {
  const largest = ledgers.at(-1);
  const total = slicesOf(large);
  const each = (bytes: number) => (largest === undefined ? 0 : bytes / largest.slices);
  const line = (name: string, bytes: number) => [name, bytes.toFixed(0), gib(bytes * total)];
  const alone =
    planned === null
      ? []
      : [
          ["planner alone, all days, peak MiB", planned.peakMiB.toFixed(0), ""],
          [
            "planner alone, all days, seconds",
            planned.seconds.toFixed(1),
            `${((planned.seconds * large.apps) / planned.account.apps).toFixed(0)} s`,
          ],
        ];
  return {
    title: `The ledger of ${whole}: ${count(total)} slices, one per night, app, country and hundred keywords`,
    head: ["", "measured", "whole ledger, extrapolated"],
    rows: [
      ["slices", count(largest?.slices ?? 0), count(total)],
      [
        "rows of `ops.slice`, past months folded",
        count(largest?.rows ?? 0),
        count(Math.round(each(largest?.rows ?? 0) * total)),
      ],
      line("`ops.slice` with indexes, bytes per slice", each(largest?.sliceBytes ?? 0)),
      line(
        "`ops.request` of 13 months with indexes, and the sums of older ones, bytes per slice",
        each(largest?.requestBytes ?? 0),
      ),
      ...alone,
    ],
  };
}

function ledgerTable({ ledgers }: ScaleFound): Table {
  const [small, more] = ledgers;
  const rows = (more?.answered ?? []).map(({ name, ms, growth }, index) => {
    const before = small?.answered[index]?.ms ?? Number.NaN;
    return [name, time(before), time(ms), growthNames[growth], time(workedOut({ before, ms }, growth, ledgers))];
  });
  return {
    title: `Times with ${ledgers.map(({ slices }) => count(slices)).join(" and ")} slices, and extrapolated to ${count(slicesOf(large))}`,
    head: [
      "",
      ...ledgers.map(({ account }) => `${count(account.apps)} apps`),
      "grows with",
      "1,000 apps, extrapolated",
    ],
    rows,
  };
}

const growthNames: Readonly<Record<Growth, string>> = {
  slices: "slices",
  account: "portfolio",
  rows: "rows",
  none: "nothing: only the app's slices",
};

/** Extrapolates on the straight line through both measurements; a time that does not grow is the last measurement. */
function workedOut(
  { before, ms }: { before: number; ms: number },
  growth: Growth,
  ledgers: readonly LedgerFigures[],
): number {
  const [small, more] = ledgers;
  if (growth === "none" || small === undefined || more === undefined) return ms;
  const slope = Math.max(0, ms - before) / (more.account.apps - small.account.apps);
  // a line that falls, or rises less than proportionally, may well be noise of a busy machine
  const proportional = (ms * large.apps) / more.account.apps;
  return Math.max(ms + slope * (large.apps - more.account.apps), proportional);
}

function queueTable({ queues }: ScaleFound): Table {
  return {
    title: "The queue: slices claimed and ended by one worker, in chunks of 16",
    head: ["waiting", "queued in", "claimed and ended", "slices per second", "a million would take"],
    rows: queues.map(({ depth, queueMs, worked, ms }) => {
      const rate = (worked * 1000) / ms;
      return [count(depth), time(queueMs), count(worked), count(Math.round(rate)), time(1e9 / rate)];
    }),
  };
}

function factTable({ facts }: ScaleFound): Table {
  const { account, rows, bytes, ms, answered } = facts;
  const wanted = 100_000_000;
  return {
    title: `Facts: ${count(rows)} keyword ranks (${account.apps} apps of ${account.days} days), ${(bytes / rows).toFixed(0)} bytes each with the index, written in ${time(ms)}; extrapolated to ${count(wanted)} and to all ${count(ranksOf(large))}`,
    head: ["", "measured", "100,000,000 rows", "all rows"],
    rows: [
      ["size", gib(bytes), gib((bytes / rows) * wanted), gib((bytes / rows) * ranksOf(large))],
      ...answered.map(({ name, ms: each, growth }) => {
        const at = (all: number) => (growth === "none" ? time(each) : time((each * all) / rows));
        return [name, time(each), at(wanted), at(ranksOf(large))];
      }),
    ],
  };
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}

function gib(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(0)} MiB` : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}

function time(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`;
}
