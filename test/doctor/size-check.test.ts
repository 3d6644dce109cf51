import { beforeAll, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { checkSize } from "../../src/doctor/size-check.ts";
import { openExportStage } from "../support/export-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openExportStage);
beforeAll(async () => {
  await stage.ranks("2026-04-01", 2_000);
  await stage.ranks("2026-05-01", 1);
  await stage.ranks("2026-05-02", 500, "day");
});

const set = (partitions: "month" | "day") => Settings.parse({ datasets: { keyword_rank: { partitions } } });

test("days are advised where one of the two newest months of a fact is large, and no more once they are set", async () => {
  const large = 64 * 1024;
  const found = await checkSize(stage.db, Settings.parse({}), large);
  expect(found).toMatchObject({
    state: "warn",
    found: expect.stringMatching(/a month of core\.fact_keyword_rank takes/),
    next: "set datasets.keyword_rank.partitions: day, so that new months get daily partitions",
  });
  expect(await checkSize(stage.db, set("month"), large)).toMatchObject({ state: "warn" });
  expect(await checkSize(stage.db, set("day"), large)).toMatchObject({ state: "ok", next: null });
  // by default a month may be far larger, and without settings only the size is reported
  expect(await checkSize(stage.db, Settings.parse({}))).toMatchObject({ state: "ok" });
  expect(await checkSize(stage.db, undefined, large)).toMatchObject({ state: "ok" });
});

test("what is large in older months alone is none of tonight's business", async () => {
  await stage.ranks("2026-06-01", 1);
  expect(await checkSize(stage.db, Settings.parse({}), 150 * 1024)).toMatchObject({ state: "ok" });
});
