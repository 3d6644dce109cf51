import { createHash } from "node:crypto";
import { parseCrontab, type ParsedCronItem } from "graphile-worker";
import { z } from "zod";
import { jobs } from "../../jobs/all.ts";
import { hourMs } from "../core/day.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import { readText } from "../config/read-text.ts";
import type { Settings } from "../config/settings.ts";
import { fail, messageOf } from "../core/errors.ts";
import { datasets } from "../datasets/shared/all.ts";
import { taskOfAccount } from "../ledger/shared-queue.ts";
import { everyDataset, type RunIntervals } from "../incidents/lateness.ts";
import { scheduled } from "../planner/scheduled-datasets.ts";
import { schemaWords } from "../core/schema-words.ts";

/** A line of the crontab that runs something. */
export type CrontabLine = {
  /** Counted from 1. */
  readonly line: number;
  readonly id: string;
  readonly task: string;
  /** Datasets that it names; empty for all that are on. Null for a task that does not plan. */
  readonly datasets: readonly string[] | null;
  readonly item: ParsedCronItem;
  /** The line as it was written, for its digest. */
  readonly text: string;
};

/**
 * Reads a crontab in graphile-worker's format. Throws a UsageError that names file and line if a time, option, task, payload or dataset is
 * invalid.
 */
export function readCrontab(file: string): readonly CrontabLine[] {
  const text = readText(file);
  if (text === null)
    throw fail("bad_setting", { variable: "STOREHOUSE_CRONTAB", problem: `names a file that does not exist: ${file}` });
  const lines: CrontabLine[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1;
    const bad = (problem: string) => fail("bad_crontab", { file, line, problem });
    const item = parsed(raw, bad);
    if (item === null) continue;
    const same = lines.find(({ id }) => id === item.identifier);
    if (same !== undefined)
      throw bad(`line ${same.line} already has the id ${item.identifier}: give one of them a different ?id=...`);
    const { jobKey } = item.options;
    const replaced = lines.find((one) => jobKey !== undefined && one.item.options.jobKey === jobKey);
    if (replaced !== undefined)
      throw bad(`line ${replaced.line} already has the jobKey ${jobKey}: give one of them a different &jobKey=...`);
    lines.push({ line, id: item.identifier, task: item.task, datasets: datasetsOf(item, bad), item, text: raw.trim() });
  }
  return lines;
}

type Bad = (problem: string) => Error;

/** The line as graphile-worker reads it; null for a comment or an empty one. */
function parsed(raw: string, bad: Bad): ParsedCronItem | null {
  try {
    return parseCrontab(raw)[0] ?? null;
  } catch (error) {
    throw bad(problemIn(messageOf(error), raw));
  }
}

/** What the parser says of a line, without what our own message has. */
function problemIn(text: string, raw: string): string {
  if (text.startsWith("Could not process"))
    return "must be five numbers or patterns (minute hour day month weekday), a task, ?options and {payload}";
  if (text.startsWith("Invalid command"))
    return raw.includes("{") && !raw.trimEnd().endsWith("}")
      ? "the payload must be a JSON object that ends the line: its last } is missing"
      : "after the five times there must be a task, then ?options and a JSON object as its payload, if there are any";
  // the parser gets a single line and reports it as line 1
  return text.replaceAll(/\s*(in|on)?\s*'?line '?1'? of crontab'?/g, "").replace(/\.$/, "");
}

function datasetsOf({ task, payload }: ParsedCronItem, bad: Bad): readonly string[] | null {
  const job = Object.hasOwn(jobs, task) ? jobs[task] : undefined;
  if (job === undefined)
    throw bad(`unknown task ${task}${didYouMean(task, Object.keys(jobs))} (known: ${Object.keys(jobs).join(", ")})`);
  const checked = job.payload.safeParse(payload ?? {}, { error: schemaWords });
  if (!checked.success) {
    const issue = checked.error.issues[0];
    throw bad(
      `the payload of ${task} is invalid: ${[issue?.path.join("."), issue?.message].filter(Boolean).join(" ")}`,
    );
  }
  if (!job.plans) return null;
  const { datasets: named } = z.object({ datasets: z.array(z.string()) }).parse(checked.data);
  const names = datasets.map(({ name }) => name);
  const unknown = named.find((name) => !names.includes(name));
  if (unknown !== undefined) throw bad(`unknown dataset ${unknown}${didYouMean(unknown, names)}`);
  return named;
}

/** A line as a worker of an account runs it: a planning task runs once per account, under its own key, and any other task once. */
export function itemOfAccount(item: ParsedCronItem, account: string): ParsedCronItem {
  if (account === "" || jobs[item.task]?.plans !== true) return item;
  const { jobKey, ...options } = item.options;
  return {
    ...item,
    task: taskOfAccount(item.task, account),
    identifier: taskOfAccount(item.identifier, account),
    options: { ...options, ...(jobKey === undefined ? {} : { jobKey: taskOfAccount(jobKey, account) }) },
  };
}

/** The datasets that lines plan, each once: those that they name, and all that are on if a line names none. */
export function scheduledBy(lines: readonly Pick<CrontabLine, "datasets">[], settings: Settings): readonly string[] {
  return [...new Set(lines.flatMap((line) => (line.datasets === null ? [] : scheduled(line.datasets, settings))))];
}

/**
 * A digest of the lines and of the settings that decide what they plan, equal if these are. Comments of the crontab do not count.
 */
export function scheduleDigest(
  lines: readonly CrontabLine[],
  { portfolio, datasets: ofDatasets, credits }: Settings,
): string {
  const texts = lines.map(({ text }) => text);
  return createHash("sha256")
    .update(JSON.stringify([texts, portfolio, ofDatasets, credits]))
    .digest("hex");
}

const minuteMs = 60_000;
/** The 29th of February recurs after at most eight years. */
const longestMs = 9 * 366 * 24 * hourMs;

/** The next instants (epoch-ms) at which a line runs, after `after`; fewer than `count`, or none, if it does not run for years. */
export function nextRuns(line: Pick<CrontabLine, "item">, after: number, count: number): readonly number[] {
  return [...runsBetween(line, after, after + longestMs).take(count)];
}

/** The instants (epoch-ms) at which a line runs, after one and before another. */
export function* runsBetween({ item }: Pick<CrontabLine, "item">, after: number, before: number): Generator<number> {
  const first = Math.floor(after / minuteMs) * minuteMs + minuteMs;
  // one date per hour, not per minute: for a monthly line 500,000 minutes a year would be tried
  for (let start = Math.floor(first / hourMs) * hourMs; start < before; start += hourMs) {
    const time = new Date(start);
    const [hour, date, month, dow] = [time.getUTCHours(), time.getUTCDate(), time.getUTCMonth() + 1, time.getUTCDay()];
    for (let at = Math.max(start, first); at < Math.min(start + hourMs, before); at += minuteMs)
      if (item.match({ min: (at - start) / minuteMs, hour, date, month, dow })) yield at;
  }
}

/** How far back a run is searched for, step by step: most lines run every day, and listing their runs of years would take long. */
const stepsBackMs = [24 * hourMs, 31 * 24 * hourMs, Number.POSITIVE_INFINITY];

/** The last instant (epoch-ms) at which a line runs, after one and before another. */
export function lastRun(line: Pick<CrontabLine, "item">, after: number, before: number): number | undefined {
  for (const backMs of stepsBackMs) {
    const last = [...runsBetween(line, Math.max(after, before - backMs), before)].at(-1);
    if (last !== undefined) return last;
  }
  return undefined;
}

/** This many runs of a line show how far apart they are: months differ in length, and so do gaps within a week. */
const runsSeen = 13;

/**
 * The datasets that lines name, each with the longest time (ms) between two runs of the line that runs most often; `everyDataset` for lines
 * that name none. `now`: epoch-ms.
 */
export function runIntervals(lines: readonly CrontabLine[], now: number): RunIntervals {
  const intervals = new Map<string, number>();
  for (const line of lines) {
    const runs = nextRuns(line, now, runsSeen);
    const apart =
      runs.length < 2 ? Infinity : Math.max(...runs.slice(1).map((run, index) => run - (runs[index] ?? run)));
    const names = line.datasets?.length === 0 ? [everyDataset] : (line.datasets ?? []);
    for (const name of names) intervals.set(name, Math.min(apart, intervals.get(name) ?? Infinity));
  }
  return intervals;
}
