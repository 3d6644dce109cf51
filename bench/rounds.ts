import type { Bench, Size } from "./bench.ts";
import { startChild } from "./child.ts";
import { configOf, noPace, wide } from "./config.ts";
import { copyIn, copyOut } from "./copy.ts";
import { postgresCpu, type Cpu } from "./cpu.ts";
import type { LoadTime } from "./load-answers.ts";
import type { Order } from "./measured-process.ts";
import { emptyRanks, forgetAll, settle, witnessed, type Written } from "./postgres.ts";
import { countedSteps, countSteps, type StepCost } from "./steps.ts";
import { timed } from "./stopwatch.ts";
import type { SyncTime } from "./sync-measured.ts";
import { answersOf, ranksOf } from "./work.ts";

/** The three times that the same answers are loaded. */
export const passes = ["new", "unchanged", "tenth"] as const;
export type Pass = (typeof passes)[number];

/** One measured pass. */
export type Timed<T> = T & { readonly written: Written; readonly cpu: Cpu };

/** One round: `COPY` before each of our measurements, so that both see the same machine. Times in ms. */
export type Round = {
  readonly copies: readonly number[];
  readonly whole: Readonly<Record<Pass, Timed<SyncTime>>>;
  readonly alone: Readonly<Record<Pass, Timed<LoadTime>>>;
};

const columns = "app_key, date_day, country_key, keyword_key, device_key, rank, observed_at, slice_id, fetched_at";

/** Measures `COPY`, the whole path and the load alone, in turn. `text`: the rows for COPY. */
export async function measureRounds(bench: Bench, size: Size, text: readonly Buffer[]): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  for (let round = 1; round <= size.rounds; round += 1) {
    bench.say(`round ${round} of ${size.rounds}: COPY, whole path, COPY, load alone`);
    rounds.push(await oneRound(bench, size, text));
  }
  return rounds;
}

/** Fetches everything once: afterwards there are months, keys and the rows for COPY, which it returns. */
export async function warmUp(bench: Bench, size: Size): Promise<readonly Buffer[]> {
  bench.say("warming up");
  await bench.service.behave();
  await order(bench, { kind: "sync", ...atFullTilt(bench, size), again: false });
  return copyOut(
    bench.postgres.client,
    `copy (select ${columns} from core.fact_keyword_rank order by slice_id) to stdout`,
  );
}

/** One round. `text`: the rows for COPY. */
export async function oneRound(bench: Bench, size: Size, text: readonly Buffer[]): Promise<Round> {
  const first = await copyOnce(bench, size, text);
  await forgetAll(bench.postgres.client);
  const whole = await passesOf((pass) => fetchAll(bench, size, pass));
  const second = await copyOnce(bench, size, text);
  await emptyRanks(bench.postgres.client);
  const alone = await passesOf((pass) => load(bench, size, pass));
  return { copies: [first, second], whole, alone };
}

/** What the steps of the whole path cost the database, by pass. */
export type CountedPasses = Readonly<Record<"new" | "unchanged", readonly StepCost[]>>;

/** Runs the whole path once more to count its statements, the first time and unchanged; to be called after the rounds. */
export async function measureSteps(bench: Bench, size: Size): Promise<CountedPasses> {
  const { client } = bench.postgres;
  bench.say("the whole path, step by step");
  await forgetAll(client);
  const counted = async (pass: "new" | "unchanged") => {
    await countSteps(client);
    await fetchAll(bench, size, pass);
    return countedSteps(client);
  };
  return { new: await counted("new"), unchanged: await counted("unchanged") };
}

/** `COPY` of the rows into the emptied table, in ms. */
export async function copyOnce({ postgres: { client } }: Bench, size: Size, text: readonly Buffer[]): Promise<number> {
  await emptyRanks(client);
  await settle(client);
  const { ms } = await timed(() => copyIn(client, `copy core.fact_keyword_rank (${columns}) from stdin`, text));
  const { rows } = await client.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  expect(rows[0]?.count, ranksOf(size.work), "rows copied");
  return ms;
}

async function passesOf<T>(work: (pass: Pass) => Promise<T>): Promise<Record<Pass, T>> {
  return { new: await work("new"), unchanged: await work("unchanged"), tenth: await work("tenth") };
}

/** The whole path: fetches everything; again, if the pass is not the first. */
export async function fetchAll(bench: Bench, size: Size, pass: Pass): Promise<Timed<SyncTime>> {
  const { client } = bench.postgres;
  await bench.service.behave({ changed: pass === "tenth" });
  if (pass === "new") await settle(client);
  const { result, written, cpu } = await accounted(bench, () =>
    order<SyncTime>(bench, { kind: "sync", ...atFullTilt(bench, size), again: pass !== "new" }),
  );
  expect(result.outcome, "loaded", "the outcome of the whole path");
  expect(result.slices, answersOf(size.work), "slices of the whole path");
  return { ...result, written, cpu };
}

/** Runs a pass and returns what it wrote and its processor time by process. */
async function accounted<T extends { readonly cpuMs?: number }>({ postgres, service }: Bench, work: () => Promise<T>) {
  const { client } = postgres;
  const [postgresBefore, serverBefore] = [await postgresCpu(client), await service.cpu()];
  const { result, written } = await witnessed(client, work);
  const cpu = {
    node: result.cpuMs ?? Number.NaN,
    postgres: (await postgresCpu(client)) - postgresBefore,
    server: (await service.cpu()) - serverBefore,
  };
  return { result, written, cpu };
}

async function load(bench: Bench, size: Size, pass: Pass): Promise<Timed<LoadTime>> {
  const { client } = bench.postgres;
  if (pass === "new") await settle(client);
  const { config } = atFullTilt(bench, size);
  const { result, written, cpu } = await accounted(bench, () =>
    order<LoadTime>(bench, { kind: "load", config, changed: pass === "tenth" }),
  );
  expect(result.slices, answersOf(size.work), "slices loaded");
  return { ...result, written, cpu };
}

/** The work, with nothing that slows it down. */
export function atFullTilt({ postgres, service }: Bench, { work }: Size) {
  return {
    config: configOf({ api: service.url, database: postgres.url }, work, { pace: noPace, concurrency: wide }),
    work,
  };
}

/** Runs one measurement in a separate process. */
export async function order<T>(bench: Bench, message: Order): Promise<T> {
  await using child = startChild("measured-process.ts", bench.stop, bench.folder);
  return await child.ask<T>(message);
}

/** Throws on unexpected work: a figure measured on other work than it says is worse than none. */
export function expect(found: unknown, wanted: unknown, what: string): void {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} instead of ${String(wanted)}`);
}
