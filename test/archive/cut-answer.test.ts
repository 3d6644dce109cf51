import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { AnswerFile } from "../../src/archive/answer-file.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openStage } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";
import { exportFrom, filesOf, importInto } from "../support/raw-stage.ts";
import { rebuild } from "../support/replay-stage.ts";

const datasets = ["ad_creative"];

test("the only page of an answer that was paid for can be replayed, and exported again as it was imported", async () => {
  await using source = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  await source.sync({
    settings: { datasets: { ad_creative: { most_pages: 9 } } },
    request: { datasets, only: { apps: ["6446318020"] } },
  });
  using folder = temporaryFolder();
  await exportFrom(source, folder.path, { datasets });
  const [name] = (await readdir(folder.path, { recursive: true })).filter(
    (one) => one.endsWith(".json") && one !== "manifest.json",
  );
  const { pages, ...file } = AnswerFile.parse(JSON.parse(await readFile(path.join(folder.path, must(name)), "utf8")));
  expect(pages).toHaveLength(2);
  using single = temporaryFolder();
  await writeFile(path.join(single.path, "one.json"), JSON.stringify({ ...file, ...must(pages)[0], is_cut: true }));

  await using target = await openStage();
  expect(await importInto(target, [single.path])).toMatchObject({ loaded: 1, refused: 0 });
  const rows = await target.query("select count(*)::int as rows from core.ad_creative");
  expect(await rebuild(target, datasets)).toMatchObject([{ slices: 1, invalid: 0 }]);
  expect(await target.query("select count(*)::int as rows from core.ad_creative")).toEqual(rows);
  using again = temporaryFolder();
  await exportFrom(target, again.path, { datasets });
  expect(Object.values(await filesOf(again.path)).join("")).toContain('"is_cut": true');
});
