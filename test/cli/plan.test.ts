import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { nextStep } from "../../src/runs/next-step.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { forTests } from "../support/for-tests.ts";
import { today } from "../support/ingest-stage.ts";
import { hasTerminal, openTerminal } from "../support/terminal.ts";

const stage = forTests(() => openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } }));

test("a plan names the price of one request a keyword where that is dearer, and says that the credits of this period are enough", async () => {
  const plan = async (dataset: string) => {
    const { stdout } = await runCommand(stage, ["plan", "--as-of", today, "--dataset", dataset]);
    return stdout.slice(stdout.indexOf("\n\n"));
  };
  const done = /If no other process spends credits, this period's credits are enough, and the work finishes at \d{4}-/;
  expect(await plan("keyword_rank")).toMatch(
    new RegExp(`^\n\nOne request per keyword would cost [\\d,]+ credits.*\n${done.source}`),
  );
  expect(await plan("app_rating")).toMatch(new RegExp(`^\n\n${done.source}`));
});

test("plan and sync name a dataset of which the portfolio has no cell, once what it is planned from is loaded", async () => {
  const run = (...command: string[]) => runCommand(stage, [...command, "--as-of", today, "--dataset", "bid_change"]);
  stage.sandbox.set({ connected: false });
  expect((await run("sync", "--yes")).stdout).toContain("1 of 1 slice loaded");
  const note =
    "The portfolio has no such cell of bid_change: it is planned from search_ads_integration, and no loaded row of search_ads_integration gives such a cell";
  expect((await run("plan")).stdout).toContain(note);
  expect((await run("sync")).stdout).toContain(note);
});

test("plan of an empty portfolio names the file whose settings are read", async () => {
  const settings = { portfolio: { source: "config" } } as const;
  const { stdout } = await runCommand(stage, ["plan", "--as-of", today, "--dataset", "keyword_rank"], { settings });
  expect(stdout).toMatch(
    /^Nothing to do: the portfolio is empty\. See portfolio in \/.*\/storehouse-test-.*\/storehouse\.yaml\.$/m,
  );
});

test.each(["plan", "sync", "gaps"])("%s refuses days to come", async (command) => {
  const next = addDays(today, 1);
  for (const day of [
    ["--from", next],
    ["--to", next],
  ]) {
    const { code, stderr } = await runCommand(stage, [command, "--as-of", today, ...day]);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`${day[0]} is in the future`) });
  }
});

test.skipIf(!hasTerminal)("what is wrong with an option is broken between words at a terminal", async () => {
  await using terminal = openTerminal(tmpdir(), ["plan", "--from", "2026-13-01"], {});
  expect(await terminal.ended).toBe(2);
  const lines = terminal.output().trim().split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join(" ")).toContain("It is not a calendar day: write YYYY-MM-DD");
});

test("neither a plan nor the price of a step counts a waiting slice whose days the next sync requests with its own", async () => {
  await using own = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const request = { datasets: ["visibility"] };
  await own.sync({ request });
  own.sandbox.spend(own.sandbox.account().remaining);
  const [second, third] = [addDays(today, 1), addDays(today, 2)];
  const open = async () => {
    const rows = await own.query(
      "select planned_credits from ops.slice where dataset = 'visibility' and state not in ('loaded', 'empty')",
    );
    return rows.map((row) => row["planned_credits"]);
  };
  own.sandbox.set({ today: second });
  await own.sync({ request: { ...request, today: second } });
  expect(await open()).toEqual([10]);
  own.sandbox.set({ today: third });
  const { stdout } = await runCommand(own, ["plan", "--as-of", third, "--dataset", "visibility", "--json"]);
  const { lines, waiting, totals } = JSON.parse(stdout) as Record<
    "lines" | "waiting",
    readonly { dataset: string }[]
  > & {
    totals: { credits: number };
  };
  expect(lines).toEqual([expect.objectContaining({ dataset: "visibility", slices: 1, credits: 10 })]);
  expect(waiting.filter(({ dataset }) => dataset === "visibility")).toEqual([]);
  await using app = await own.open({ request: { ...request, today: third } });
  const step = await nextStep(
    { db: app.warehouse.db, clock: app.clock, settings: app.config.settings },
    { ...request, bounds: {}, today: third },
  );
  expect(step?.credits).toBe(totals.credits);
  await own.sync({ request: { ...request, today: third } });
  expect(await open()).toEqual([10]);
});
