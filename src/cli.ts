import { Command, CommanderError } from "commander";
import { addApp } from "./cli/commands/app.ts";
import { addBackfill } from "./cli/commands/backfill.ts";
import { addChart } from "./cli/commands/chart.ts";
import { addCredits } from "./cli/commands/credits.ts";
import { addDatasets } from "./cli/commands/datasets.ts";
import { addDbt } from "./cli/commands/dbt.ts";
import { addDiscover } from "./cli/commands/discover.ts";
import { addExport } from "./cli/commands/export.ts";
import { addDoctor } from "./cli/commands/doctor.ts";
import { addFind } from "./cli/commands/find.ts";
import { addGrants } from "./cli/commands/grants.ts";
import { addKeywordsCommand } from "./cli/commands/keywords.ts";
import { addGaps } from "./cli/commands/gaps.ts";
import { addMetabase } from "./cli/commands/metabase.ts";
import { addMigrate } from "./cli/commands/migrate.ts";
import { addOperations } from "./cli/commands/operations.ts";
import { addPlan } from "./cli/commands/plan.ts";
import { addPrune } from "./cli/commands/prune.ts";
import { addRaw } from "./cli/commands/raw.ts";
import { addReplay } from "./cli/commands/replay.ts";
import { addRetention } from "./cli/commands/retention.ts";
import { addRetry } from "./cli/commands/retry.ts";
import { addRuns } from "./cli/commands/runs.ts";
import { addSandbox } from "./cli/commands/sandbox.ts";
import { addSchedule } from "./cli/commands/schedule.ts";
import { addShow } from "./cli/commands/show.ts";
import { addStatus } from "./cli/commands/status.ts";
import { addSync } from "./cli/commands/sync.ts";
import { addWorker } from "./cli/commands/worker.ts";
import { reportCrashes, sayHidden } from "./cli/report-failure.ts";
import { tolerateClosedPipes } from "./cli/output.ts";
import { reportFailure } from "./cli/report-failure.ts";
import { programVersion } from "./config/program.ts";

const program = new Command("storehouse")
  .description("App-store market intelligence in your own Postgres.")
  .version(programVersion())
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
  addSchedule,
  addDoctor,
  addReplay,
  addRaw,
  addExport,
  addDbt,
  addChart,
  addPrune,
  addRetention,
  addMigrate,
  addMetabase,
  addGrants,
  addOperations,
  addDatasets,
  addSandbox,
])
  add(program);

tolerateClosedPipes();
reportCrashes();
try {
  await program.parseAsync();
} catch (error) {
  // commander has said what is wrong; only the code is left, and ours for usage is 2
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else process.exitCode = reportFailure(error, sayHidden);
}
