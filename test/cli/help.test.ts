import { Command } from "commander";
import { expect, test } from "vitest";
import { addApp } from "../../src/cli/commands/app.ts";
import { addBackfill } from "../../src/cli/commands/backfill.ts";
import { addChart } from "../../src/cli/commands/chart.ts";
import { addDatasets } from "../../src/cli/commands/datasets.ts";
import { addDbt } from "../../src/cli/commands/dbt.ts";
import { addDiscover } from "../../src/cli/commands/discover.ts";
import { addExport } from "../../src/cli/commands/export.ts";
import { addGaps } from "../../src/cli/commands/gaps.ts";
import { addRuns } from "../../src/cli/commands/runs.ts";
import { addShow } from "../../src/cli/commands/show.ts";
import { addFind } from "../../src/cli/commands/find.ts";
import { addKeywordsCommand } from "../../src/cli/commands/keywords.ts";
import { addMetabase } from "../../src/cli/commands/metabase.ts";
import { addPlan } from "../../src/cli/commands/plan.ts";
import { addPrune } from "../../src/cli/commands/prune.ts";
import { addRaw } from "../../src/cli/commands/raw.ts";
import { addReplay } from "../../src/cli/commands/replay.ts";
import { addSandbox } from "../../src/cli/commands/sandbox.ts";
import { addStatus } from "../../src/cli/commands/status.ts";
import { addRetry } from "../../src/cli/commands/retry.ts";
import { addSync } from "../../src/cli/commands/sync.ts";

function all(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(all)];
}

function commands(): readonly Command[] {
  const program = new Command("storehouse").exitOverride().configureOutput({ writeErr: () => undefined });
  const askers = [addFind, addApp, addDiscover, addKeywordsCommand];
  const others = [
    addBackfill,
    addPlan,
    addMetabase,
    addPrune,
    addRaw,
    addReplay,
    addSandbox,
    addStatus,
    addGaps,
    addRuns,
    addShow,
    addRetry,
    addSync,
    addDatasets,
    addExport,
    addDbt,
    addChart,
  ];
  for (const add of [...others, ...askers]) add(program);
  for (const one of all(program)) for (const below of one.commands) below.copyInheritedSettings(one);
  return all(program).slice(1);
}

test.each(commands().map((command) => [command.name(), command] as const))(
  "the help of %s shows no default in brackets, and says of --dataset that it may be repeated",
  (_, command) => {
    const help = command.helpInformation();
    expect(help).not.toContain("[]");
    const dataset = command.options.find(({ long }) => long === "--dataset");
    if (dataset?.parseArg !== undefined) expect(dataset.description).toContain("may be repeated");
  },
);

test("a dataset may be given several times, each time with commas", () => {
  const retry = commands().find((command) => command.name() === "retry");
  retry?.parseOptions(["--dataset", "a,b", "--dataset", "c"]);
  expect(retry?.opts()["dataset"]).toEqual(["a", "b", "c"]);
});

test("a port that cannot be is refused before anything is started", async () => {
  const program = commands()[0]?.parent;
  await expect(program?.parseAsync(["sandbox", "--port", "99999"], { from: "user" })).rejects.toThrow("65535");
});
