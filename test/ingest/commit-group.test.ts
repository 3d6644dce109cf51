import { afterEach, beforeEach, expect, test } from "vitest";
import { openIngest, type Ingest } from "../../src/open-ingest.ts";
import { addDays } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { commitSlice, type Committed } from "../../src/ingest/commit-slice.ts";
import { prepareSlice, type SliceLoad } from "../../src/ingest/prepare-slice.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { isLostConnection } from "../../src/postgres/database-errors.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { claim } from "../support/queue-steps.ts";

let opened: AsyncDisposableStack;
let stage: Stage;
let ingest: Ingest;
/** Runs where a group is in the middle of its load. */
let inTheLoad: () => Promise<void>;

beforeEach(async () => {
  inTheLoad = () => Promise.resolve();
  opened = new AsyncDisposableStack();
  stage = opened.use(await openStage());
  ingest = await begin();
});
afterEach(() => opened[Symbol.asyncDispose]());

/** Opens the parts that run slices. */
async function begin(settings: RunOptions["settings"] = {}): Promise<Ingest> {
  const app = opened.use(await stage.open({ settings }));
  const at = (point: string) => (point === "in the load" ? inTheLoad() : undefined);
  return opened.use(await openIngest({ ...app, crashPoint: at }, "foreground", createRunLimit(null)));
}

/** Running slices, one a day back from today, each with an answer of one rank, ready to be committed. */
async function ready(...ranks: readonly number[]): Promise<readonly SliceLoad[]> {
  const { parts } = ingest;
  const now = parts.clock.now();
  const run = {
    kind: "sync",
    account: "",
    workerId: parts.workerId,
    asOf: today,
    datasets: [],
    maxCredits: null,
  } as const;
  const runId = await openRun(parts.db, run, now);
  const drafts = ranks.map((_, place) => sliceOf({ items: ["word"], window: oneDay(addDays(today, -place - 1)) }));
  const ids = await insertSlices(parts.db, runId, drafts, now);
  return Promise.all(
    ids.map(async (id, place) => {
      const slice = await claim(parts.db, id, parts, now);
      if (slice === null) throw new Error("the test expected to have the slice");
      const date = `${slice.window.start}T01:00:00`;
      const devices = ["IPHONE", "IPAD"].map((appKind) => ({
        trackId: 42,
        keyword: "word",
        countryCode: "US",
        date,
        appKind,
      }));
      const page = devices.map((entry) => ({ ...entry, rank: ranks[place] }));
      return prepareSlice(parts, {
        dataset: keywordRank,
        slice,
        fetched: { pages: [page], invalid: [], drift: [], fetchedAt: now },
      });
    }),
  );
}

/** Commits together and returns of each how it ended: its state, or the code of its error. */
async function commitAll(loads: readonly SliceLoad[]): Promise<readonly string[]> {
  const ends = await Promise.allSettled(loads.map((load) => commitSlice(ingest.parts, load)));
  return ends.map(nameOf);
}

function nameOf(end: PromiseSettledResult<Committed>): string {
  if (end.status === "fulfilled") return end.value.state;
  const error: unknown = end.reason;
  if (isLostConnection(error)) return "lost";
  return error instanceof Error && "code" in error ? String(error.code) : "?";
}

const ranks = async () =>
  (await stage.query<{ rank: number }>("select distinct rank from core.fact_keyword_rank order by rank")).map(
    ({ rank }) => rank,
  );
const states = async () =>
  (await stage.query<{ state: string }>("select state from ops.slice order by slice_id")).map(({ state }) => state);
const transactions = async () =>
  (await stage.query<{ id: string }>("select distinct xmin::text as id from core.fact_keyword_rank")).length;

test("slices that are ready at the same time are committed in one transaction", async () => {
  expect(await commitAll(await ready(1, 2, 3))).toEqual(["loaded", "loaded", "loaded"]);
  expect(await ranks()).toEqual([1, 2, 3]);
  expect(await states()).toEqual(["loaded", "loaded", "loaded"]);
  expect(await transactions()).toBe(1);
});

test("a slice that another worker took over leaves no row, and the others of its group are loaded", async () => {
  const loads = await ready(1, 2, 3);
  await stage.query("update ops.slice set attempt = attempt + 1 where slice_id = $1", [loads[1]?.slice.sliceId]);
  expect(await commitAll(loads)).toEqual(["loaded", "fenced", "loaded"]);
  expect(await ranks()).toEqual([1, 3]);
  expect(await states()).toEqual(["loaded", "running", "loaded"]);
});

test("a row that Postgres refuses fails its own slice alone", async () => {
  await stage.query("alter table core.fact_keyword_rank add constraint refused check (rank <> 66)");
  expect(await commitAll(await ready(1, 66, 3))).toEqual(["loaded", "23514", "loaded"]);
  expect(await ranks()).toEqual([1, 3]);
  expect(await states()).toEqual(["loaded", "running", "loaded"]);
});

test("a connection that breaks in the middle of a group leaves nothing of any, and the same rows can be committed again", async () => {
  const loads = await ready(1, 2, 3);
  inTheLoad = async () => {
    inTheLoad = () => Promise.resolve();
    await stage.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
  };
  expect(await commitAll(loads)).toEqual(["lost", "lost", "lost"]);
  expect(await ranks()).toEqual([]);
  expect(await states()).toEqual(["running", "running", "running"]);
  expect(await commitAll(loads)).toEqual(["loaded", "loaded", "loaded"]);
  expect(await ranks()).toEqual([1, 2, 3]);
});

test("nobody sees rows of a group before all of it is committed", async () => {
  const seen: unknown[] = [];
  inTheLoad = async () => void seen.push(await states(), await ranks());
  await commitAll(await ready(1, 2));
  expect(seen).toEqual([["running", "running"], [], ["running", "running"], []]);
});

/** The same answers as if each were about a country of its own. */
function apart(loads: readonly SliceLoad[]): readonly SliceLoad[] {
  const countries = ["US", "DE", "FR", "GB", "IT", "JP"];
  return loads.map((load, place) => {
    const scope = { ...load.slice.scope, country: countries[place] ?? "" };
    return { ...load, slice: { ...load.slice, scope } };
  });
}

test("answers about different scopes are committed in one transaction at the pace of the service", async () => {
  ingest = await begin({ api: { requests_per_second: 3 } });
  const loads = apart(await ready(1, 2, 3, 4, 5, 6));
  expect(await commitAll(loads)).toEqual(loads.map(() => "loaded"));
  expect(await transactions()).toBe(1);
});

test("answers about different scopes are written side by side above that pace", async () => {
  const loads = apart(await ready(1, 2, 3, 4, 5, 6));
  const gate = Promise.withResolvers<void>();
  const both = Promise.withResolvers<void>();
  let inside = 0;
  inTheLoad = async () => {
    inside += 1;
    if (inside === 2) both.resolve();
    await gate.promise;
  };
  const commits = loads.map((load) => commitSlice(ingest.parts, load));
  // the first of each lane is held: were there one lane, the second would never come
  await both.promise;
  gate.resolve();
  expect((await Promise.all(commits)).map(({ state }) => state)).toEqual(loads.map(() => "loaded"));
});
