import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { AnswerFile } from "../../src/archive/answer-file.ts";
import { keepLoadsOut } from "../../src/load/rebuild-lock.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests, temporaryFolder } from "../support/folder.ts";
import { answerWith, current, openListed, outcomes, syncAfter } from "../support/held-stage.ts";
import { today, type Stage } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";
import { exportFrom, filesOf, importInto } from "../support/raw-stage.ts";

const empty = { success: true, data: [] };

test("a held answer is not requested again by a retry of what was skipped, which names the command that applies it", async () => {
  await using stage = await openListed();
  answerWith(stage, empty);
  await syncAfter(stage, 0);
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

test("a held answer that is no longer stored cannot be applied: its list is requested again, and others are applied", async () => {
  await using stage = await openListed();
  answerWith(stage, empty);
  await syncAfter(stage, 0);
  await stage.query(
    `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing)
     select 0, dataset, '{"store": "ios"}', date_day, held_at, 3, '{a,b}' from ops.held_answer`,
  );
  expect(await runCommand(stage, ["held", "--apply"])).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^held_not_stored: .*: slice 0; .* applied: 1; .*requested again the next day/),
  });
  expect(await outcomes(stage)).toEqual([{ outcome: null }, { outcome: "agreed" }]);
  expect(await current(stage)).toBe(0);
});

test("a held answer is applied after the end of a replay of its list, also if that takes longer than a statement may", async () => {
  await using stage = await openListed();
  answerWith(stage, empty);
  await syncAfter(stage, 0);
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
  });
});
