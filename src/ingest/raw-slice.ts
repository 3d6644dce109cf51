import type { Operation } from "../api/define-operation.ts";
import { wayOf } from "../api/ways.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { scopeKey, type Scope, type SliceDraft } from "../core/slice.ts";
import { devicesOf, storeOf, type Store } from "../core/store.ts";
import { carries } from "../core/way.ts";
import { lastDay, windowLength, type Window } from "../core/window.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import type { LandedPage } from "../warehouse/landed.ts";
import type { AnswerFile } from "./raw-file.ts";

/** What is wrong with a file, in words. */
export class Misfit extends Error {}

/** The slice that a file answers; throws a Misfit for one that a plan of ours could not have made by `now` (epoch-ms). */
export function broughtSlice(
  dataset: Dataset,
  file: AnswerFile,
  { pages, now }: { pages: readonly LandedPage[]; now: number },
): SliceDraft {
  const draft = draftOf(dataset, file, pages);
  checkDays(dataset, draft, pages, now);
  return draft;
}

function draftOf(dataset: Dataset, file: AnswerFile, pages: readonly LandedPage[]): SliceDraft {
  const window: Window = { start: file.window.from, end: addDays(file.window.to, 1) };
  if (windowLength(window) === 0) throw new Misfit("window: to is before from");
  const items = file.items == null ? null : [...file.items].sort();
  if (new Set(items).size !== (items?.length ?? 0)) throw new Misfit("items: one is named twice");
  checkScope(dataset, file.scope, items);
  const operation = operationOf(dataset, file, { window, items });
  const newest = Math.max(...pages.map(({ fetchedAt }) => fetchedAt));
  return {
    dataset: dataset.name,
    operation: operation.id,
    scope: file.scope,
    items,
    window,
    class: file.class ?? (dataset.timing.kind === "snapshot" ? "snapshot" : "backfill"),
    requests: pages.length,
    credits: pages.length * operation.cost,
    asOf: file.as_of ?? (dataset.timing.kind === "snapshot" ? window.start : dayOf(newest)),
    fingerprint: file.fingerprint ?? "",
  };
}

/** A scope fits when the dataset would make the same one for a portfolio of just that. */
function checkScope(dataset: Dataset, scope: Scope, items: readonly string[] | null): void {
  const { store, app } = scope;
  if (store !== undefined && !Object.hasOwn(devicesOf, store)) throw new Misfit("scope.store: is ios or android");
  if (store !== undefined && app !== undefined && storeOf(app) !== store)
    throw new Misfit(`scope.app: is no app of the store ${store}`);
  const partitions = dataset.partitions(portfolioOf(scope, items));
  const wanted = partitions.find((partition) => scopeKey(partition.scope) === scopeKey(scope));
  if (wanted === undefined) {
    const names = Object.keys(partitions[0]?.scope ?? {}).sort();
    throw new Misfit(
      `scope: ${dataset.name} is told apart by ${names.join(", ") || "nothing"}, spelled as in the ledger`,
    );
  }
  if (wanted.items === null && items !== null) throw new Misfit(`items: ${dataset.name} asks for none`);
  if (wanted.items !== null && items === null)
    throw new Misfit(`items: ${dataset.name} needs those that were asked for`);
}

function portfolioOf(scope: Scope, items: readonly string[] | null): Portfolio {
  const trackId = scope["app"] ?? "1";
  const store = (scope["store"] as Store | undefined) ?? storeOf(trackId);
  const keywords = items ?? [scope["keyword"] ?? "word"];
  const countries = [{ country: scope["country"] ?? "US", keywords, keywordCount: keywords.length }];
  return { apps: [{ store, trackId, tracked: true, countries }] };
}

/** The operation that is named, or the first that can have brought so much in one call. */
function operationOf(
  dataset: Dataset,
  file: AnswerFile,
  { window, items }: { window: Window; items: readonly string[] | null },
): Operation {
  const able = [...new Set([...dataset.operationsFor(file.scope), ...wholeList(dataset)])];
  const fitting = able.filter((operation) => {
    const way = wayOf(operation, new Map());
    if (windowLength(window) > way.maxDays) return false;
    if (wholeList(dataset).includes(operation)) return true;
    return (items?.length ?? 0) <= way.maxItems && (items ?? []).every((item) => carries(way, item));
  });
  const found = fitting.find(({ id }) => file.operation === undefined || id === file.operation);
  if (found !== undefined) return found;
  const asked = [count(windowLength(window), "day"), ...(items === null ? [] : [count(items.length, "item")])];
  if (fitting.length > 0)
    throw new Misfit(`operation: ${asked.join(" and ")} come by one call of ${fitting.map(({ id }) => id).join(", ")}`);
  const most = able.map((operation) => mostOf(operation, items !== null && !wholeList(dataset).includes(operation)));
  throw new Misfit(`window: holds ${asked.join(" and ")}; one call carries at most ${most.join(", ")}`);
}

/** What one call of an operation can carry, in words; where it names items these as well. */
function mostOf(operation: Operation, names: boolean): string {
  const { maxDays, maxItems } = wayOf(operation, new Map());
  const days = Number.isFinite(maxDays) ? count(maxDays, "day") : "any number of days";
  const commas = maxItems > 1 ? " (none with a comma)" : "";
  return `${days}${names ? ` and ${count(maxItems, "item")}${commas}` : ""} by ${operation.id}`;
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

/** The operation that names no items, whatever their number. */
function wholeList(dataset: Dataset): readonly Operation[] {
  return dataset.wholeList === undefined ? [] : [dataset.wholeList.operation];
}

function checkDays(dataset: Dataset, { window, asOf }: SliceDraft, pages: readonly LandedPage[], now: number): void {
  const today = dayOf(now);
  if (lastDay(window) > today) throw new Misfit("window: holds a day to come");
  if (asOf > today) throw new Misfit("as_of: is a day to come");
  if (lastDay(window) > asOf) throw new Misfit("as_of: is before the last day of the window");
  if (dataset.timing.kind === "snapshot" && !isOnly(window, asOf))
    throw new Misfit("window: only the day on which it was asked can be answered, and that is as_of");
  // a day is over a little earlier to the east of UTC
  if (pages.some(({ fetchedAt }) => addDays(dayOf(fetchedAt), 1) < lastDay(window)))
    throw new Misfit("fetched_at: is before the last day of the window");
  if (pages.some(({ fetchedAt }) => fetchedAt > now)) throw new Misfit("fetched_at: is in the future");
}

function isOnly(window: Window, asOf: Day): boolean {
  return windowLength(window) === 1 && window.start === asOf;
}
