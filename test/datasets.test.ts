import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationById, operations } from "../src/api/operations/all.ts";
import { addDays, daysBetween, type Day } from "../src/core/day.ts";
import { windowLength } from "../src/core/window.ts";
import { projectRoot } from "../src/config/config.ts";
import { datasets } from "../src/datasets/shared/all.ts";
import { unstoredFields } from "../src/docs/unstored-fields.ts";
import { fieldsOf, isRead } from "./support/answer-fields.ts";
import { documentedFields } from "./support/api-fields.ts";
import {
  columnsInDatabase,
  datasetsUnderTest,
  daysByState,
  keysInDatabase,
  loadAgain,
  loadedAnswers,
  nullable,
  rowsByDay,
  syncedStage,
  uncommented,
} from "./support/ingest-conformance.ts";
import { everythingOn } from "../src/demo/shows.ts";
import { examplePartitions, timingsOf } from "../src/planner/example-partitions.ts";
import { today, type Stage } from "./support/ingest-stage.ts";
import { tablesOf, versionsOf } from "./support/ingest-tables.ts";
import { long } from "./support/long.ts";
import { unfilledBySandbox, unfilledColumns } from "./support/unfilled-columns.ts";
import { columnsOfDefinition } from "./support/table-columns.ts";

/** The conformance suite: every dataset is held to the same promises, and none has code of its own here. */
const chosen = datasetsUnderTest();
let stage: Stage;

beforeAll(async () => {
  stage = await syncedStage(undefined, undefined, chosen);
});
afterAll(() => (stage as Stage | undefined)?.[Symbol.asyncDispose]());

describe.each(chosen)("$name", (dataset) => {
  const ids = dataset.operations.map(({ id }) => id);
  const requested = () => stage.requested().filter(({ operation }) => operation !== null && ids.includes(operation));

  test("has one name in dataset, table and file", async () => {
    expect(dataset.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(dataset.tables[0]?.name.replace(/^core\.(fact_|dim_)?/, "")).toBe(dataset.name);
    const file = path.join(projectRoot, "src", "datasets", `${dataset.name.replaceAll("_", "-")}.ts`);
    const module = (await import(file)) as Readonly<Record<string, unknown>>;
    expect(Object.values(module)).toContain(dataset);
  });

  test("says in a sentence what it is and why it is on or off", () => {
    expect(dataset.summary).toMatch(/^[A-Z].+\.$/);
    expect(dataset.why).toMatch(/\S/);
  });

  test("requests each of its operations, and the sandbox answers", () => {
    expect(new Set(requested().map(({ operation }) => operation))).toEqual(new Set(ids));
    expect(new Set(requested().map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("requests no more days and items than a call may carry", () => {
    for (const { operation: id, params } of requested()) {
      const operation = operations.find((one) => one.id === id);
      for (const [name, value] of Object.entries(params))
        if (Array.isArray(value))
          expect(value.length).toBeLessThanOrEqual(operation?.params[name]?.maxItems ?? dataset.itemsPerCall ?? 0);
      const range = operation?.range ?? null;
      if (range === null) continue;
      const days = daysBetween(params[range.start] as Day, params[range.end] as Day) + (range.endInclusive ? 1 : 0);
      expect(days).toBeGreaterThan(0);
      expect(days).toBeLessThanOrEqual(range.days ?? Number.POSITIVE_INFINITY);
    }
  });

  test("turns every answer into rows, with nothing invalid and nothing unknown", async () => {
    const states = await stage.query<{ state: string }>("select distinct state from ops.slice where dataset = $1", [
      dataset.name,
    ]);
    expect(
      states.map(({ state }) => state),
      "with its default options, or their first examples, the sandbox answers with rows",
    ).toContain("loaded");
    expect(["loaded", "empty"]).toEqual(expect.arrayContaining(states.map(({ state }) => state)));
    expect(await stage.query("select reason, item from ops.reject where dataset = $1", [dataset.name])).toEqual([]);
    expect(await stage.query("select path, kind from ops.drift where operation = any ($1)", [ids])).toEqual([]);
    for (const { name } of dataset.tables.filter((table) => dataset.tablesOtherwise?.includes(table) !== true))
      expect((await stage.query(`select from ${name} where slice_id is not null limit 1`)).length).toBe(1);
  });

  test.each(dataset.tables)("has the columns of its definition, in order, in $name", async (table) => {
    expect(await columnsInDatabase(stage, table.name)).toEqual(columnsOfDefinition(table));
  });

  test.each(dataset.tables)("identifies rows in $name by the key of its definition", async (table) => {
    const keys = await keysInDatabase(stage, table.name);
    const key = [...table.key, ...(table.load.kind === "history" ? ["valid_from"] : [])];
    // a dimension is numbered, and its natural key is unique beside the number
    const dimension = table.name.startsWith("core.dim_");
    expect(keys.filter(({ primary }) => primary || dimension).map(({ columns }) => columns)).toContainEqual(key);
    expect(await nullable(stage, table.name, key)).toEqual([]);
  });

  test.each(dataset.tables)("has a value in every column of $name", async (table) => {
    expect(
      await unfilledColumns(stage, table),
      "null in every row: declare the field in src/api/operations, answer it in src/sandbox/answers and take it in normalise; test/support/unfilled-columns.ts lists what the sandbox never has",
    ).toEqual(unfilledBySandbox[table.name] ?? []);
  });

  test.each(dataset.tables)("explains $name and every column of it", async (table) => {
    expect(await uncommented(stage, table.name)).toEqual([]);
  });

  test("costs what was planned, and books what the service charged", async () => {
    const [sums] = await stage.query<{ planned: number; booked: number }>(
      `select sum(planned_credits)::int as planned,
              (select sum(cost)::int from ops.request where dataset = $1) as booked
       from   ops.slice where dataset = $1`,
      [dataset.name],
    );
    expect(sums?.planned).toBeGreaterThan(0);
    expect(sums?.booked).toBe(sums?.planned);
    const booked = await stage.query<{ operation: string; cost: number }>(
      "select operation, sum(cost)::int as cost from ops.request where operation = any ($1) group by operation order by operation",
      [ids],
    );
    const charged = Map.groupBy(requested(), ({ operation }) => operation);
    expect(booked).toEqual(
      [...charged]
        .map(([operation, requests]) => ({ operation, cost: requests.reduce((sum, one) => sum + one.charged, 0) }))
        .sort((a, b) => (String(a.operation) < String(b.operation) ? -1 : 1)),
    );
  });
});

// of all in one test, since to read the rows of all tables takes as long as to load answers
test("no dataset writes a row when the same answers are loaded again, at once or later", async () => {
  const before = await versionsOf(stage);
  // two of each kind a day: one at once, one later
  const ways = long ? [{ later: [0] }, { later: [3_600_000] }] : [{ later: [0, 3_600_000], most: 2 }];
  for (const way of ways) {
    const loaded = await loadAgain(stage, chosen, way);
    for (const { name } of chosen) expect([name, loaded.get(name)]).not.toEqual([name, 0]);
    expect(await versionsOf(stage)).toEqual(before);
  }
});

describe("answers that end early", () => {
  /** Answers reach so many days, and calls that may span more request more. */
  const answered = 4;
  const within = { start: addDays(today, -35), end: addDays(today, -7) };
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 5, organicKeywords: 4 };
  const several = chosen.filter(({ reportedBy }) => reportedBy !== undefined);
  let [whole, short]: [Stage?, Stage?] = [];

  beforeAll(async () => {
    if (several.length === 0) return;
    whole = await syncedStage({ market }, within, several);
    short = await syncedStage({ market, mostRangeDays: answered }, within, several);
  });
  afterAll(async () => {
    for (const one of [whole, short]) await one?.[Symbol.asyncDispose]();
  });

  test.each(chosen)("$name says how its answers show their days where a call may span several", (dataset) => {
    const isSeries = [dataset.timing, ...timingsOf(dataset, examplePartitions(dataset))].some(
      ({ kind }) => kind === "series",
    );
    const spansDays = dataset.operations.some(({ range }) => range !== null);
    expect(dataset.reportedBy !== undefined).toBe(isSeries && spansDays);
    const [table] = dataset.tables;
    if (dataset.reportedBy !== undefined) expect(Object.keys(table!.columns)).toContain(dataset.reportedBy.column);
  });

  test.each(several)("$name requests the rest, and has every day that it calls loaded", async (dataset) => {
    const cut = await short!.query("select from ops.slice where dataset = $1 and tail_of is not null", [dataset.name]);
    expect(
      cut.length,
      `a window of ${windowLength(within)} days was answered for ${answered}, and no rest was requested: choose quietDays below ${windowLength(within) - answered}`,
    ).toBeGreaterThan(0);
    const [expected, states] = [await daysByState(whole!, dataset), await daysByState(short!, dataset)];
    expect([...states.keys()].sort()).toEqual([...expected.keys()].sort());
    expect(["loaded", "empty"]).toEqual(expect.arrayContaining([...new Set(states.values())]));
    const [all, rows] = [await rowsByDay(whole!, dataset), await rowsByDay(short!, dataset)];
    // where days without rows are ordinary, a stretch of them longer than an answer hides what comes after it
    if (dataset.reportedBy?.quietDays === undefined) {
      expect(rows).toEqual(all);
      expect(states).toEqual(expected);
    } else
      for (const [day, own] of rows) if (day !== "") expect(all.get(day)).toEqual(expect.arrayContaining([...own]));
  });

  test.each(several)("$name costs what was planned", async (dataset) => {
    const [sums] = await short!.query<{ planned: number; booked: number }>(
      `select sum(planned_credits)::int as planned, (select sum(cost)::int from ops.request where dataset = $1) as booked
       from   ops.slice where dataset = $1`,
      [dataset.name],
    );
    expect(sums?.booked).toBe(sums?.planned);
  });

  test.runIf(several.length > 0)("a second run requests nothing", async () => {
    short!.sandbox.clearLog();
    const names = several.map(({ name }) => name);
    await short!.sync({ settings: everythingOn, request: { bounds: within, datasets: names } });
    expect(short!.requested()).toEqual([]);
  });
});

describe("every field of every answer", () => {
  const listed = (id: string) => unstoredFields.filter(({ operations: ids }) => ids.includes(id));

  test.each(chosen)("of $name is in a column, or in the list of those that are in none", async (dataset) => {
    for (const operation of dataset.operations) {
      const answers = await loadedAnswers(stage, dataset, operation);
      const fields = [...new Set([...fieldsOf(operation), ...documentedFields(operation.id)])];
      // an answer that two datasets take has each field in a column of one of them
      const others = datasets.filter((one) => one !== dataset && one.operations.includes(operation));
      const theirs = await Promise.all(others.map((one) => loadedAnswers(stage, one, operation)));
      const known = listed(operation.id).flatMap((one) => one.fields ?? []);
      // to find out that a field is in no column takes longest, so what the list names is not tried
      const tried = fields.filter((field) => !known.includes(field));
      const unread = tried.filter((field) => ![...answers, ...theirs.flat()].some((one) => isRead(one, field)));
      // the fetch option that brings a whole list is not the cheapest way here
      if (answers.length === 0) expect(dataset.wholeList?.operation).toBe(operation);
      else expect(unread, `${operation.id}: to a column, to extra, or to src/docs/unstored-fields.ts`).toEqual([]);
    }
  });

  test("is documented, and an operation without a dataset is in the list", () => {
    const stored = new Set(datasets.flatMap((dataset) => dataset.operations.map(({ id }) => id)));
    for (const { id } of operations)
      if (!stored.has(id)) expect([id, ...listed(id).map(({ fields }) => fields)]).toEqual([id, undefined]);
    for (const { operations: ids, fields } of unstoredFields)
      for (const id of ids) {
        const operation = operationById(id);
        expect(fieldsOf(operation)).toEqual(expect.arrayContaining([...(fields ?? [])]));
      }
  });
});

/** What people say of the portfolio, by the configuration or by a file of their own. */
const givenByPeople = [
  "core.configured_portfolio",
  "core.grouped_app",
  "core.grouped_keyword",
  "core.reporting_currency",
  "core.reporting_rate",
];

test("no table in core is without a dataset, a dimension or a person that fills it", async () => {
  const loaded = datasets.flatMap(({ tables }) =>
    tables.flatMap(({ name, sums }): string[] => [name, ...(sums === undefined ? [] : [sums.name])]),
  );
  const owned = [...loaded, ...givenByPeople];
  const orphans = (await tablesOf(stage)).filter((name) => !owned.includes(name) && !name.startsWith("core.dim_"));
  expect(orphans).toEqual([]);
});
