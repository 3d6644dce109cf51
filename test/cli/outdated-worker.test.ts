import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { besideWorker } from "../support/beside-worker.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests } from "../support/folder.ts";
import { openStage, until } from "../support/ingest-stage.ts";

const crontab = path.join(folderForTests(), "crontab");
const line = "0 4 1 1 * retention ?id=yearly\n";

test("status names a worker that runs another crontab or other settings than the files have now", async () => {
  await using stage = await openStage();
  writeFileSync(crontab, `# each year\n${line}`);
  const variables = { STOREHOUSE_CRONTAB: crontab };
  const status = async (settings = {}) =>
    (await runCommand(stage, ["status"], { variables, settings })).stdout.replaceAll(/\s+/g, " ");
  await besideWorker(stage, { environment: variables }, async () => {
    await until(async () => (await stage.query("select from ops.worker where schedule_digest is not null")).length > 0);
    writeFileSync(crontab, `# once a year\n\n${line}`);
    expect(await status({ health: { port: 0 } })).not.toContain("other settings");

    writeFileSync(crontab, line.replace("0 4", "0 5"));
    expect(await status()).toMatch(
      /other settings worker \d+ on \S+, started at [^:]+:\d\d[^:]*: the crontab or the settings differ from those that this command reads; if they were changed since, a restart makes them count/,
    );
    writeFileSync(crontab, line);
    const json = await runCommand(stage, ["status", "--json"], {
      variables,
      settings: { datasets: { keyword_rank: { on: false } } },
    });
    expect(JSON.parse(json.stdout)).toMatchObject({ outdatedWorkers: [{ workerId: expect.any(String) }] });
  });
  writeFileSync(crontab, line.replace("0 4", "0 5"));
  expect(await status()).not.toContain("other settings");
});
