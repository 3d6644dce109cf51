import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { bodyUnlessDamaged, landedPages, landedStart } from "../../src/raw/read-answers.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests, temporaryFolder } from "../support/folder.ts";
import { forTests } from "../support/for-tests.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";
import { exportFrom, importInto } from "../support/raw-stage.ts";
import { rebuild } from "../support/replay-stage.ts";
import { long } from "../support/long.ts";
import { openSynced } from "../support/synced-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 4 };
const settings = { datasets: { app_rating: { on: true } } };
const tomorrow = addDays(today, 1);

const openLoaded = () => openSynced({ market, today: tomorrow }, { settings });

/** Damages the stored answers of a dataset, whose slices failed for another reason. */
async function damage(stage: Stage, dataset: string): Promise<void> {
  const slices = "select slice_id from ops.slice where dataset = $1";
  await stage.query(`update raw.answer set body = '\\xdeadbeef' where slice_id in (${slices})`, [dataset]);
  await stage.query("update ops.slice set state = 'failed', error_code = 'server_error' where dataset = $1", [dataset]);
}

test.each([
  { dataset: "keyword_rank", on: today },
  { dataset: "app_rating", on: tomorrow },
  ...(long
    ? [
        { dataset: "keyword_rank", on: tomorrow },
        { dataset: "app_rating", on: today },
      ]
    : []),
])("a damaged answer is requested again by the next attempt ($dataset on $on)", async ({ dataset, on }) => {
  await using stage = await openLoaded();
  const [{ answers } = { answers: 0 }] = await stage.query<{ answers: number }>(
    "select count(*)::int as answers from ops.slice where dataset = $1",
    [dataset],
  );
  await damage(stage, dataset);
  const calls = stage.requested().length;
  const done = await stage.retry({ settings, request: { datasets: [dataset], today: on } });
  expect(done).toMatchObject({ outcome: "loaded", error: null, progress: { total: answers } });
  expect(stage.requested().length - calls).toBe(answers);
});

test("a slice that the database does not let move to its new day fails, and the others run", async () => {
  await using stage = await openLoaded();
  await damage(stage, "keyword_rank");
  await stage.query(`
    create function public.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'unreadable block' using errcode = 'XX001'; end $$;
    create trigger refuse before update of as_of on ops.slice for each row
    when (new.as_of <> old.as_of and old.dataset = 'keyword_rank') execute function public.refuse()`);
  const done = await stage.retry({ settings, request: { datasets: ["keyword_rank"], today: tomorrow } });
  expect(done).toMatchObject({ outcome: "failed", error: null, progress: { open: 0, failed: 4 } });
});

test("a replay names all damaged answers of a dataset at once, also of days that it had not come to", async () => {
  await using stage = await openLoaded();
  const slices = await stage.query<{ id: string; day: string }>(
    "select slice_id as id, window_start::text as day from ops.slice where dataset = 'keyword_rank'",
  );
  expect(new Set(slices.map(({ day }) => day)).size).toBeGreaterThan(1);
  await stage.query("update raw.answer set body = '\\xdeadbeef' where slice_id = any ($1)", [
    slices.map(({ id }) => id),
  ]);
  const days = slices.map(({ day }) => day).toSorted();
  await expect(rebuild(stage, ["keyword_rank"])).rejects.toMatchObject({
    code: "answers_damaged",
    context: { dataset: "keyword_rank", answers: slices.length, from: days[0], slices: expect.stringContaining(", ") },
  });
});

describe("a damaged answer of a loaded slice", () => {
  const stage = forTests(openLoaded);
  const exported = folderForTests();
  const datasets = ["app_rating"];
  let slice: string;

  beforeAll(async () => {
    const [rating] = await stage.query<{ slice_id: string }>(
      "select slice_id from ops.slice where dataset = 'app_rating'",
    );
    slice = rating?.slice_id ?? "";
    await exportFrom(stage, exported, { datasets });
    await stage.query("update raw.answer set body = '\\xdeadbeef' where slice_id = $1", [slice]);
  });

  const damaged = () => expect.objectContaining({ code: "answer_damaged", context: { slice, page: 0 } });

  test("stops a replay, which leaves the rows", async () => {
    const rows = () => stage.query("select * from core.fact_app_rating");
    const before = await rows();
    const named = { dataset: "app_rating", answers: 1, from: today, to: today, slices: `${slice} (${today})` };
    await expect(rebuild(stage, datasets)).rejects.toMatchObject({ code: "answers_damaged", context: named });
    expect(before).not.toEqual([]);
    expect(await rows()).toEqual(before);
  });

  test("is named when a person reads it, whole or its start", async () => {
    await using app = await stage.open();
    const { db } = app.warehouse;
    await expect(landedPages(db, slice)).rejects.toEqual(damaged());
    for (const most of [1, 1_000_000])
      await expect(landedStart(db, { sliceId: slice, page: 0, most })).rejects.toEqual(damaged());
  });

  test("is found whichever bit of it has changed", async () => {
    const [rank] = await stage.query<{ body: Buffer }>(
      "select a.body from raw.answer as a join ops.slice using (slice_id) where dataset = 'keyword_rank' limit 1",
    );
    const { body } = must(rank);
    const unpacked: (Buffer | null)[] = [];
    // one of almost every byte, each time the next one; in the long run all
    for (let bit = 0; bit < body.length * 8; bit += long ? 1 : 9) {
      const changed = Buffer.from(body);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      unpacked.push(await bodyUnlessDamaged(changed));
    }
    const whole = must(await bodyUnlessDamaged(body));
    expect(unpacked.filter((other) => other !== null && !other.equals(whole))).toEqual([]);
  });

  test("is not exported, which the command says of each and ends with 1", async () => {
    using folder = temporaryFolder();
    const command = ["raw", "export", "--dataset", "app_rating", "--out", folder.path];
    const problem = `page 0 of the stored answer of slice ${slice} is damaged: it cannot be unpacked`;
    const named = `slice ${slice} of app_rating is not exported: ${problem}\n`;
    const stdout = "0 answers written, 0 already there, 1 not exported.\n";
    expect(await runCommand(stage, command)).toEqual({ code: 1, stdout, stderr: named });
    const asJson = await runCommand(stage, [...command, "--json"]);
    expect(asJson).toMatchObject({ code: 1, stderr: named });
    const leftOut = [{ slice, dataset: "app_rating", problem }];
    expect(JSON.parse(asJson.stdout)).toEqual({ written: 0, there: 0, leftOut });
  });

  test("is stored again by an import, and a replay reads it", async () => {
    expect(await importInto(stage, [exported])).toMatchObject({ restored: 1, messages: [] });
    expect(await rebuild(stage, datasets)).toMatchObject([{ slices: 1, invalid: 0, kept: 0 }]);
  });
});

describe("an answer of several pages, one of which was deleted", () => {
  const datasets = ["ad_creative"];
  const stage = forTests(() => openStage({ market: { apps: 2 } }));
  const exported = folderForTests();
  let slice: string;
  let pages: number;

  beforeAll(async () => {
    // the app of the market with two pages of advertisements
    const only = { apps: ["6446318020"] };
    await stage.sync({ settings: { datasets: { ad_creative: { most_pages: 9 } } }, request: { datasets, only } });
    const [longest] = await stage.query<{ slice_id: string; pages: number }>(
      `select slice_id, count(*)::int as pages from raw.answer join ops.slice using (slice_id)
       where  dataset = 'ad_creative' and state = 'loaded' group by slice_id order by 2 desc limit 1`,
    );
    ({ slice_id: slice, pages } = must(longest));
    await exportFrom(stage, exported, { datasets });
  });

  const rows = () => stage.query("select * from core.ad_creative order by 1, 2, 3");

  test.each(["first", "last"])("stops a replay, which leaves the rows (the %s)", async (which) => {
    expect(pages).toBeGreaterThan(1);
    const page = which === "first" ? 0 : pages - 1;
    const before = await rows();
    await stage.query("delete from raw.answer where slice_id = $1 and page = $2", [slice, page]);
    for (const keepPruned of [false, true])
      await expect(rebuild(stage, datasets, { keepPruned })).rejects.toMatchObject({
        code: "page_missing",
        context: { slice, page },
      });
    expect(before).not.toEqual([]);
    expect(await rows()).toEqual(before);
    expect(await stage.query("select state from ops.slice where slice_id = $1", [slice])).toEqual([
      { state: "loaded" },
    ]);
    // the file of the answer stores it again
    expect(await importInto(stage, [exported])).toMatchObject({ restored: 1, loaded: 0 });
    expect(await rebuild(stage, datasets)).toMatchObject([{ invalid: 0, kept: 0 }]);
    expect(await rows()).toEqual(before);
  });

  test("counts as pruned once all of its pages are deleted: a replay keeps its rows", async () => {
    const before = await rows();
    await stage.query("delete from raw.answer where slice_id = $1", [slice]);
    expect(await rebuild(stage, datasets, { keepPruned: true })).toMatchObject([{ invalid: 0, kept: 1 }]);
    expect(await rows()).toEqual(before);
  });
});
