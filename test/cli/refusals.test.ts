import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { openWithPortfolio, planned } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { startChild, syncCommand, type ChildOptions } from "../support/ingest-child.ts";
import { gateAfter, today, until, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 4 } as const;

async function run(stage: Stage, command: readonly string[], options: ChildOptions = {}) {
  return runCommand(stage, command, options);
}

const stage = forTests(() => openWithPortfolio({ market }));

test("a command that cannot run reports in one line how it can", async () => {
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
  const { port } = busy.address() as AddressInfo;
  const taken = await run(stage, ["sandbox", "--port", String(port)]);
  busy.close();
  expect(taken).toMatchObject({
    code: 2,
    stderr: `port_taken: port ${port} is in use; choose another, or 0 for a free one\n`,
  });

  const folder = await run(stage, ["status"], { variables: { STOREHOUSE_CONFIG: tmpdir() } });
  expect(folder).toMatchObject({ code: 2, stderr: expect.stringContaining("names a folder, not a file") });

  const nothing = await run(stage, [...syncCommand, "--dataset", "keyword_rank", "--max-credits", "0"]);
  expect(nothing).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(
      /^Nothing fits within --max-credits: \d+ slices are left\. Run it again with a higher limit\.\n$/,
    ),
  });
  const history = await run(stage, ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--max-credits", "0"]);
  expect(history).toMatchObject({ code: 3, stdout: expect.stringMatching(/^Nothing fits within --max-credits/) });

  for (const command of [
    ["sync", "--as-of", today, "--dataset", ""],
    ["backfill", "--as-of", today, "--app", ","],
  ])
    expect(await run(stage, command)).toMatchObject({ code: 2, stderr: expect.stringContaining("It is empty") });

  const unknown = await run(stage, ["help", "statsu"]);
  expect(unknown).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("unknown command 'statsu'") });
  expect(unknown.stderr).toContain("Did you mean status?");
  for (const known of [["help", "status"], ["help"], ["help", "help"]])
    expect(await run(stage, known)).toMatchObject({ code: 0, stderr: "" });
  for (const command of [["show"], ["raw", "show"], ["retry", "--slice"], ["retry", "--dry-run", "--slice"]])
    expect((await run(stage, [...command, "999999"])).stderr).toMatch(
      /^bad_argument: there is no slice 999999: `storehouse raw list` shows slices with their numbers, /,
    );
  for (const slices of [["12,999999"], ["12", "--slice", "999999, 13"]])
    expect((await run(stage, ["retry", "--slice", ...slices])).stderr).toContain("there is no slice");
  const notNumbers = await run(stage, ["retry", "--slice", "12,x"]);
  expect(notNumbers).toMatchObject({ code: 2, stderr: expect.stringContaining("It is not the number of a slice") });

  const none = await run(stage, ["backfill", "--as-of", today, "--plan", "4711"]);
  expect(none.stderr).toMatch(/^unknown_plan: there is no plan 4711 \(there is none yet\); /);
  const { planId } = await planned(stage);
  const other = await run(stage, ["backfill", "--as-of", today, "--plan", "4711"]);
  expect(other.stderr).toContain(`there is no plan 4711 (the newest: ${planId}); `);

  const settings = { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 }, ask_above: 0 } };
  const requested = await run(stage, ["backfill", "--as-of", today, "--plan", planId], { settings });
  expect(requested.code).toBe(2);
  expect(requested.stderr).toMatch(new RegExp(`; \`storehouse backfill --plan ${planId} --yes\` runs it\\n$`));
  expect(stage.requested()).toEqual([]);
});

test("days that are not published yet are not said to be loaded", async () => {
  const days = ["--dataset", "keyword_rank", "--from", today];
  const plan = await run(stage, ["plan", "--as-of", today, ...days]);
  expect(plan.stdout).toBe("Nothing to do: everything requested that can be fetched is loaded.\n");
  const sync = await run(stage, [...syncCommand, ...days]);
  expect(sync).toMatchObject({
    code: 0,
    stdout: "Everything requested that can be fetched is loaded; no credits spent.\n",
  });
});

test("a dataset that nobody has is named, and not taken for one of which nothing is found", async () => {
  for (const command of ["failures", "held", "lookback", "raw list"])
    expect(await run(stage, [...command.split(" "), "--dataset", "keyword_ranks"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr:
        "unknown_dataset: no dataset is named keyword_ranks, did you mean keyword_rank?; `storehouse datasets` lists them\n",
    });
  expect(await run(stage, ["lookback", "--dataset", "keyword_rank"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^There are no figures to compare for these datasets/),
  });
});

const endings = [
  ["loses its terminal, of which system and shell tell it,", ["SIGHUP", "SIGHUP"]],
  ["is interrupted", ["SIGINT"]],
] as const;

test.each(long ? endings : endings.slice(0, 1))(
  "a plan that %s names the command that goes on, with --yes where it would want another confirmation",
  async (_, signals) => {
    const gate = gateAfter(1);
    await using held = await openWithPortfolio({ market, clock: gate.clock });
    const { planId } = await planned(held);
    const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
    const settings = { credits: { floors, ask_above: 0 }, api: { concurrency: 1 } };
    held.sandbox.set({ latencyMs: gate.latencyMs });
    await using child = startChild(held, ["backfill", "--as-of", today, "--plan", planId, "--yes"], { settings });
    await until(() => gate.held() > 0);
    for (const signal of signals) child.process.kill(signal);
    gate.open();
    expect(await child.ended).toBe(130);
    expect(child.output().stdout).toContain(`\`storehouse backfill --plan ${planId} --yes\` continues, `);
  },
);
