import { expect, test } from "vitest";
import { datasets } from "../../src/datasets/shared/all.ts";
import { runCommand } from "../support/command.ts";
import type { ChildOptions } from "../support/ingest-child.ts";

/** Neither a database nor an API is there, and none is needed. */
const nowhere = {
  databaseUrl: "postgres://127.0.0.1:1/nowhere",
  sandbox: { url: "http://127.0.0.1:1", token: "no-token" },
};

async function run(command: readonly string[], settings: ChildOptions) {
  return runCommand(nowhere, command, settings);
}

test("datasets are listed with what a night of each costs, on as the configuration has it, and what all that is on costs", async () => {
  const settings = { settings: { datasets: { top_keyword: { on: true }, keyword_rank: { on: false } } } };
  const { code, stdout } = await run(["datasets"], settings);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^dataset +now +credits a night +tables +requested +why\n/);
  expect(stdout).toMatch(/\nkeyword_rank +off +600 +core\.fact_keyword_rank +by day, 30 days back +3 credits/);
  expect(stdout).toMatch(/\ntop_keyword +on +3,000 /);
  const listed = JSON.parse((await run(["datasets", "--json"], settings)).stdout) as readonly {
    readonly name: string;
    readonly on: boolean;
    readonly tables: readonly string[];
    readonly creditsANight: number;
  }[];
  expect(listed.map(({ name }) => name)).toEqual(datasets.map(({ name }) => name));
  const sum = listed.filter(({ on }) => on).reduce((credits, { creditsANight }) => credits + creditsANight, 0);
  expect(stdout).toContain(`\n${Math.round(sum).toLocaleString("en-US")} a night for all datasets that are on.`);
});

test("a setting that a dataset cannot use stops every command before anything is opened", async () => {
  const settings = { settings: { datasets: { keyword_rank: { history_days: 4, refresh_days: 2 } } } };
  expect(await run(["sync"], settings)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(
      /^bad_config: .*storehouse\.yaml line 1: datasets\.keyword_rank\.refresh_days cannot be used/,
    ),
  });
});
