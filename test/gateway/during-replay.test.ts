import { afterEach, beforeEach, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { keepLoadsOut } from "../../src/load/rebuild-lock.ts";
import { callers, openDoor, rankingPath, type Door } from "../support/gateway-stage.ts";
import { until } from "../support/ingest-stage.ts";
import { openSyncedNights, type Nights } from "../support/nights.ts";

const settings = { gateway: { callers }, datasets: { keyword_metadata: { on: true } } };
const lists = ["tracked_app", "tracked_country", "tracked_keyword"];

let opened: AsyncDisposableStack;
let nights: Nights;
/** An app that the account tracks, and its keywords. */
let app: string;
let words: readonly string[];

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
  nights = opened.use(await openSyncedNights({ market }, { request: { datasets: lists } }));
  const tracked = await nights.stage.query<{ app: string; word: string }>(
    `select track_id as app, keyword as word from core.tracked_keyword join core.dim_app using (app_key) join core.dim_keyword using (keyword_key)
     where  store = 'ios'`,
  );
  app = tracked[0]?.app ?? "";
  words = tracked.map(({ word }) => word);
});
afterEach(() => opened[Symbol.asyncDispose]());

/** A gateway, and a caller that asks it about a keyword. */
async function open(): Promise<{ readonly door: Door; readonly ask: (path: string) => Promise<string | null> }> {
  const door = await openDoor(nights.stage, nights.run({ settings }));
  const key = await door.key("notebook");
  return { door, ask: async (path) => (await door.call(path, key)).from };
}

const metadata = (word = "") => `/iosstore-keyword-ranking/US/keyword-metadata?keyword=${encodeURIComponent(word)}`;

/** Does work while a replay rebuilds the dataset of metadata. */
async function duringReplay(work: () => Promise<void>): Promise<void> {
  await using other = await nights.stage.open();
  await other.warehouse.db.transaction().execute(async (replaying) => {
    await keepLoadsOut(replaying, "keyword_metadata");
    await work();
  });
}

/** The days about which slices of a dataset are loaded. */
const loaded = async (dataset: string) =>
  (
    await nights.stage.query<{ day: string }>(
      "select window_start::text as day from ops.slice where dataset = $1 and state = 'loaded' order by slice_id",
      [dataset],
    )
  ).map(({ day }) => day);

test("answers of a dataset that is rebuilt are passed on and wait, and those of other datasets are loaded", async () => {
  const { door, ask } = await open();
  await using _ = door;
  await duringReplay(async () => {
    for (const word of words) expect(await ask(metadata(word))).toBe("miss");
    const date = addDays(nights.today(), -1);
    expect(await ask(rankingPath(app, { date, keywords: words, country: "US" }))).toBe("miss");
    await until(async () => (await loaded("keyword_rank")).length > 0);
    expect(await loaded("keyword_metadata")).toEqual([]);
  });
  await until(async () => (await loaded("keyword_metadata")).length === words.length);
});

test("an answer that waited over midnight is loaded for the day of its call", async () => {
  const { door, ask } = await open();
  await using _ = door;
  const day = nights.today();
  await duringReplay(async () => {
    expect(await ask(metadata(words[0]))).toBe("miss");
    nights.next();
  });
  await until(async () => (await loaded("keyword_metadata")).length > 0);
  expect(await loaded("keyword_metadata")).toEqual([day]);
});

test("a gateway stops during a replay, and the next one loads what waited", async () => {
  const { door, ask } = await open();
  await duringReplay(async () => {
    expect(await ask(metadata(words[0]))).toBe("miss");
    await door[Symbol.asyncDispose]();
  });
  expect(await loaded("keyword_metadata")).toEqual([]);
  const next = await open();
  await using _ = next.door;
  await until(async () => (await loaded("keyword_metadata")).length > 0);
});
