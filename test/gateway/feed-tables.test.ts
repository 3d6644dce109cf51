import { afterEach, beforeEach, expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { createTableFeeder, type TableFeeder } from "../../src/gateway/feed-tables.ts";
import { openIngest } from "../../src/open-ingest.ts";
import type { Database } from "../../src/postgres/database.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

let opened: AsyncDisposableStack;
let stage: Stage;
let feeder: TableFeeder;
/** How many statements the feeder has sent. */
let statements: number;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  stage = opened.use(await openStage());
  const app = opened.use(await stage.open());
  const ingest = opened.use(await openIngest(app, "gateway", createRunLimit(null)));
  statements = 0;
  const { db } = ingest.parts;
  const counting: Database = {
    ...db,
    run: (text, values) => {
      statements += 1;
      return db.run(text, values);
    },
  };
  feeder = createTableFeeder({ app, ingest: { ...ingest.parts, db: counting } });
});
afterEach(() => opened[Symbol.asyncDispose]());

const find = () => feeder.find({ operation: operationById("dashboard.apps"), params: {} }, { today, start: 0 });

test("calls that come together read the portfolio once", async () => {
  await find();
  const once = statements;
  expect(once).toBeGreaterThan(0);
  feeder.forget();
  const found = await Promise.all([find(), find(), find()]);
  expect(found.map((one) => one?.dataset.name)).toEqual(Array(3).fill("tracked_app"));
  expect(statements).toBe(2 * once);
});

test("a portfolio that could not be read is read again for the next call", async () => {
  await stage.query("alter table core.tracked_app rename to away");
  const failed = await Promise.allSettled([find(), find()]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await stage.query("alter table core.away rename to tracked_app");
  expect((await find())?.dataset.name).toBe("tracked_app");
});
