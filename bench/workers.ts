import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { projectRoot } from "../src/config/config.ts";
import { bounded } from "./child.ts";
import type { SeenRequest } from "./answer-server.ts";
import type { Bench, Size } from "./bench.ts";
import { settingsOf } from "./config.ts";
import { forgetAll } from "./postgres.ts";
import { expect } from "./rounds.ts";
import { answersOf, benchToken } from "./work.ts";

/** What a number of workers reached together, as the service saw it. */
export type Shared = {
  readonly workers: number;
  /** Allowed requests per second. */
  readonly pace: number;
  /** Requests per second, from the moment when all workers were busy until the last request. */
  readonly reached: number;
  /** Repeated requests for the same thing. */
  readonly twice: number;
  /** Least balance that the service ever reported, and the floor that backfills leave untouched. */
  readonly least: number;
  readonly floor: number;
};

const latencyMs = 200;
/** Requests that one worker has under way: with the latency, 20 a second. */
const concurrency = 4;
const cost = 3;
/** The default share of credits that backfills leave untouched. */
const floorShare = 0.2;
const checkMs = 20;

/** One pace that no number of workers reaches, and one that two workers already reach. */
const paces = [1000, 30] as const;

/** Measures 1, 2 and 4 `storehouse worker` processes on one allowance. */
export async function measureWorkers(bench: Bench, size: Size): Promise<readonly Shared[]> {
  const found: Shared[] = [];
  for (const pace of paces) for (const workers of [1, 2, 4]) found.push(await share(bench, size, { workers, pace }));
  return found;
}

async function share(
  bench: Bench,
  { shared }: Size,
  { workers, pace }: { workers: number; pace: number },
): Promise<Shared> {
  bench.say(`${workers} workers, ${answersOf(shared)} requests at ${latencyMs} ms and ${pace} a second`);
  const requests = answersOf(shared);
  const gate = workers * concurrency;
  // enough for the requests, the floor, and the credits that are held while calls are under way
  const total = Math.ceil((cost * (requests + 2 * gate)) / (1 - floorShare));
  await forgetAll(bench.postgres.client);
  await bench.service.behave({ latencyMs, total, gate });
  const settings = path.join(bench.postgres.folder, "storehouse.yaml");
  // JSON is YAML
  await writeFile(settings, JSON.stringify(settingsOf(shared, { pace, concurrency })));
  {
    await using running = new AsyncDisposableStack();
    const workersOf = Array.from({ length: workers }, () => running.use(startWorker(bench, settings)));
    const failed = Promise.race(workersOf.map(({ failure }) => failure));
    await untilLoaded(bench, requests, failed);
  }
  const { seen, openedAt } = await bench.service.witness();
  const different = new Set(seen.map(({ what }) => what)).size;
  expect(different, requests, "different requests");
  const twice = seen.length - different;
  return { workers, pace, reached: rateOf(seen, openedAt), twice, least: leastOf(seen), floor: total * floorShare };
}

/** A `storehouse worker`; `failure` resolves with its last output if it ends before it is stopped. */
type Worker = AsyncDisposable & { readonly failure: Promise<string> };

function startWorker(bench: Bench, settings: string): Worker {
  bench.stop.throwIfAborted();
  const child = spawn(
    process.execPath,
    [...bounded, path.join(projectRoot, "bin", "storehouse.js"), "worker", "--yes"],
    {
      cwd: bench.postgres.folder,
      env: {
        API_BASE_URL: bench.service.url,
        API_TOKEN: benchToken,
        DATABASE_URL: bench.postgres.url,
        STOREHOUSE_CONFIG: settings,
        LOG_LEVEL: "error",
      },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let words = "";
  child.stderr.on("data", (part) => (words += String(part)));
  const failure = once(child, "exit").then(() => words);
  return {
    failure,
    [Symbol.asyncDispose]: async () => {
      child.kill(bench.stop.aborted ? "SIGKILL" : "SIGTERM");
      await failure;
    },
  };
}

async function untilLoaded({ postgres, stop }: Bench, requests: number, failed: Promise<string>): Promise<void> {
  for (;;) {
    const { rows } = await postgres.client.query<{ count: number }>(
      "select count(*)::int as count from ops.slice where state = 'loaded'",
    );
    if ((rows[0]?.count ?? 0) >= requests) return;
    const words = await Promise.race([wait(checkMs, null), failed]);
    stop.throwIfAborted();
    if (words !== null) throw new Error(`a worker ended too early: ${words}`);
  }
}

/** Requests per second after the gate released the requests that it held. */
function rateOf(seen: readonly SeenRequest[], openedAt: number): number {
  const after = seen.filter(({ at }) => at > openedAt);
  return (after.length * 1000) / ((after.at(-1)?.at ?? openedAt) - openedAt);
}

function leastOf(seen: readonly SeenRequest[]): number {
  return Math.min(...seen.map(({ remaining }) => remaining));
}
