import { availableParallelism } from "node:os";
import type { ArchiveRound } from "./archive.ts";
import type { Size } from "./bench.ts";
import type { Cpu } from "./cpu.ts";
import type { MixedRound } from "./mixed.ts";
import type { Paced } from "./pace.ts";
import type { PlannerFigures } from "./planner.ts";
import { type CountedPasses, passes, type Pass, type Round, type Timed } from "./rounds.ts";
import { spreadOf, type Spread } from "./statistics.ts";
import type { StepCost } from "./steps.ts";
import type { Table } from "./table.ts";
import { answersOf, ranksOf } from "./work.ts";
import type { Shared } from "./workers.ts";

/** What users would choose instead, as multiples of `COPY`, measured once on the same work; both write every unchanged row again. */
const alternatives = [
  ["the best-known Python loader, as documented", "52"],
  ["the same with its settings tuned", "9.7"],
  ["the same in an expert mode without its own bookkeeping", "5.1"],
  ["a Singer tap and target", "20"],
] as const;

const passNames: Readonly<Record<Pass, string>> = {
  new: "first time",
  unchanged: "unchanged",
  tenth: "a tenth changed",
};

/** What the rounds of the load measure: times, processor time by process, and memory. */
export function loadTables(size: Size, rounds: readonly Round[]): readonly Table[] {
  return [loadTable(size, rounds), cpuTable(size, rounds), memoryTable(rounds)];
}

function loadTable(size: Size, rounds: readonly Round[]): Table {
  const ranks = ranksOf(size.work);
  const copy = spreadOf(rounds.flatMap(({ copies }) => copies));
  const rowsOf = (name: string, part: "whole" | "alone", aim: Readonly<Record<Pass, string>>) =>
    passes.map((pass) => {
      // each against the COPY that ran just before it
      const times = spreadOf(
        rounds.map((round) => round[part][pass].ms / (round.copies[part === "whole" ? 0 : 1] ?? 0)),
      );
      const ms = spreadOf(rounds.map((round) => round[part][pass].ms)).median;
      return [
        `${name}, ${passNames[pass]}`,
        ...timesCells(times),
        aim[pass],
        perSecond(ranks, ms),
        ...writtenCells(rounds, part, pass, ranks),
      ];
    });
  return {
    title: `${count(ranks)} keyword ranks from ${count(answersOf(size.work))} answers, ${rounds.length} interleaved rounds, as multiples of the time of \`COPY\``,
    head: ["", "times COPY", "range", "aim", "ranks per second", "WAL bytes per rank", "ranks written"],
    rows: [
      [
        "`COPY` of the same rows as ready text",
        "1",
        spreadText({ ...copy, least: copy.least / copy.median, greatest: copy.greatest / copy.median }),
        "",
        perSecond(ranks, copy.median),
        "",
        count(ranks),
      ],
      ...rowsOf("whole path", "whole", { new: "2.2", unchanged: "1.3", tenth: "2.5" }),
      ...rowsOf("load alone", "alone", { new: "1.3", unchanged: "1.2", tenth: "" }),
      ...alternatives.map(([name, times]) => [name, times, "", "", "", "", ""]),
    ],
  };
}

/** Replay and import of the same ranks. */
export function archiveTable(size: Size, archive: readonly ArchiveRound[]): Table {
  const kinds = [
    ["replay, into an empty table", "replay", 0],
    ["replay, over existing rows", "replayBeside", 0],
    ["import of files", "import", 1],
  ] as const;
  return {
    title: `The same ranks from stored answers, and from files, as multiples of the time of \`COPY\``,
    head: ["", "times COPY", "range", "aim", "ranks per second", "peak MiB"],
    rows: kinds.map(([name, kind, copy]) => {
      const times = spreadOf(archive.map((round) => round[kind].ms / (round.copies[copy] ?? Number.NaN)));
      const { median: ms } = spreadOf(archive.map((round) => round[kind].ms));
      const { median: peak } = spreadOf(archive.map((round) => round[kind].peak));
      return [name, ...timesCells(times), "1.5", perSecond(ranksOf(size.work), ms), String(Math.round(peak / 2 ** 20))];
    }),
  };
}

/** A night of all datasets. */
export function mixedTable(mixed: readonly MixedRound[]): Table {
  const [{ requests, rows } = { requests: 0, rows: 0 }] = mixed;
  const times = spreadOf(mixed.map(({ syncMs, copyMs }) => syncMs / copyMs));
  const us = (side: keyof Cpu) => ((spreadOf(mixed.map(({ cpu }) => cpu[side])).median * 1000) / requests).toFixed(0);
  return {
    title: `A night of all datasets: ${count(rows)} rows from ${count(requests)} requests, as multiples of the time of \`COPY\` of those rows, and processor time in microseconds per request`,
    head: ["", "times COPY", "range", "aim", "Node", "Postgres", "answer server"],
    rows: [["whole path, first time", ...timesCells(times), "3", us("node"), us("postgres"), us("server")]],
  };
}

/** Processor time by process; all share the machine's cores, including the answer server. */
function cpuTable(size: Size, rounds: readonly Round[]): Table {
  const parts = ["whole", "alone"] as const;
  return {
    title: "Processor time, in microseconds per answer",
    head: ["", "Node", "Postgres", "answer server", "all", "share of the machine"],
    rows: parts.flatMap((part) =>
      passes.map((pass) => {
        const of = (side: "node" | "postgres" | "server") =>
          (spreadOf(rounds.map((round) => round[part][pass].cpu[side])).median * 1000) / answersOf(size.work);
        const sides = [of("node"), of("postgres"), of("server")];
        const all = sides.reduce((sum, one) => sum + one, 0);
        const wall = (spreadOf(rounds.map((round) => round[part][pass].ms)).median * 1000) / answersOf(size.work);
        const share = `${Math.round((100 * all) / (wall * availableParallelism()))} %`;
        const name = part === "whole" ? "whole path" : "load alone";
        return [`${name}, ${passNames[pass]}`, ...[...sides, all].map((us) => us.toFixed(0)), share];
      }),
    ),
  };
}

/** What each step of the whole path costs the database. */
export function stepTable(size: Size, steps: CountedPasses): Table {
  const answers = answersOf(size.work);
  const cells = (costs: readonly StepCost[]) => {
    const sum = (of: (cost: StepCost) => number) => costs.reduce((total, cost) => total + of(cost), 0) / answers;
    return [
      sum(({ statements }) => statements).toFixed(2),
      (sum(({ ms }) => ms) * 1000).toFixed(0),
      count(Math.round(sum(({ walBytes }) => walBytes))),
    ];
  };
  const row = (name: string, has: (cost: StepCost) => boolean) => [
    name,
    ...cells(steps.new.filter(has)),
    ...cells(steps.unchanged.filter(has)),
  ];
  return {
    title: "Statements per answer by step, their time in Postgres including waits, and their WAL, in a separate run",
    head: ["", "first time", "us", "WAL bytes", "unchanged", "us", "WAL bytes"],
    rows: [
      ...steps.new.map(({ step }) => row(step, (cost) => cost.step === step)),
      row("all (aim: at most 1 statement)", () => true),
    ],
  };
}

function timesCells(times: Spread): readonly [string, string] {
  return [times.median.toFixed(1), spreadText(times)];
}

function spreadText({ least, greatest }: Spread): string {
  return `${least.toFixed(1)} to ${greatest.toFixed(1)}`;
}

function writtenCells(rounds: readonly Round[], part: "whole" | "alone", pass: Pass, ranks: number): readonly string[] {
  const written = rounds.map((round) => (round[part][pass] as Timed<unknown>).written);
  const wal = spreadOf(written.map(({ walBytes }) => walBytes)).median / ranks;
  return [wal.toFixed(wal < 10 ? 1 : 0), count(spreadOf(written.map(({ rows }) => rows)).median)];
}

function memoryTable(rounds: readonly Round[]): Table {
  const mib = (pick: (memory: Round["whole"]["new"]["memory"]) => number, pass: Pass) =>
    Math.round(spreadOf(rounds.map((round) => pick(round.whole[pass].memory))).median / 2 ** 20).toString();
  return {
    title: "Memory of the process in the whole path, in MiB (aim: flat, under 250)",
    head: ["", "at the start", "after 20 %", "at the end", "peak"],
    rows: passes.map((pass) => [
      passNames[pass],
      mib(({ atStart }) => atStart, pass),
      mib(({ early }) => early, pass),
      mib(({ end }) => end, pass),
      mib(({ peak }) => peak, pass),
    ]),
  };
}

/** Requests per second of the client alone, and of a sync that keeps to a pace, with its statements. */
export function requestTable(transport: number, paced: Paced): Table {
  return {
    title: "Requests per second, and statements",
    head: ["", "", "aim"],
    rows: [
      ["client alone, no latency", count(Math.round(transport)), ""],
      [
        `whole path, ${paced.latencyMs} ms latency, ${paced.allowed} per second allowed`,
        paced.reached.toFixed(2),
        paced.allowed.toFixed(2),
      ],
      ["statements per answer at that pace, including planning, first time", paced.statements.first.toFixed(1), "4"],
      ["the same, unchanged", paced.statements.unchanged.toFixed(1), "4"],
    ],
  };
}

/** Workers on one allowance. */
export function workerTable(shared: readonly Shared[]): Table {
  return {
    title: "Workers on one allowance, 200 ms latency, 4 requests in flight in each",
    head: ["workers", "allowed per second", "reached", "requested twice", "lowest balance", "floor"],
    rows: shared.map(({ workers, pace, reached, twice, least, floor }) => [
      String(workers),
      count(pace),
      reached.toFixed(1),
      String(twice),
      count(least),
      count(Math.ceil(floor)),
    ]),
  };
}

/** Planning a large account, by how much of it is missing. */
export function plannerTable({ planned: scale }: Size, planned: readonly PlannerFigures[]): Table {
  const { apps, countries, keywords, days } = scale;
  return {
    title: `Planning ${count(apps)} apps in ${countries} countries with ${keywords} keywords over ${days} days (aim at full size: 60 s, 1,024 MiB)`,
    head: ["cells missing", "seconds", "peak MiB", "slices", "requests", "credits", "credits one thing at a time"],
    rows: planned.map((one) => [
      `${Math.round(one.missing * 100)} %`,
      one.seconds.toFixed(1),
      count(Math.round(one.peakMiB)),
      count(one.slices),
      count(one.requests),
      count(one.credits),
      count(Math.round(one.naiveCredits)),
    ]),
  };
}

function perSecond(ranks: number, ms: number): string {
  return count(Math.round((ranks * 1000) / ms / 100) * 100);
}

function count(number: number): string {
  return number.toLocaleString("en-US");
}
