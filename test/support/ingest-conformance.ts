import { promisify } from "node:util";
import { zstdDecompress } from "node:zlib";
import type { Operation } from "../../src/api/define-operation.ts";
import { operationById, operations } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { addDays } from "../../src/core/day.ts";
import type { Window } from "../../src/core/window.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { commitSlice } from "../../src/ingest/commit-slice.ts";
import { prepareSlice } from "../../src/ingest/prepare-slice.ts";
import { sliceOf, type SliceRow } from "../../src/ledger/slice-rows.ts";
import { answers as sandboxAnswers } from "../../src/sandbox/answers/all.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { datasetNamed, datasets } from "../../src/datasets/shared/all.ts";
import { fieldsOf, sampleOf, type Loaded } from "./answer-fields.ts";
import { documentedFields } from "./api-fields.ts";
import { misnamed } from "./column-rules.ts";
import { draftMigration } from "./draft-migration.ts";
import { openStage, today, type Stage } from "./ingest-stage.ts";
import { factsIn } from "./ingest-tables.ts";
import { columnsOfDefinition, type Column } from "./table-columns.ts";
import { claim } from "./queue-steps.ts";

/** The datasets that the conformance suite holds to its promises: the one that `npm run test:dataset` names, or all. */
export function datasetsUnderTest(): readonly Dataset[] {
  const name = process.env["STOREHOUSE_TEST_DATASET"];
  return name === undefined ? datasets : [datasetNamed(name)];
}

/**
 * A warehouse into which datasets were synced from a sandbox, with those that they are planned from or share an operation with; without
 * options over more days than any one call may span. All that a new dataset lacks is one error that says what to write.
 */
export async function syncedStage(
  options: SandboxOptions = { market: { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 8 } },
  within: number | Partial<Window> = 35,
  chosen = datasets,
): Promise<Stage> {
  const stage = await openStage(options);
  const missing = (await Promise.all(chosen.map((dataset) => missingPieces(stage, dataset)))).flat();
  if (missing.length > 0) throw new Error(missing.join("\n"));
  // an answer that two datasets request has each field in a column of one of them
  const shared = datasets.filter((one) =>
    chosen.some((other) => other.operations.some((operation) => one.operations.includes(operation))),
  );
  const { storeWords } = options;
  await stage.sync({
    settings: { ...everythingOn, ...(storeWords === undefined ? {} : { api: { store_words: storeWords } }) },
    request: {
      bounds: typeof within === "number" ? { start: addDays(today, -within) } : within,
      datasets: chosen.length === datasets.length ? [] : shared.map(({ name }) => name),
    },
  });
  return stage;
}

/** What a dataset lacks, a sentence for each piece: all that shows before an answer is requested. */
async function missingPieces(stage: Pick<Stage, "query">, dataset: Dataset): Promise<readonly string[]> {
  const names = dataset.tables
    .filter(({ name }) => name.startsWith("core."))
    .flatMap((table) => misnamed(table.name, columnsOfDefinition(table)));
  const tables = await stage.query<{ name: string }>(
    "select name from unnest($1::text[]) as name where to_regclass(name) is null",
    [dataset.tables.map(({ name }) => name)],
  );
  const list = tables.map(({ name }) => name).join(", ");
  return [
    ...dataset.operations.flatMap(missingOf),
    ...names,
    ...(list === "" ? [] : [`no migration makes ${list}; start from\n\n${draftMigration(dataset)}\n`]),
  ];
}

function missingOf(operation: Operation): readonly string[] {
  const { id } = operation;
  const named = fieldsOf(operation).some((field) => /\w/.test(field));
  return [
    ...(operations.includes(operation) ? [] : [`list the file of ${id} in src/api/operations/all.ts`]),
    ...(id in sandboxAnswers
      ? []
      : [`answer ${id} in a file of src/sandbox/answers, and list that in src/sandbox/answers/all.ts`]),
    ...(named && documentedFields(id).length === 0
      ? [`copy the fields of the answer of ${id} from the API's description to test/support/api-fields.ts`]
      : []),
  ];
}

/**
 * The columns that a table has in the database, in order, without those that it numbers itself. Those that a later migration added stand
 * behind `slice_id` and `fetched_at` there.
 */
export function columnsInDatabase(stage: Stage, table: string): Promise<Column[]> {
  return stage.query<Column>(
    `select column_name as name, format_type(a.atttypid, null) as type
     from   information_schema.columns as c
     join   pg_attribute as a on a.attrelid = $1::regclass and a.attname = c.column_name
     where  table_schema || '.' || table_name = $1::text and is_identity = 'NO'
     order  by column_name in ('slice_id', 'fetched_at'), ordinal_position`,
    [table],
  );
}

/** Which of these columns may be null in the database. */
export async function nullable(stage: Stage, table: string, columns: readonly string[]): Promise<string[]> {
  const rows = await stage.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = $1::regclass and attname = any ($2) and not attnotnull",
    [table, columns],
  );
  return rows.map(({ name }) => name);
}

/** The columns of each primary key and unique constraint of a table, in order. */
export async function keysInDatabase(stage: Stage, table: string): Promise<{ primary: boolean; columns: string[] }[]> {
  return stage.query<{ primary: boolean; columns: string[] }>(
    `select contype = 'p' as primary,
            array(select attname::text from unnest(conkey) with ordinality as k (attnum, position)
                  join pg_attribute as a on a.attrelid = conrelid and a.attnum = k.attnum order by position) as columns
     from   pg_constraint
     where  conrelid = $1::regclass and contype in ('p', 'u')
     order  by contype`,
    [table],
  );
}

/** The table itself and those of its columns that have no comment. */
export async function uncommented(stage: Stage, table: string): Promise<string[]> {
  const rows = await stage.query<{ name: string }>(
    `select '' as name where obj_description($1::regclass, 'pg_class') is null
     union all
     select attname from pg_attribute
     where  attrelid = $1::regclass and attnum > 0 and not attisdropped and col_description(attrelid, attnum) is null`,
    [table],
  );
  return rows.map(({ name }) => name);
}

const unpack = promisify(zstdDecompress);

type Again = {
  /** Milliseconds after an answer was received, at which it counts as received, by turns. */
  readonly later: readonly number[];
  /** How many of each operation, class and state; all where there is none. */
  readonly most?: number | null;
};

/** Loads answers of datasets once more from what was landed. Returns how many slices of each it loaded. */
export async function loadAgain(
  stage: Stage,
  chosen: readonly Dataset[],
  again: Again,
): Promise<ReadonlyMap<string, number>> {
  await using app = await stage.open();
  await using ingest = await openIngest(app, "foreground", createRunLimit(0));
  const loaded = new Map<string, number>();
  for (const dataset of chosen) loaded.set(dataset.name, await loadDatasetAgain(stage, dataset, ingest.parts, again));
  return loaded;
}

async function loadDatasetAgain(
  stage: Stage,
  dataset: Dataset,
  parts: Awaited<ReturnType<typeof openIngest>>["parts"],
  { later, most = null }: Again,
): Promise<number> {
  const slices = await stage.query<{ slice_id: string }>(
    `update ops.slice set state = 'pending', due_at = null, queue_id = $2
     where  slice_id in (select slice_id
                         from   (select slice_id, row_number() over (partition by operation, class, state order by slice_id) as place
                                 from   ops.slice where dataset = $1 and state in ('loaded', 'empty')) as s
                         where  $3::int is null or place <= $3)
     returning slice_id`,
    [dataset.name, parts.queueId, most],
  );
  for (const [index, { slice_id: sliceId }] of slices.entries()) {
    const slice = await claim(parts.db, sliceId, parts, parts.clock.now());
    if (slice === null) throw new Error(`slice ${sliceId} was not to be had`);
    const answers = await stage.query<{ body: Buffer; fetched_at: Date }>(
      "select body, fetched_at from raw.answer where slice_id = $1 order by attempt, page",
      [sliceId],
    );
    const operation = operationById(slice.operation);
    const pages = await Promise.all(answers.map(async ({ body }) => readAnswer(operation, await unpack(body))));
    const load = await prepareSlice(parts, {
      dataset,
      slice,
      fetched: {
        pages: pages.map((page) => page.value),
        invalid: pages.flatMap((page) => page.invalid),
        drift: pages.flatMap((page) => page.drift),
        fetchedAt:
          Math.max(...answers.map((answer) => answer.fetched_at.getTime())) + (later[index % later.length] ?? 0),
      },
    });
    await commitSlice(parts, load);
  }
  return slices.length;
}

/** The days, by state and scope, that the ledger names of a dataset, as `2026-08-01 loaded`; and of a scope and list the newest slice decides. */
export async function daysByState(stage: Stage, dataset: Dataset): Promise<ReadonlyMap<string, string>> {
  const rows = await stage.query<{ cell: string; state: string }>(
    `select distinct on (1) concat_ws(' ', d::date, scope::text, digest) as cell, state
     from   ops.slice left join ops.batch using (batch_id), generate_series(window_start, window_end - 1, interval '1 day') as d
     where  dataset = $1
     order  by 1, slice_id desc`,
    [dataset.name],
  );
  return new Map(rows.map(({ cell, state }) => [cell, state]));
}

/** Rows of a dataset's first table by the day that answers give them; those of no day under "". */
export async function rowsByDay(stage: Stage, dataset: Dataset): Promise<ReadonlyMap<string, readonly string[]>> {
  const names = dataset.tables.slice(0, 1).map(({ name }) => name);
  const all = Object.values(await factsIn(stage, names)).flat();
  const dayOf = (row: string) => {
    const value = (JSON.parse(row) as Record<string, unknown>)[dataset.reportedBy?.column ?? ""];
    return typeof value === "string" ? value.slice(0, 10) : "";
  };
  return Map.groupBy(all, dayOf);
}

/** The largest loaded answers of an operation for a dataset; where it was never answered with an item, one of every field. */
export async function loadedAnswers(stage: Stage, dataset: Dataset, operation: Operation): Promise<readonly Loaded[]> {
  const rows = await stage.query<SliceRow & { state: string; bodies: Buffer[] | null }>(
    `select s.slice_id, s.run_id, s.attempt, s.dataset, s.operation, s.scope, to_json(b.items)::text as items, s.window_start::text,
            s.window_end::text, s.requested_end::text, s.as_of::text, s.fingerprint, s.class, s.planned_requests, s.planned_credits,
            s.tail_of, s.state, a.bodies
     from   ops.slice as s
     left   join ops.batch as b on b.batch_id = s.batch_id
     left   join lateral (select array_agg(a.body order by a.attempt, a.page) as bodies, sum(a.byte_count) as bytes
                          from   raw.answer as a where a.slice_id = s.slice_id) as a on true
     where  s.dataset = $1 and s.operation = $2 and s.state in ('loaded', 'empty')
     order  by s.state desc, a.bytes desc nulls last
     limit  3`,
    [dataset.name, operation.id],
  );
  const data = operation.envelope === "data" ? { data: sampleOf(operation), success: true } : sampleOf(operation);
  const sample = [Buffer.from(JSON.stringify(data))];
  const loaded = rows.filter(({ state }) => state === "loaded");
  if (loaded.length === 0) return rows.map((row) => ({ dataset, operation, slice: sliceOf(row), bodies: sample }));
  return Promise.all(
    loaded.map(async (row) => ({
      dataset,
      operation,
      slice: sliceOf(row),
      bodies: await Promise.all((row.bodies ?? []).map((body) => unpack(body))),
    })),
  );
}
