import { expect, test } from "vitest";
import { accountCost, appDatasets, searchAdsDatasets, sumWords } from "../../src/docs/costs.ts";
import { runCommand } from "../support/command.ts";

/** Neither a database nor an API is there, and none is needed. */
const nowhere = {
  databaseUrl: "postgres://127.0.0.1:1/nowhere",
  sandbox: { url: "http://127.0.0.1:1", token: "no-token" },
};
const size = { apps: 2, countries: 2, keywords: 100 } as const;
const sized = Object.entries(size).flatMap(([name, value]) => [`--${name}`, String(value)]);

/** The settings of the test switch most datasets off; those that are on by default are named instead. */
const named = [...appDatasets, ...searchAdsDatasets].flatMap((name) => ["--dataset", name]);

async function run(...command: readonly string[]) {
  const settings = { datasets: { keyword_rank: {} } };
  return runCommand(nowhere, ["estimate", ...command], { settings });
}

test("an account of a size is priced like that of the same size in docs, by dataset and together", async () => {
  const cost = await accountCost(size);
  const { code, stdout } = await run(...sized, ...named);
  expect(code).toBe(0);
  const numbers = (name: string) => (new RegExp(`^${name} .*$`, "m").exec(stdout)?.[0] ?? "").split(/ {2,}/).slice(1);
  const [first, , month] = numbers("total");
  expect([first, month]).toEqual([sumWords(cost, "first", appDatasets), sumWords(cost, "month", appDatasets)]);
  const listed = JSON.parse((await run(...sized, ...named, "--json")).stdout) as {
    readonly apps: number;
    readonly datasets: readonly { readonly dataset: string; readonly month: number; readonly connected: number }[];
  };
  expect(listed.apps).toBe(size.apps);
  const { month: ranks } = listed.datasets.find(({ dataset }) => dataset === "keyword_rank") ?? {};
  expect(ranks).toBeCloseTo(cost.get("keyword_rank")?.month ?? 0);
  expect(stdout).toContain(
    `search-ads account adds about ${sumWords(cost, "first", searchAdsDatasets)} credits to the first sync, `,
  );
  const ads = listed.datasets.reduce((sum, { connected }) => sum + 30 * connected, 0);
  expect(Math.round(ads).toLocaleString("en-US")).toBe(sumWords(cost, "month", searchAdsDatasets));
});

test("one dataset is priced with those that it is planned from, and a size without a number is refused", async () => {
  const { stdout } = await run(...sized, "--dataset", "app_rating");
  expect(stdout).toMatch(/^2 apps \(half of each store\), 2 countries, 100 keywords per app and country:\n/);
  expect(stdout).toMatch(/^app_rating +\d/m);
  expect(stdout).not.toContain("keyword_rank");
  const refused = await run("--apps", "some", "--countries", "1", "--keywords", "1");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("Write a whole number, 1 or more") });
});

test.each([
  ["10001", "1", "1"],
  ["1", "201", "1"],
  ["100", "100", "501"],
])(
  "a size of %s apps, %s countries and %s keywords, which would take long to price, is refused",
  async (apps, countries, keywords) => {
    const { code, stderr } = await run("--apps", apps, "--countries", countries, "--keywords", keywords);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^bad_argument: .*the limit is 10,000 apps, /),
    });
  },
);
