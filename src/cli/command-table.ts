import type { Command } from "commander";

/** A command of the program: its name, a one-line summary, and the module that defines its arguments, options and action. */
type CommandEntry = {
  readonly name: string;
  readonly summary: string;
  /** True for a command that reads the definitions of all the others from its program. */
  readonly readsAll?: true;
  /** Imports the module; called only for a command that is run or whose help is shown. */
  readonly load: () => Promise<(command: Command) => void>;
};

/** Every command by the heading under which help and docs list it, in their order. */
export const commandGroups: Readonly<Record<string, readonly CommandEntry[]>> = {
  "Set up": [
    {
      name: "init",
      summary:
        "set up Storehouse: a few questions write .env and config/storehouse.yaml and show the price; spends nothing",
      load: async () => (await import("./commands/init.ts")).defineInit,
    },
    {
      name: "estimate",
      summary:
        "price the first sync, a night and a month for a number of apps, countries and keywords; needs no account",
      load: async () => (await import("./commands/estimate.ts")).defineEstimate,
    },
    {
      name: "doctor",
      summary:
        "check settings, database, rights, pending migrations, token, clocks, disk, crontab, webhook, workers and failed slices; changes nothing",
      load: async () => (await import("./commands/doctor.ts")).defineDoctor,
    },
    {
      name: "migrate",
      summary: "bring the database up to date",
      load: async () => (await import("./commands/migrate.ts")).defineMigrate,
    },
    {
      name: "grants",
      summary:
        "create the roles storehouse_owner, storehouse_loader and storehouse_reader and set their rights; repeat after each upgrade",
      load: async () => (await import("./commands/grants.ts")).defineGrants,
    },
  ],
  Fetch: [
    {
      name: "plan",
      summary: "show the slices, requests and credits that a sync would take; queues nothing and spends nothing",
      load: async () => (await import("./commands/plan.ts")).definePlan,
    },
    {
      name: "sync",
      summary: "fetch what is missing, in the foreground; safe to interrupt and run again",
      load: async () => (await import("./commands/sync.ts")).defineSync,
    },
    {
      name: "backfill",
      summary: "price the history of datasets as a numbered plan, and run exactly that plan",
      load: async () => (await import("./commands/backfill.ts")).defineBackfill,
    },
    {
      name: "retry",
      summary: "run failed slices again, in the foreground",
      load: async () => (await import("./commands/retry.ts")).defineRetry,
    },
    {
      name: "worker",
      summary:
        "run the schedule in the crontab, and the queue, until stopped; any number of workers can share one database",
      load: async () => (await import("./commands/worker.ts")).defineWorker,
    },
    {
      name: "schedule",
      summary: "show the next runs of each crontab line and what each would cost; writes nothing and spends nothing",
      load: async () => (await import("./commands/schedule.ts")).defineSchedule,
    },
  ],
  "See what is loaded, missing and spent": [
    {
      name: "status",
      summary:
        "show the overall state: verdict, credits, next run with its price, workers, incidents, last run, slices by dataset and state, failures with their causes",
      load: async () => (await import("./commands/status.ts")).defineStatus,
    },
    {
      name: "gaps",
      summary:
        "show which cells are missing, the largest gaps first, and a calendar of each dataset; writes nothing and spends nothing",
      load: async () => (await import("./commands/gaps.ts")).defineGaps,
    },
    {
      name: "runs",
      summary: "show the latest runs: what was planned, how it ended, what it cost",
      load: async () => (await import("./commands/runs.ts")).defineRuns,
    },
    {
      name: "failures",
      summary: "list failed slices with their numbers and causes, and the command that requests them again",
      load: async () => (await import("./commands/failures.ts")).defineFailures,
    },
    {
      name: "show",
      summary: "show one slice: attempts, requests, credits, error, rejected rows",
      load: async () => (await import("./commands/show.ts")).defineShow,
    },
    {
      name: "credits",
      summary:
        "show the allowance: total, left, next reset, held, spent by dataset and class, documented and learned costs",
      load: async () => (await import("./commands/credits.ts")).defineCredits,
    },
    {
      name: "lookback",
      summary:
        "show for how many days the figures of each dataset keep changing, by age; writes nothing and spends nothing",
      load: async () => (await import("./commands/lookback.ts")).defineLookback,
    },
    {
      name: "alerts",
      summary: "list the alerts with their last check and what fired; show what would have fired over the last 30 days",
      load: async () => (await import("./commands/alerts.ts")).defineAlerts,
    },
    {
      name: "console",
      summary: "serve the console in a browser: what is loaded, missing and failed, what it costs, and how to fix it",
      load: async () => (await import("./commands/console.ts")).defineConsole,
    },
  ],
  "Apps and keywords": [
    {
      name: "find",
      summary: "find apps in both stores by name, or by the URL of their company",
      load: async () => (await import("./commands/find.ts")).defineFind,
    },
    {
      name: "app",
      summary: "show one app: its store page, the same app in the other store, whether it advertises",
      load: async () => (await import("./commands/app.ts")).defineApp,
    },
    {
      name: "discover",
      summary: "have the service read an app that it does not know yet; this takes some time",
      load: async () => (await import("./commands/discover.ts")).defineDiscover,
    },
    {
      name: "keywords",
      summary: "change the keywords that the account tracks for an app and country",
      load: async () => (await import("./commands/keywords.ts")).defineKeywords,
    },
  ],
  "Use the tables": [
    {
      name: "metabase",
      summary:
        "set up Metabase: the database, descriptions of its columns, and the starter dashboards; a second run adds what is missing",
      load: async () => (await import("./commands/metabase.ts")).defineMetabase,
    },
    {
      name: "mcp",
      summary:
        "serve the marts over the Model Context Protocol: one read-only statement at a time, with its coverage; spends nothing",
      load: async () => (await import("./commands/mcp.ts")).defineMcp,
    },
    {
      name: "dbt",
      summary: "write sources.yml for a dbt project: tables, columns, keys, freshness and tests of core and mart",
      load: async () => (await import("./commands/dbt.ts")).defineDbt,
    },
    {
      name: "export",
      summary:
        "write tables and views as Parquet or CSV files, one per month, to a folder or bucket; only months that changed are written again",
      load: async () => (await import("./commands/export.ts")).defineExport,
    },
    {
      name: "publish",
      summary: "copy tables and marts to ClickHouse; only months that changed are sent, and each is swapped in whole",
      load: async () => (await import("./commands/publish.ts")).definePublish,
    },
    {
      name: "chart",
      summary: "draw ranks or coverage as an SVG file",
      load: async () => (await import("./commands/chart.ts")).defineChart,
    },
  ],
  "Stored answers and old months": [
    {
      name: "raw",
      summary: "list, show, export and import stored answers",
      load: async () => (await import("./commands/raw.ts")).defineRaw,
    },
    {
      name: "replay",
      summary: "rebuild tables from the stored answers; sends no request and spends nothing",
      load: async () => (await import("./commands/replay.ts")).defineReplay,
    },
    {
      name: "held",
      summary: "show held answers, which would remove most of a portfolio list; apply them once someone confirms",
      load: async () => (await import("./commands/held.ts")).defineHeld,
    },
    {
      name: "prune",
      summary:
        "delete stored answers of loaded and skipped slices that are older than a number of days; replay can no longer use them",
      load: async () => (await import("./commands/prune.ts")).definePrune,
    },
    {
      name: "retention",
      summary: "drop or detach months of facts that are older than keep_months; the worker does this automatically",
      load: async () => (await import("./commands/retention.ts")).defineRetention,
    },
  ],
  "The API": [
    {
      name: "operations",
      summary: "list the operations of the API: method, path, parameters, cost, limits",
      load: async () => (await import("./commands/operations.ts")).defineOperations,
    },
    {
      name: "datasets",
      summary: "list the datasets: tables, when they are requested, cost per night, on or off and why",
      load: async () => (await import("./commands/datasets.ts")).defineDatasets,
    },
    {
      name: "gateway",
      summary:
        "serve the API's own contract to other clients, each with its own key; what is stored and fresh costs nothing",
      load: async () => (await import("./commands/gateway.ts")).defineGateway,
    },
    {
      name: "sandbox",
      summary: "serve the API on loopback over a synthetic market, with strict checks and credits, until stopped",
      load: async () => (await import("./commands/sandbox.ts")).defineSandbox,
    },
  ],
  Help: [
    {
      name: "completion",
      summary: "print a script that completes commands and options in bash, zsh or fish",
      readsAll: true,
      load: async () => (await import("./commands/completion.ts")).defineCompletion,
    },
  ],
};

/** Every command, in the order of `commandGroups`. */
export const commandTable: readonly CommandEntry[] = Object.values(commandGroups).flat();
