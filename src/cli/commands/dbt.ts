import path from "node:path";
import type { Command } from "commander";
import { isOn, type Settings } from "../../config/settings.ts";
import type { Timing } from "../../core/timing.ts";
import { datasetNamed, datasets } from "../../datasets/shared/all.ts";
import type { Dataset } from "../../datasets/shared/define-dataset.ts";
import { dbtSources, dayFreshnessOf, freshnessOf, slowest, type TableFacts } from "../../export/dbt-sources.ts";
import { dbtSemantics, type DbtFile } from "../../export/dbt-semantics.ts";
import { fixedValues } from "../../export/fixed-values.ts";
import { martShapes } from "../../postgres/mart-shapes.ts";
import { readRelationDatasets } from "../../planner/relation-datasets.ts";
import { readRelations } from "../../postgres/relations.ts";
import { examplePartitions, timingsOf } from "../../planner/example-partitions.ts";
import { timingWith } from "../../planner/dataset-settings.ts";
import { dayColumns } from "../../load/table.ts";
import type { Database } from "../../postgres/database.ts";
import { folderArgument } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { printWhole, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { putFile } from "../../core/files.ts";

/** `storehouse dbt`: core and mart as sources of a dbt project. */
export function defineDbt(command: Command): void {
  command
    .option("--out <folder>", "folder for sources.yml (default: print it)", folderArgument)
    .option("--semantic-layer", "also write semantic models and metrics of the marts; requires --out")
    .action(({ out, semanticLayer }: { readonly out?: string; readonly semanticLayer?: true }) => {
      if (semanticLayer && out === undefined)
        throw fail("bad_argument", {
          problem: "--semantic-layer writes several files: name a folder with --out",
        });
      return withApp(async ({ warehouse: { db }, config }) => {
        const relations = await readRelations(db);
        const fixed = await fixedValues(db, relations);
        const facts = new Map([...factsOf(config.settings), ...(await martFacts(db, config.settings))]);
        const text = dbtSources({ relations, facts, fixed });
        if (out === undefined) return printWhole(text.trimEnd());
        const files = [{ name: "sources.yml", text }, ...(semanticLayer ? dbtSemantics(relations) : [])];
        for (const one of files) await putFile(path.join(path.resolve(out), one.name), one.text);
        const [{ name }] = files as [DbtFile];
        remark(
          files.length === 1
            ? `${path.join(path.resolve(out), name)} is written.`
            : `${countOf(files.length, "file")} are written into ${path.resolve(out)}.`,
        );
      });
    });
}

/**
 * What the datasets say about their tables. Freshness is expected of tables that get rows for new days; in others, an unchanged row keeps
 * the time at which it was fetched. A dataset that is switched off gets no rows.
 */
function factsOf(settings: Settings): ReadonlyMap<string, TableFacts> {
  const written = datasets.flatMap((dataset) => dataset.tables.map((table) => ({ table, dataset })));
  const byTable = Map.groupBy(written, ({ table }) => table.name);
  return new Map(
    [...byTable].map(([name, writers]) => {
      const on = writers.filter(({ dataset }) => isOn(dataset, settings));
      const fresh = on
        .filter(({ table }) => dayColumns(table) !== null)
        .flatMap(({ dataset }) => timingsIn(settings, dataset))
        .map(freshnessOf);
      const names = [...new Set(writers.map(({ dataset }) => dataset.name))].sort();
      return [name, { datasets: names, freshness: fresh.length === 0 ? null : slowest(fresh), freshBy: "fetched_at" }];
    }),
  );
}

/** What the datasets say about the marts, which are as fresh as the newest day that they have. */
async function martFacts(db: Database, settings: Settings): Promise<ReadonlyMap<string, TableFacts>> {
  const [all, own] = [await readRelationDatasets(db), await readRelationDatasets(db, { ownFacts: true })];
  return new Map(
    Object.entries(martShapes).map(([table, { isDaily = false }]) => {
      const name = `mart.${table}`;
      const direct = own.get(name) ?? [];
      const fresh = (isDaily ? direct : [])
        .map(datasetNamed)
        .filter((dataset) => isOn(dataset, settings))
        .flatMap((dataset) => timingsIn(settings, dataset))
        .map(dayFreshnessOf);
      const names = [...(direct.length > 0 ? direct : (all.get(name) ?? []))].sort();
      const freshness = fresh.length === 0 ? null : slowest(fresh);
      return [name, { datasets: names, freshness, freshBy: "date_day::timestamp" }];
    }),
  );
}

function timingsIn(settings: Settings, dataset: Dataset): readonly Timing[] {
  const chosen = settings.datasets[dataset.name] ?? {};
  return timingsOf(dataset, examplePartitions(dataset, chosen)).map((timing) => timingWith(timing, chosen));
}
