import { describe, expect, test } from "vitest";
import { alertsIn } from "../../src/alerts/alert.ts";
import { findFires } from "../../src/alerts/find-fires.ts";
import { alertKinds } from "../../src/config/alert-kinds.ts";
import { alertMarts, type AlertColumn } from "../../src/config/alert-marts.ts";
import { day } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { readRelationDatasets } from "../../src/planner/relation-datasets.ts";
import { readRelations } from "../../src/postgres/relations.ts";
import { settingsWith } from "../support/alert-stage.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(() => openWarehouseStage(2));

const numbers = ["integer", "bigint", "numeric", "smallint"];
const types: Readonly<Record<AlertColumn, readonly string[]>> = {
  number: numbers,
  rank: numbers,
  text: ["text"],
  boolean: ["boolean"],
};

describe("the marts of alerts", () => {
  test.each(Object.entries(alertMarts))(
    "mart.%s has the columns that are declared, of these types",
    async (name, mart) => {
      const relation = (await readRelations(stage.db)).find((one) => one.name === `mart.${name}`);
      const found = new Map(relation?.columns.map((column) => [column.name, column.type]));
      for (const [column, kind] of Object.entries(mart.columns))
        expect([column, types[kind]]).toEqual([column, expect.arrayContaining([found.get(column)])]);
      const others = [
        ...mart.subject,
        "date_day",
        mart.label ?? "app_name",
        ...(mart.shows ?? []),
        mart.comparedDay,
        mart.complete,
      ];
      expect(others.filter((column) => column !== undefined && !found.has(column))).toEqual([]);
      const shows = (await readRelationDatasets(stage.db)).get(`mart.${name}`);
      const declared = [
        ...mart.datasets,
        ...Object.values(mart.datasetOf ?? {}),
        ...Object.values(mart.datasetsBy?.values ?? {}),
      ];
      expect(declared.filter((dataset) => !shows?.includes(datasetNamed(dataset).name))).toEqual([]);
      expect(declared).not.toEqual([]);
    },
  );
});

const conditions: Readonly<Record<AlertColumn, object>> = {
  number: {
    is: [1, 2.5],
    is_not: 3,
    at_least: 1,
    at_most: 9,
    rises_by: 1,
    falls_by: 1,
    rises_by_percent: 5,
    falls_by_percent: 5,
    rises_past: 3,
    falls_past: 3,
    changes: true,
  },
  rank: { at_least: 1, at_most: 9, rises_by: 1, falls_by: 1, rises_past: 3, falls_past: 3, changes: true },
  text: { is: ["a'b", "c"], is_not: "d", changes: true },
  boolean: { is: true, changes: true },
};

test("every condition on every column, and every kind, is a statement that Postgres runs", async () => {
  const alerts: Record<string, object> = Object.fromEntries(Object.keys(alertKinds).map((kind) => [kind, { kind }]));
  for (const [mart, { columns, subject, isEvent, comparedDay }] of Object.entries(alertMarts)) {
    const isSeries = isEvent === undefined && comparedDay === undefined;
    const compares = (condition: object) =>
      Object.entries(condition).filter(([name]) => isSeries || !/rises|falls|changes/.test(name));
    const when = Object.entries(columns).map(([column, kind]) => [
      column,
      Object.fromEntries(compares(conditions[kind])),
    ]);
    alerts[mart] = { mart, when: { ...Object.fromEntries(when), [subject[0] ?? ""]: { is: "ios" } } };
  }
  const days = [day("2026-08-01"), day("2026-08-03")];
  for (const alert of alertsIn(settingsWith(alerts)))
    expect([alert.name, await findFires(stage.db, alert, days)]).toEqual([alert.name, []]);
});
