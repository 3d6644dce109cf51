import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { mayStart } from "../../src/cli/worker-agreement.ts";
import { accountIdOf } from "../../src/config/config.ts";
import { Settings } from "../../src/config/settings.ts";
import { createLog } from "../../src/core/log.ts";
import { recordAgreement } from "../../src/credits/agreement.ts";
import { scheduled } from "../../src/planner/scheduled-datasets.ts";
import { usualIntervals } from "../../src/runs/heartbeat.ts";
import { agreedLines } from "../../src/worker/agreed-lines.ts";
import { readCrontab } from "../../src/worker/crontab.ts";
import { runWorker } from "../../src/worker/worker.ts";
import { folderForTests } from "../support/folder.ts";
import { openStage, until } from "../support/ingest-stage.ts";

const file = path.join(folderForTests(), "crontab");

const retention = "45 3 * * * retention ?id=retention";
const plans = (id: string, ...datasets: readonly string[]) =>
  `0 4 * * * plan_due ?id=${id} ${JSON.stringify(datasets.length === 0 ? {} : { datasets })}`;
const write = (...lines: readonly string[]) => writeFileSync(file, `${lines.join("\n")}\n`);

/** The lines that plan something that was agreed to, each with these datasets; and what nobody has agreed to. */
function narrowed(agreed: ReadonlySet<string> | "everything", settings: Settings = Settings.parse({})) {
  const { lines, lacking } = agreedLines(readCrontab(file), agreed, settings);
  return { lines: lines.map(({ id, datasets }) => [id, datasets]), lacking };
}

test("lines lose the datasets that nobody has agreed to, and are left out if they would plan nothing", () => {
  write(plans("one", "review", "top_chart"), plans("other", "top_chart"), plans("all"), retention);
  const { lines, lacking } = narrowed(new Set(["review", "keyword_rank"]));
  // with the lists that these are planned from
  const covered = ["keyword_rank", "review", "tracked_app", "tracked_country", "tracked_keyword"];
  expect(lines).toEqual([
    ["one", ["review"]],
    ["all", expect.toSatisfy((all: readonly string[]) => all.toSorted().join() === covered.join())],
    ["retention", null],
  ]);
  expect(lacking).toContain("top_chart");
  expect(new Set([...lacking, ...covered])).toEqual(new Set([...scheduled([], Settings.parse({})), "top_chart"]));
  expect(narrowed(new Set())).toMatchObject({ lines: [["retention", null]] });
});

test("an agreement to everything leaves lines as they are; what the settings switch off needs none", () => {
  write(plans("one", "review", "top_chart"), plans("all"));
  const all = readCrontab(file);
  const { lines, lacking } = agreedLines(all, "everything", Settings.parse({}));
  expect([lines === all, lacking]).toEqual([true, []]);
  write(plans("one", "review", "top_chart"));
  const off = Settings.parse({ datasets: { top_chart: { on: false } } });
  expect(narrowed(new Set(["review"]), off)).toEqual({ lines: [["one", ["review"]]], lacking: [] });
});

test("a running worker plans what someone has agreed to by then: not what is added to its crontab or left in its queue, and all of it from a yes on", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  await using app = await stage.open({ environment: { STOREHOUSE_CRONTAB: file } });
  const agreement = { accountId: accountIdOf("sandbox-token"), credits: 5, by: "terminal" } as const;
  await recordAgreement(app.warehouse.db, { ...agreement, datasets: ["tracked_app"] }, app.clock.now());
  write(plans("apps", "tracked_app"));
  const warnings: unknown[] = [];
  const leftOut: unknown[] = [];
  const to = {
    write: (line: string) => {
      const { msg, datasets, next } = JSON.parse(line) as Record<string, unknown>;
      if (msg === "worker.not_agreed") warnings.push([datasets, next]);
      if (msg === "run.not_agreed") leftOut.push(datasets);
    },
  };
  const log = createLog({ level: "info", secrets: [], to });
  const stop = new AbortController();
  const running = runWorker({ ...app, log, intervals: { ...usualIntervals, beatMs: 50 } }, stop.signal);
  const planned = async (runs: number) =>
    (await stage.query("select from ops.run where kind = 'schedule' and ended_at is not null")).length >= runs;
  const datasets = async () =>
    (await stage.query<{ dataset: string }>("select distinct dataset from ops.slice order by 1")).map(
      ({ dataset }) => dataset,
    );
  const job = async (payload: { readonly datasets?: readonly string[] }) => {
    const add = "select id::text from graphile_worker.add_job('plan_due', $1::json)";
    const [{ id } = { id: "" }] = await stage.query<{ id: string }>(add, [JSON.stringify(payload)]);
    const isDone = async () => (await stage.query("select from graphile_worker.jobs where id = $1", [id])).length === 0;
    await Promise.race([until(isDone), running]);
  };
  const endSession = () =>
    stage.query("update ops.worker set stopped_at = clock_timestamp(), ended_as = 'died' where stopped_at is null");
  try {
    await Promise.race([until(() => planned(1)), running]);
    expect(warnings).toEqual([]);
    write(plans("apps", "tracked_app", "tracked_country"), plans("countries", "tracked_country"));
    await endSession();
    // the first session may have planned a second time, at a full minute
    await Promise.race([until(async () => warnings.length > 0 && (await planned(2))), running]);
    expect([await datasets(), warnings]).toEqual([
      ["tracked_app"],
      [["tracked_country", expect.stringContaining("`storehouse worker --yes` agrees")]],
    ]);
    // as a worker whose crontab planned everything left it
    await job({});
    expect([await datasets(), leftOut.at(-1)]).toEqual([
      ["tracked_app"],
      "tracked_country, tracked_keyword, keyword_rank",
    ]);
    // what that command does before it starts
    expect(await mayStart(app, true, stop.signal)).toBe(true);
    // as the first line does at its time
    await job({ datasets: ["tracked_app", "tracked_country"] });
    expect(await datasets()).toEqual(["tracked_app", "tracked_country"]);
    expect(warnings).toHaveLength(1);
  } finally {
    stop.abort();
  }
  expect(await running).toBeNull();
});
