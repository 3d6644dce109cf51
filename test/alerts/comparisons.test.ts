import { expect, test } from "vitest";
import { conditionSql } from "../../src/alerts/condition-sql.ts";
import { isFurtherChange } from "../../src/alerts/further-change.ts";
import type { AlertConditions } from "../../src/config/alert-condition.ts";
import type { AlertColumn } from "../../src/config/alert-marts.ts";
import { sql } from "../../src/postgres/sql.ts";
import { forTests } from "../support/for-tests.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";

const stage = forTests(() => openWarehouseStage(1));

type Cell = string | number | boolean | null;
type Condition = AlertConditions[string];

const decimals = [null, -1, 0, 0.1, 0.3, 0.77, 1.1, 4, 4.4, 4.41, 4.5, 100, 110, 143];
const places = [null, 1, 4, 5, 9, 10, 11, 16, 50];
const ofRanks: readonly Condition[] = [
  { rises_by: 5 },
  { falls_by: 5 },
  { rises_past: 10 },
  { falls_past: 4 },
  { changes: true },
];
const ofNumbers: readonly Condition[] = [
  { rises_by: 0.1 },
  { rises_by: 0.2 },
  { falls_by: 0.1 },
  { falls_by: 0.2 },
  { rises_by_percent: 10 },
  { rises_by_percent: 30 },
  { falls_by_percent: 30 },
  { falls_by_percent: 100 },
  { rises_past: -1 },
  { falls_past: 0 },
  { falls_past: 4.4 },
  { rises_past: 4.4 },
  { rises_by: 0.1, falls_past: 4.4 },
];
const cases = [
  ...ofRanks.map((condition) => ["rank", "bigint", condition, places] as const),
  ...[...ofNumbers, ...ofRanks].map((condition) => ["number", "numeric", condition, decimals] as const),
  ["text", "text", { changes: true }, [null, "a", "b"]],
  ["boolean", "boolean", { changes: true }, [null, true, false]],
] as const satisfies readonly (readonly [AlertColumn, string, Condition, readonly Cell[]])[];

test.each(cases)("a further change is what a mart compares alike: %s (%s) %o", async (kind, type, condition, cells) => {
  const pairs = cells.flatMap((before) => cells.map((value) => ({ before_value: before, value })));
  const { rows } = await sql<{ before_value: Cell; value: Cell }>`
    select c.before_value, c.value
    from   (select p.*, current_date as earlier_day
            from   jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p (before_value ${sql.raw(type)}, value ${sql.raw(type)})) as c
    where  ${conditionSql({ column: "value", kind, condition })}`.execute(stage.db);
  const alert = {
    conditions: { value: condition },
    mart: { subject: [], columns: { value: kind }, datasets: [] },
  };
  const further = pairs.filter((pair) =>
    isFurtherChange(alert, { before: { value: pair.before_value }, values: { value: pair.value } }),
  );
  const named = (all: readonly { before_value: Cell; value: Cell }[]) =>
    all.map((pair) => `${String(pair.before_value)} -> ${String(pair.value)}`).toSorted();
  expect(named(further)).toEqual(named(rows));
});
