import type { Operation } from "../api/define-operation.ts";
import { latestEnd } from "../api/range.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import { StorehouseError } from "../core/errors.ts";
import { carries, type FetchOption } from "../core/fetch-option.ts";
import { periodOf, type Grid } from "../core/period.ts";
import type { Scope, Slice, SliceDraft } from "../core/slice.ts";
import { devicesOf, storeOf } from "../core/store.ts";
import { isSameWindow, lastDay, windowLength, type Window } from "../core/window.ts";
import { countOf } from "../core/words.ts";
import type { Dataset, Partition } from "../datasets/shared/define-dataset.ts";
import { fetchOptionFor } from "../datasets/shared/fetch-option-for.ts";
import { itemsFrom } from "../ledger/batches.ts";
import { accountColumn } from "../load/table.ts";
import { possiblePartitions, timingsOf } from "../planner/example-partitions.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import type { AnswerFile } from "./answer-file.ts";

/** What is wrong with an answer file, in words. */
export class InvalidFile extends Error {}

/** The slice that a file names; throws an InvalidFile for a slice that no plan could have made by `now` (epoch-ms). */
export function sliceOfFile(
  dataset: Dataset,
  file: AnswerFile,
  { pages, now }: { pages: readonly LandedPage[]; now: number },
): SliceDraft {
  const window: Window = { start: file.window.from, end: addDays(file.window.to, 1) };
  if (windowLength(window) === 0) throw new InvalidFile("window: to is before from");
  const items = file.items == null ? null : sorted(file.items);
  checkStore(file.scope);
  const operation = operationOf(dataset, file, { window, items });
  const draft = {
    dataset: dataset.name,
    operation: operation.id,
    scope: file.scope,
    items,
    window,
    class: file.class,
    requests: pages.length,
    credits: pages.length * operation.cost,
    asOf: file.as_of,
    fingerprint: file.fingerprint ?? "",
  };
  const examples = examplesOf(dataset);
  checkPartition(dataset, draft, examples);
  checkDays(draft, pages, now);
  checkTiming(dataset, draft, examples);
  return draft;
}

/** Sorted lists by the list in the file: files of many days share one list, in one order. */
const sortedLists = new WeakMap<readonly string[], readonly string[]>();

function sorted(items: readonly string[]): readonly string[] {
  const given = itemsFrom(JSON.stringify(items));
  const known = sortedLists.get(given);
  if (known !== undefined) return known;
  if (new Set(given).size !== given.length) throw new InvalidFile("items: one is listed twice");
  const list = itemsFrom(JSON.stringify([...given].sort()));
  sortedLists.set(given, list);
  return list;
}

const examplesByDataset = new Map<string, readonly Partition[]>();

/** Partitions that a small account could have: they show the fields of a scope, and whether calls name items. */
function examplesOf(dataset: Dataset): readonly Partition[] {
  const known = examplesByDataset.get(dataset.name);
  if (known !== undefined) return known;
  const made = possiblePartitions(dataset);
  examplesByDataset.set(dataset.name, made);
  return made;
}

function checkStore({ store, app }: Scope): void {
  if (store === undefined) return;
  if (!Object.hasOwn(devicesOf, store)) throw new InvalidFile("scope.store: must be ios or android");
  if (app !== undefined && storeOf(app) !== store)
    throw new InvalidFile(`scope.app: is not an app of the store ${store}`);
}

/**
 * A scope must have the fields of one of the dataset's partitions; other fields are allowed only if its call uses them, since options add
 * such fields.
 */
function checkPartition(dataset: Dataset, draft: SliceDraft, partitions: readonly Partition[]): void {
  if (draft.scope[accountColumn] !== undefined && dataset.ofAccount !== true)
    throw new InvalidFile(`scope.${accountColumn}: is not a field of ${dataset.name}`);
  const named = fieldsOf(draft.scope);
  const likest = partitions
    .filter(({ scope }) => fieldsOf(scope).every((field) => named.includes(field)))
    .sort((a, b) => likeness(b.scope, draft.scope) - likeness(a.scope, draft.scope))[0];
  if (likest === undefined) {
    const needed = fieldsOf(partitions[0]?.scope ?? {}).join(", ");
    throw new InvalidFile(`scope: ${dataset.name} needs the fields ${needed}`);
  }
  const used = fieldsUsed(dataset, draft);
  for (const field of named)
    if (!Object.hasOwn(likest.scope, field) && !used.has(field))
      throw new InvalidFile(`scope.${field}: is not a field of ${dataset.name}`);
  if (likest.items === null && draft.items !== null && !used.has("items"))
    throw new InvalidFile(`items: ${dataset.name} has none`);
  if (likest.items !== null && draft.items === null) throw new InvalidFile("items: the requested items are missing");
}

/** How similar an example is to a scope: by fields first, then by values. */
function likeness(example: Scope, scope: Scope): number {
  const fields = fieldsOf(example);
  return fields.length + fields.filter((field) => example[field] === scope[field]).length / 100;
}

/**
 * The fields of a scope, without the page limit, which any dataset may have, and without the account, which any dataset by account may
 * have.
 */
function fieldsOf(scope: Scope): readonly string[] {
  return Object.keys(scope)
    .filter((field) => field !== "most_pages" && field !== accountColumn)
    .sort();
}

/** The fields of its scope that the call of a slice uses, and `items` if it uses these. */
function fieldsUsed(dataset: Dataset, draft: SliceDraft): ReadonlySet<string> {
  const used = new Set<string>();
  const get = (scope: Scope, field: string) => {
    used.add(field);
    return scope[field];
  };
  const slice: Slice = {
    ...draft,
    scope: new Proxy(draft.scope, { get }),
    get items() {
      used.add("items");
      return draft.items;
    },
    sliceId: "0",
    runId: "0",
    attempt: 0,
  };
  try {
    dataset.request(slice);
  } catch (error) {
    throw error instanceof StorehouseError ? error : new InvalidFile(`scope: ${(error as Error).message}`);
  }
  return used;
}

/** The operation that the file names, if it can answer for the scope and one call can cover the window and items. */
function operationOf(
  dataset: Dataset,
  file: AnswerFile,
  { window, items }: { window: Window; items: readonly string[] | null },
): Operation {
  const { wholeList } = dataset;
  const able = new Set([
    ...dataset.operationsFor(file.scope),
    ...(wholeList === undefined ? [] : [wholeList.operation]),
  ]);
  const operation = [...able].find(({ id }) => id === file.operation);
  if (operation === undefined)
    throw new InvalidFile(`operation: for this scope it must be ${[...able].map(({ id }) => id).join(" or ")}`);
  const option = fetchOptionFor(dataset, operation, { scope: file.scope }, new Map());
  const names = items !== null && wholeList?.operation !== operation ? items : [];
  const fits = names.length <= option.maxItems && names.every((item) => carries(option, item));
  if (fits && mayHold(operation, window)) return operation;
  const held = [countOf(windowLength(window), "day"), ...(items === null ? [] : [countOf(items.length, "item")])];
  throw new InvalidFile(
    `window: has ${held.join(" and ")}; one call covers at most ${mostOf(option, names.length > 0)}`,
  );
}

/** What one call can carry, in words; with items if it names any. */
function mostOf({ operation, maxDays, maxItems, splitsAtComma = true }: FetchOption, names: boolean): string {
  const days = Number.isFinite(maxDays) ? countOf(maxDays, "day") : "any number of days";
  const commas = maxItems > 1 && splitsAtComma ? " (none with a comma)" : "";
  return `${days}${names ? ` and ${countOf(maxItems, "item")}${commas}` : ""} by ${operation}`;
}

/** True when one call of an operation may span a window. */
function mayHold({ range }: Operation, { start, end }: Window): boolean {
  const latest = range === null ? addDays(start, 1) : latestEnd(range, start);
  return latest === null || end <= latest;
}

function checkDays({ window, asOf }: SliceDraft, pages: readonly LandedPage[], now: number): void {
  const today = dayOf(now);
  if (lastDay(window) > today) throw new InvalidFile("window: contains a future day");
  if (asOf > today) throw new InvalidFile("as_of: is a future day");
  if (lastDay(window) > asOf) throw new InvalidFile("as_of: is before the last day of the window");
  // a day ends a little earlier to the east of UTC
  if (pages.some(({ fetchedAt }) => addDays(dayOf(fetchedAt), 1) < lastDay(window)))
    throw new InvalidFile("fetched_at: is before the last day of the window");
  if (pages.some(({ fetchedAt }) => fetchedAt > now)) throw new InvalidFile("fetched_at: is in the future");
}

/** Checks class and window against the dataset's timing; if its partitions differ in timing, only by the class. */
function checkTiming(dataset: Dataset, draft: SliceDraft, partitions: readonly Partition[]): void {
  const [timing, another] = timingsOf(dataset, partitions);
  const isSnapshot = another === undefined && timing?.kind === "snapshot";
  if (isSnapshot && draft.class !== "snapshot") throw new InvalidFile(`class: must be snapshot for ${dataset.name}`);
  if (draft.class === "snapshot" && !isOnly(draft.window, draft.asOf))
    throw new InvalidFile("window: a snapshot is for the day on which it was fetched, which is as_of");
  if (another === undefined && timing?.kind === "period" && !isPeriod(timing.grid, draft.window))
    throw new InvalidFile(`window: ${dataset.name} is fetched in whole periods, counted from a fixed day`);
}

function isPeriod(grid: Grid, window: Window): boolean {
  return isSameWindow(periodOf(grid, window.start), window);
}

function isOnly(window: Window, asOf: Day): boolean {
  return windowLength(window) === 1 && window.start === asOf;
}
