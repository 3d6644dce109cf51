import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { folderForTests } from "../support/folder.ts";
import { startChild } from "../support/ingest-child.ts";
import { openStage, until } from "../support/ingest-stage.ts";

const crontab = path.join(folderForTests(), "crontab");
const line = "0 4 1 1 * retention ?id=yearly\n";
const changed = line.replace("0 4", "0 5");

test("status and doctor name a worker that runs another crontab or other settings than the files have now", async () => {
  await using stage = await openStage();
  writeFileSync(crontab, `# each year\n${line}`);
  const variables = { STOREHOUSE_CRONTAB: crontab };
  // not in the order in which a worker checks them
  const datasets = { visibility: { on: true }, keyword_rank: { history_days: 2 } };
  const typed = async (command: string, settings = {}) =>
    (await runCommand(stage, [command], { variables, settings: { datasets, ...settings } })).stdout.replaceAll(
      /\s+/g,
      " ",
    );
  await using worker = startChild(stage, ["worker", "--yes"], { variables, settings: { datasets } });
  await until(async () => (await stage.query("select from ops.worker where schedule_digest is not null")).length > 0);
  writeFileSync(crontab, `# once a year\n\n${line}`);
  const same = { health: { port: 0 } } as const;
  expect(await typed("status", same)).not.toContain("other settings");
  expect(await typed("doctor", same)).toMatch(/ok workers 1 in the ledger/);

  writeFileSync(crontab, changed);
  expect(await typed("status")).toMatch(
    /other settings worker \d+ on \S+, started at [^:]+:\d\d[^:]*: the crontab or the settings differ from those that this command reads; if they were changed since, a restart makes them count/,
  );
  writeFileSync(crontab, line);
  const settings = { datasets: { ...datasets, visibility: { on: false } } };
  const json = await runCommand(stage, ["status", "--json"], { variables, settings });
  expect(JSON.parse(json.stdout)).toMatchObject({ outdatedWorkers: [{ workerId: expect.any(String) }] });
  expect(await typed("doctor", settings)).toMatch(
    /warn workers 1 in the ledger, latest heartbeat \d+ s ago; the crontab or the settings of \d+ on \S+ differ from those here -> if they were changed since it started, restart it/,
  );
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
  writeFileSync(crontab, changed);
  expect(await typed("status")).not.toContain("other settings");
});
