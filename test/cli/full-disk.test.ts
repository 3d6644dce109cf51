import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { reportFailure } from "../../src/cli/report-failure.ts";
import { startChild, syncCommand } from "../support/ingest-child.ts";
import { openStage, until } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

const full = "/dev/full";

// the worker below writes to the same full output every day
test.runIf(long && existsSync(full))("a sync goes on where what it says beside its result has no room", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  await using child = startChild(stage, [...syncCommand, "--dataset", "tracked_app"], { stderrTo: full });
  expect(await child.ended).toBe(0);
  expect(child.output().stdout).toContain("1 of 1 slice loaded");
});

test.runIf(existsSync(full))("a worker whose log has no room works until it is stopped", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  await stage.sync({ request: { datasets: ["tracked_app"] } });
  await using worker = startChild(stage, ["worker", "--yes"], { stderrTo: full, variables: { LOG_LEVEL: "debug" } });
  const loaded = "select from ops.slice where state = 'loaded' and dataset = 'tracked_country'";
  await until(async () => worker.process.exitCode !== null || (await stage.query(loaded)).length > 0);
  worker.process.kill("SIGTERM");
  expect(await worker.ended).toBe(0);
});

test.runIf(existsSync(full))("a result that has no room is reported in one line", async () => {
  const failure = await writeFile(full, "a result").catch((error: unknown) => error);
  const said: string[] = [];
  expect(await reportFailure(failure, (line) => void said.push(line))).toBe(2);
  expect(said).toEqual([expect.stringMatching(/^unwritable_file: the output cannot be written: ENOSPC; [^\n]*$/)]);
});
