import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { Settings } from "../../src/config/settings.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { settingsIn } from "../../src/planner/settings-in.ts";
import { unusableSettings } from "../../src/planner/unusable-settings.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

async function read(dataset: string, lines: readonly string[]): Promise<Settings> {
  const file = path.join(folder, "storehouse.yaml");
  await writeFile(file, ["datasets:", `  ${dataset}:`, ...lines.map((line) => `    ${line}`)].join("\n"));
  return settingsIn(file);
}

describe("a setting that would change nothing about a dataset is refused on its line", () => {
  test.each([
    ["keyword_rank", "devices: [IPHONE]", "the same for all devices"],
    ["app_match", "countries: [US]", "the same for all countries"],
    ["app_history", "lookback_days: 3", "refresh_days sets how often"],
    ["app_history", "start: 2026-01-01", "refresh_days sets how often"],
    ["app_history", "longest_window: 7", "refresh_days sets how often"],
    ["keyword_rank", "refresh_days: 3", "lookback_days sets which"],
    ["top_keyword", "longest_window: 7", "each of its calls is for one day"],
    ["review_word", "pack_days: 7", "whole periods"],
    ["app_rating", "most_pages: 3", "no pages"],
  ])("%s, %s", async (dataset, setting, reason) => {
    const [key] = setting.split(":");
    const refused = read(dataset, ["on: true", setting]);
    await expect(refused).rejects.toMatchObject({
      code: "bad_config",
      context: { line: 4, key: `datasets.${dataset}.${key}` },
    });
    await expect(refused).rejects.toThrow(reason);
  });

  test("unless an option makes it one that does", async () => {
    await expect(read("ad_creative", ["countries: [US]"])).rejects.toThrow("the same for all countries");
    await read("ad_creative", ["countries: [US]", "options: { areas: [each] }"]);
  });

  test.each([
    ["keyword_rank", ["countries: [US]", "start: 2026-01-01", "history_days: 9", "settle_days: 2", "lookback_days: 3"]],
    ["keyword_rank", ["longest_window: 7", "pack_days: 7"]],
    ["top_keyword", ["devices: [IPAD]", "countries: [US]"]],
    ["app_history", ["countries: [JP]", "refresh_days: 3"]],
    ["visibility", ["countries: [JP]"]],
    ["review", ["most_pages: 3", "longest_window: 3"]],
    ["review_word", ["countries: [JP]", "lookback_days: 3"]],
  ])("what %s can use is taken: %j", async (dataset, lines) => {
    expect(Object.keys((await read(dataset, lines)).datasets[dataset] ?? {})).toHaveLength(lines.length);
  });

  test.each(datasets.map(({ name }) => name))("%s can be switched and has a timing that can be set", (name) => {
    const unusable = unusableSettings(name, {});
    expect(unusable).not.toHaveProperty("on");
    expect(Object.keys(unusable)).not.toEqual(expect.arrayContaining(["refresh_days", "lookback_days"]));
  });
});

test("each setting of a dataset is usable by all of them, or refused where it does nothing", () => {
  const usable = ["on", "options", "fresh_hours"];
  const refused = datasets.flatMap(({ name }) =>
    Object.keys(
      unusableSettings(name, { keep_months: 1, history_days: 3660, lookback_days: 3660, refresh_days: 3660 }),
    ),
  );
  const all = Object.keys(Settings.shape.datasets.unwrap().valueType.shape);
  expect(all.length).toBeGreaterThan(10);
  expect(all.filter((setting) => ![...usable, ...refused].includes(setting))).toEqual([]);
});

const withOptions = datasets.flatMap(({ name, options }) =>
  Object.entries(options?.shape ?? {}).map(([option, schema]) => ({ name, option, schema: schema as z.ZodType })),
);

test.each(withOptions)("what $name cannot take for $option is reported with its line, for any value", async (one) => {
  for (const value of [[], [""], ["no such thing"], {}, "no such thing", -1]) {
    if (one.schema.safeParse(value).success) continue;
    await expect(read(one.name, ["options:", `  ${one.option}: ${JSON.stringify(value)}`])).rejects.toMatchObject({
      code: "bad_config",
      context: { line: 4 },
    });
  }
});
