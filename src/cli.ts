import { readFileSync } from "node:fs";
import path from "node:path";
import { Command, CommanderError } from "commander";
import { addApp } from "./cli/commands/app.ts";
import { addBackfill } from "./cli/commands/backfill.ts";
import { addCredits } from "./cli/commands/credits.ts";
import { addDatasets } from "./cli/commands/datasets.ts";
import { addDiscover } from "./cli/commands/discover.ts";
import { addFind } from "./cli/commands/find.ts";
import { addKeywordsCommand } from "./cli/commands/keywords.ts";
import { addGaps } from "./cli/commands/gaps.ts";
import { addMetabase } from "./cli/commands/metabase.ts";
import { addMigrate } from "./cli/commands/migrate.ts";
import { addOperations } from "./cli/commands/operations.ts";
import { addPlan } from "./cli/commands/plan.ts";
import { addPrune } from "./cli/commands/prune.ts";
import { addRaw } from "./cli/commands/raw.ts";
import { addReplay } from "./cli/commands/replay.ts";
import { addRetry } from "./cli/commands/retry.ts";
import { addRuns } from "./cli/commands/runs.ts";
import { addSandbox } from "./cli/commands/sandbox.ts";
import { addShow } from "./cli/commands/show.ts";
import { addStatus } from "./cli/commands/status.ts";
import { addSync } from "./cli/commands/sync.ts";
import { addWorker } from "./cli/commands/worker.ts";
import { remark, tolerateClosedPipes } from "./cli/output.ts";
import { reportFailure } from "./cli/report-failure.ts";
import { projectRoot } from "./config/config.ts";

const { version } = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string };

const program = new Command("storehouse")
  .description("App-store market intelligence in your own Postgres.")
  .version(version)
  .showHelpAfterError("(add --help for the options)")
  .exitOverride();

for (const add of [
  addPlan,
  addSync,
  addBackfill,
  addStatus,
  addGaps,
  addRuns,
  addShow,
  addCredits,
  addRetry,
  addFind,
  addApp,
  addDiscover,
  addKeywordsCommand,
  addWorker,
  addReplay,
  addRaw,
  addPrune,
  addMigrate,
  addMetabase,
  addOperations,
  addDatasets,
  addSandbox,
])
  add(program);

tolerateClosedPipes();
try {
  await program.parseAsync();
} catch (error) {
  // commander has said what is wrong; only the code is left, and ours for usage is 2
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportFailure(error, remark);
}
