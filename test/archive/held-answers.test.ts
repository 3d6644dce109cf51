import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AnswerFile } from "../../src/archive/answer-file.ts";
import { addDays } from "../../src/core/day.ts";
import { applyHeld } from "../../src/archive/apply-held.ts";
import { readHeld } from "../../src/ledger/held-answers.ts";
import { agreeToAnswers } from "../../src/person/held-answers.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { keepLoadsOut } from "../../src/load/rebuild-lock.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests, temporaryFolder } from "../support/folder.ts";
import {
  answerWith,
  current,
  empty,
  market,
  openHeld,
  openListed,
  outcomes,
  syncAfter,
} from "../support/held-stage.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { must } from "../support/must.ts";
import { exportFrom, filesOf, importInto } from "../support/raw-stage.ts";
import { rebuild } from "../support/replay-stage.ts";

/** A file with a list of apps. */
type ListFile = AnswerFile & { readonly body: { readonly data: readonly object[] } };

test("a held answer is not requested again by a retry of what was skipped, which names the command that applies it", async () => {
  await using stage = await openHeld();
  stage.sandbox.clearLog();
  for (const more of [["--dry-run"], []])
    expect(await runCommand(stage, ["retry", "--skipped", ...more])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing to retry.* 1 answer is held: .*`storehouse held --apply` applies it\./),
    });
  expect(stage.requested()).toEqual([]);
  expect(await current(stage)).toBe(4);
  expect(await stage.query("select state from ops.slice where error_code is not null")).toEqual([{ state: "skipped" }]);
});

test("held answers that are no longer stored, or are damaged, cannot be applied: their lists are requested again, and others are applied", async () => {
  await using stage = await openHeld();
  await stage.query(
    `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing)
     select 0, dataset, jsonb '{"store": "ios"}', date_day, held_at, 3, array['a', 'b'] from ops.held_answer
     union all
     select slice_id, dataset, '{"store": "android"}', window_start, now(), 3, array['a', 'b'] from ops.slice where state = 'loaded'`,
  );
  const [listed] = await stage.query<{ slice: string }>(
    `update raw.answer as a set body = '\\xdeadbeef' from ops.slice as s
     where  s.slice_id = a.slice_id and s.state = 'loaded' returning s.slice_id as slice`,
  );
  const damaged = `slice ${must(listed).slice} \\(page 0 .* is damaged: it cannot be unpacked\\)`;
  expect(await runCommand(stage, ["held", "--apply"])).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      new RegExp(`^held_not_applied: .*: slice 0 \\(.*\\), ${damaged}; .* applied: 1; .*requested again the next day`),
    ),
  });
  expect(await outcomes(stage)).toEqual([{ outcome: null }, { outcome: null }, { outcome: "agreed" }]);
  expect(await current(stage)).toBe(0);
});

test("a held answer is read on the connection that applies it", async () => {
  await using stage = await openHeld();
  await using app = await stage.open();
  const { db } = app.warehouse;
  const second = async () => {
    throw new Error("a second connection was taken");
  };
  const parts = {
    db: { ...db, run: second, connection: () => ({ execute: second }) },
    clock: app.clock,
    dimensions: createDimensions(db),
    partitions: createPartitions(db),
  };
  for (const held of await readHeld(db, "")) expect(await applyHeld(parts, held)).toBeNull();
  expect(await outcomes(stage)).toEqual([{ outcome: "agreed" }]);
});

test("an answer that is decided meanwhile is not applied again, and others are", async () => {
  await using stage = await openHeld();
  await using app = await stage.open();
  const [held] = await readHeld(app.warehouse.db, "");
  const twice = agreeToAnswers(app, [must(held), must(held)]);
  await expect(twice).rejects.toMatchObject({ code: "held_not_applied", context: { applied: 1 } });
  expect(await outcomes(stage)).toEqual([{ outcome: "agreed" }]);
  expect(await current(stage)).toBe(0);
});

test("a held answer is applied after the end of a replay of its list, also if that takes longer than a statement may", async () => {
  await using stage = await openHeld();
  await using other = await stage.open();
  const { applying } = await other.warehouse.db.transaction().execute(async (replaying) => {
    await keepLoadsOut(replaying, "tracked_app");
    const command = runCommand(stage, ["held", "--apply"], { settings: { database: { timeout_seconds: 3 } } });
    await setTimeout(4_500);
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
    return { applying: command };
  });
  expect(await applying).toMatchObject({ code: 0 });
  expect(await outcomes(stage)).toEqual([{ outcome: "agreed" }]);
  expect(await current(stage)).toBe(0);
});

describe("an imported list", () => {
  const folder = folderForTests();

  /** A file with the list of yesterday and these changes. */
  async function fileFrom(stage: Stage, change: (answer: AnswerFile) => object): Promise<string> {
    using exported = temporaryFolder();
    await exportFrom(stage, exported.path, { datasets: ["tracked_app"] });
    const [text] = Object.entries(await filesOf(exported.path)).flatMap(([name, file]) =>
      name === "manifest.json" ? [] : [file],
    );
    const file = path.join(folder, "list.json");
    const answer = JSON.parse(must(text)) as AnswerFile;
    await writeFile(file, JSON.stringify({ ...answer, ...change(answer) }));
    return file;
  }

  test("decides nothing about an answer that is held and came after it", async () => {
    await using stage = await openListed();
    const earlier = await fileFrom(stage, ({ fetched_at: at }) => ({
      fetched_at: new Date(Date.parse(must(at)) - 60_000).toISOString(),
    }));
    answerWith(stage, empty);
    await syncAfter(stage, 0);
    expect(await importInto(stage, [earlier])).toMatchObject({ loaded: 1, held: 0, refused: 0 });
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
    expect(await runCommand(stage, ["held", "--apply"])).toMatchObject({
      stdout: expect.stringContaining("1 answer"),
    });
    expect(await current(stage)).toBe(0);
  });

  test("that leaves out most of the portfolio is held, which the command says and ends with 1", async () => {
    await using stage = await openListed();
    const later = await fileFrom(stage, () => ({
      as_of: today,
      window: { from: today, to: today },
      fetched_at: undefined,
      body: empty,
    }));
    expect(await runCommand(stage, ["raw", "import", later])).toMatchObject({
      code: 1,
      stdout: "0 answers loaded with 0 rows, 0 already known, 1 held (`storehouse held` shows what they leave out).\n",
    });
    expect(await current(stage)).toBe(4);
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
    expect(await importInto(stage, [later])).toMatchObject({ known: 1, loaded: 0, held: 0 });
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
  });

  test("that is held and damaged is stored again from its file, and a replay reads it", async () => {
    await using stage = await openListed();
    const later = await fileFrom(stage, ({ fetched_at: at }) => ({
      as_of: today,
      window: { from: today, to: today },
      fetched_at: new Date(Date.parse(must(at)) + 1).toISOString(),
      body: empty,
    }));
    expect(await importInto(stage, [later])).toMatchObject({ held: 1 });
    await stage.query(
      `update raw.answer set body = '\\xdeadbeef' where slice_id in (select slice_id from ops.held_answer)`,
    );
    await expect(rebuild(stage, ["tracked_app"])).rejects.toMatchObject({ code: "answers_damaged" });
    expect(await importInto(stage, [later])).toMatchObject({ restored: 1, loaded: 0, held: 0 });
    expect(await rebuild(stage, ["tracked_app"])).toMatchObject([{ invalid: 0, kept: 0 }]);
    expect(await current(stage)).toBe(4);
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
  });

  test("that is held does not keep a later answer from confirming a newer one that is held", async () => {
    await using stage = await openListed();
    const earlier = await fileFrom(stage, ({ fetched_at: at, body }) => ({
      fetched_at: new Date(Date.parse(must(at)) + 1).toISOString(),
      body: { success: true, data: (body as ListFile["body"]).data.slice(0, 1) },
    }));
    answerWith(stage, empty);
    await syncAfter(stage, 0);
    expect(await importInto(stage, [earlier])).toMatchObject({ held: 1 });
    expect(await outcomes(stage)).toEqual([{ outcome: null }, { outcome: null }]);
    expect(await syncAfter(stage, 1)).toMatchObject({ outcome: "loaded" });
    expect(await current(stage)).toBe(0);
  });

  /** A folder with lists of days after the first one, by the number of days; each names so many apps of the first list. */
  async function listsOf(place: string, lists: Readonly<Record<number, number>>): Promise<void> {
    await using source = await openListed();
    const first = await fileFrom(source, () => ({}));
    const answer = JSON.parse(await readFile(first, "utf8")) as ListFile;
    for (const [days, apps] of Object.entries(lists)) {
      const day = addDays(answer.as_of, Number(days));
      const body = { ...answer.body, data: answer.body.data.slice(0, apps) };
      const list = {
        ...answer,
        as_of: day,
        window: { from: day, to: day },
        fetched_at: `${day}T06:00:00.000Z`,
        body,
      };
      await writeFile(path.join(place, `${days}.json`), JSON.stringify(list));
    }
  }

  test("that empties the portfolio is held, also if the list before it is in the same folder", async () => {
    using place = temporaryFolder();
    await listsOf(place.path, { [-3]: 4, [-2]: 0 });
    await using stage = await openStage({ market, today });
    expect(await runCommand(stage, ["raw", "import", place.path])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^1 answer loaded .*, 1 held /),
    });
    expect(await current(stage)).toBe(4);
    expect(await outcomes(stage)).toEqual([{ outcome: null }]);
  });

  test("counts as held, also if a list in the same folder is held in its place", async () => {
    using place = temporaryFolder();
    await listsOf(place.path, { [-3]: 4, [-2]: 1, [-1]: 0 });
    await using stage = await openStage({ market, today });
    expect(await importInto(stage, [place.path])).toMatchObject({ loaded: 1, held: 2 });
    expect(await current(stage)).toBe(4);
    expect(await outcomes(stage)).toEqual([{ outcome: "superseded" }, { outcome: null }]);
  });

  test.each(
    [
      { has: "changed nothing", later: 3 },
      { has: "changed something", later: 4 },
    ].filter(({ later }) => long || later === 4),
  )("of a day before a list that $has neither closes nor adds members, nor is it held", async ({ later }) => {
    using known = temporaryFolder();
    using empties = temporaryFolder();
    using older = temporaryFolder();
    await listsOf(known.path, { [-9]: 3, [-1]: later });
    await listsOf(empties.path, { [-3]: 0 });
    await listsOf(older.path, { [-5]: 2, [-4]: 4 });
    await using stage = await openStage({ market, today });
    await importInto(stage, [known.path]);
    const rows = () => stage.query("select t::text as row from core.tracked_app as t order by 1");
    const before = await rows();
    expect(await importInto(stage, [empties.path])).toMatchObject({ loaded: 0, held: 0, contradicted: 1 });
    expect(await rows()).toEqual(before);
    // so that a replay leaves it out as well
    expect(await outcomes(stage)).toEqual([{ outcome: "contradicted" }]);
    await rebuild(stage, ["tracked_app"]);
    expect(await rows()).toEqual(before);
    expect(await importInto(stage, [older.path])).toMatchObject({ loaded: 2, held: 0 });
    expect(await rows()).toEqual(before);
    await rebuild(stage, ["tracked_app"]);
    expect(await current(stage)).toBe(later);
  });
});
