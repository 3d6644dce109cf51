import type { Portfolio } from "../src/core/portfolio.ts";
import { addDays, day } from "../src/core/day.ts";
import { scopeKey, type Covered, type Scope } from "../src/core/slice.ts";
import { oneDay } from "../src/core/window.ts";
import { keywordRank } from "../src/datasets/keyword-rank.ts";
import { planInChunks } from "../src/planner/plan-chunks.ts";
import { now } from "./stopwatch.ts";

/** What planning an account of a size took, with a share of its cells missing. */
export type PlannerFigures = {
  /** Share of the cells that was never requested. */
  readonly missing: number;
  readonly partitions: number;
  readonly seconds: number;
  /** Processor time of this process: what `seconds` would be on an otherwise idle machine. */
  readonly cpuSeconds: number;
  /** The largest resident set of the process during the planning, in MiB. */
  readonly peakMiB: number;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
  readonly naiveCredits: number;
};

/** How large an account is planned. */
export type PlannerScale = {
  readonly apps: number;
  readonly countries: number;
  readonly keywords: number;
  readonly days: number;
};

const full: PlannerScale = { apps: 200, countries: 20, keywords: 500, days: 365 };
const today = day("2026-08-20");

/** Plans the keyword ranks of a large account for each share of cells missing at random. */
export async function benchPlanner(
  scale = full,
  shares: readonly number[] = [0.01, 0.1, 1],
): Promise<readonly PlannerFigures[]> {
  const figures: PlannerFigures[] = [];
  for (const missing of shares) figures.push(await planOnce(scale, missing));
  return figures;
}

async function planOnce(scale: PlannerScale, missing: number): Promise<PlannerFigures> {
  const portfolio = portfolioOf(scale);
  const sum = { slices: 0, requests: 0, credits: 0, naiveCredits: 0 };
  let peak = 0;
  const clock = startClock();
  const planning = {
    dataset: keywordRank,
    request: { datasets: [], bounds: { start: addDays(today, -scale.days) }, today },
    portfolio,
    learned: new Map<string, number>(),
    settings: {},
  };
  const coverage = coverageOf(scale, missing);
  for await (const { plan } of planInChunks(coverage, planning)) {
    sum.slices += plan.slices.length;
    sum.naiveCredits += plan.naiveCredits;
    for (const { requests, credits } of plan.slices) {
      sum.requests += requests;
      sum.credits += credits;
    }
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  const [all, made] = [clock(), coverage.spent()];
  return {
    missing,
    partitions: scale.apps * scale.countries,
    seconds: all.seconds - made.seconds,
    cpuSeconds: all.cpuSeconds - made.cpuSeconds,
    peakMiB: peak / 2 ** 20,
    ...sum,
  };
}

type Spent = Pick<PlannerFigures, "seconds" | "cpuSeconds">;

function startClock(): () => Spent {
  const [from, cpu] = [now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (now() - from) / 1_000, cpuSeconds: (user + system) / 1_000_000 };
  };
}

function portfolioOf({ apps, countries, keywords }: PlannerScale): Portfolio {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const words = Array.from({ length: keywords }, (_, index) => `keyword number ${String(index).padStart(4, "0")}`);
  return {
    apps: Array.from({ length: apps }, (_app, app) => ({
      store: "ios",
      trackId: String(1_000_000 + app),
      tracked: true,
      countries: Array.from({ length: countries }, (_country, country) => ({
        country: `A${letters[country % 26]}`,
        keywords: words,
        tracked: words,
        keywordCount: keywords,
      })),
    })),
  };
}

/** A year of nightly calls for a hundred keywords each, with cells left out at random: every call has its own list. */
function coverageOf({ keywords, days }: PlannerScale, missing: number) {
  let seed = 7;
  const chance = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const words = Array.from({ length: keywords }, (_, index) => `keyword number ${String(index).padStart(4, "0")}`);
  const windows = Array.from({ length: days }, (_, index) => oneDay(addDays(today, -1 - index)));
  const slice = (scope: Scope, window: Covered["window"], items: readonly string[]): Covered => ({
    scope,
    operation: "ios.keyword-ranking",
    items,
    window,
    state: "loaded",
    asOf: window.end,
    fingerprint: "",
    refused: false,
  });
  const history = (scope: Scope): readonly Covered[] =>
    missing === 1
      ? []
      : windows.flatMap((window) =>
          Array.from({ length: Math.ceil(keywords / 100) }, (_, batch) =>
            slice(
              scope,
              window,
              words.slice(batch * 100, batch * 100 + 100).filter(() => chance() >= missing),
            ),
          ),
        );
  // generating the coverage is not part of planning
  let spent: Spent = { seconds: 0, cpuSeconds: 0 };
  return {
    spent: () => spent,
    read: async (scopes: readonly Scope[]) => {
      const clock = startClock();
      const found = new Map(scopes.map((scope) => [scopeKey(scope), history(scope)]));
      const { seconds, cpuSeconds } = clock();
      spent = { seconds: spent.seconds + seconds, cpuSeconds: spent.cpuSeconds + cpuSeconds };
      return found;
    },
  };
}

function print(figures: readonly PlannerFigures[]): void {
  const line = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(14)).join("");
  const count = (value: number) => Math.round(value).toLocaleString("en-US");
  const rows = figures.map((one) =>
    line([
      `${one.missing * 100} %`,
      one.seconds.toFixed(1),
      one.cpuSeconds.toFixed(1),
      count(one.peakMiB),
      count(one.slices),
      count(one.requests),
      count(one.credits),
      count(one.naiveCredits),
    ]),
  );
  const head = line([
    "cells missing",
    "seconds",
    "of which CPU",
    "peak MiB",
    "slices",
    "requests",
    "credits",
    "one by one",
  ]);
  process.stdout.write(`${[head, ...rows].join("\n")}\n`);
}

if (import.meta.main) print(await benchPlanner());
