import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { recordAgreement } from "../../src/credits/agreement.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests } from "../support/folder.ts";
import { openStage } from "../support/ingest-stage.ts";

const crontab = path.join(folderForTests(), "crontab");

test("schedule and doctor name what workers leave out because nobody has agreed to it, and status does while one runs; all say how to agree", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  const line = (minute: number, id: string, ...datasets: readonly string[]) =>
    `${minute} 4 * * * plan_due ?id=${id} ${JSON.stringify({ datasets })}\n`;
  const typed = async (...command: readonly string[]) =>
    (await runCommand(stage, command, { variables: { STOREHOUSE_CRONTAB: crontab } })).stdout;
  writeFileSync(crontab, "0 4 * * * plan_due ?id=all\n");
  expect(await typed("schedule", "--count", "1")).toMatch(/ all .* not agreed *\n/);

  writeFileSync(
    crontab,
    line(0, "lists", "tracked_app") +
      line(1, "both", "tracked_app", "tracked_country") +
      line(2, "ranks", "keyword_rank"),
  );
  await using app = await stage.open();
  const yes = { accountId: accountIdOf(stage.sandbox.token), credits: 5, by: "terminal" } as const;
  const agreeTo = (...datasets: readonly string[]) =>
    recordAgreement(app.warehouse.db, { ...yes, datasets }, app.clock.now());
  await agreeTo("tracked_app");

  const schedule = await typed("schedule", "--count", "1");
  const rows = schedule.split("\n").filter((row) => / (lists|both|ranks) /.test(row));
  expect(rows.map((row) => row.match(/(lists|both|ranks) .*?(not agreed.*)?$/)?.slice(1))).toEqual(
    expect.arrayContaining([
      ["lists", undefined],
      ["both", "not agreed: tracked_country"],
      ["ranks", "not agreed"],
    ]),
  );
  const how = "since nobody has agreed to that: `storehouse worker` at a terminal";
  expect(schedule).toContain(`Not agreed: workers leave out tracked_country, keyword_rank, ${how}`);
  const { notAgreed, runs } = JSON.parse(await typed("schedule", "--count", "1", "--json")) as {
    notAgreed: unknown;
    runs: readonly { id: string; notAgreed: unknown }[];
  };
  expect(notAgreed).toMatchObject({ datasets: ["tracked_country", "keyword_rank"] });
  expect(Object.fromEntries(runs.map((run) => [run.id, run.notAgreed]))).toEqual({
    lists: [],
    both: ["tracked_country"],
    ranks: ["keyword_rank"],
  });

  const agreement = async () => {
    const { checks } = JSON.parse(await typed("doctor", "--json")) as { checks: readonly { check: string }[] };
    return checks.find(({ check }) => check === "agreement");
  };
  expect(await agreement()).toMatchObject({
    state: "warn",
    found: "nobody has agreed that a worker spends credits on tracked_country, keyword_rank",
    next: expect.stringContaining("`storehouse worker` at a terminal"),
  });

  expect(await typed("status")).not.toContain("not agreed");
  await using _worker = await openIngest(app, "worker", createRunLimit(null));
  const status = (await typed("status")).replaceAll(/\s+/g, " ");
  expect(status).toContain(`not agreed workers leave out tracked_country, keyword_rank, ${how}`);
  expect(JSON.parse(await typed("status", "--json"))).toMatchObject({ notAgreed });
  writeFileSync(crontab, "nothing\n");
  expect(JSON.parse(await typed("status", "--json"))).toMatchObject({ notAgreed: null });
  // the check of the crontab has reported it
  expect(await agreement()).toBeUndefined();

  writeFileSync(crontab, line(0, "ranks", "keyword_rank"));
  await agreeTo();
  expect(await typed("status")).not.toContain("not agreed");
  expect(await typed("schedule")).not.toContain("agreed");
  expect(await agreement()).toMatchObject({ state: "ok" });
});
