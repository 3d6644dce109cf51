import type { z } from "zod";
import type { Operation } from "../api/define-operation.ts";
import { latestEnd } from "../api/range.ts";
import { addDays, dayOf, type Day } from "../core/day.ts";
import { periodOf, type Grid } from "../core/period.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { scopeKey, type Scope, type SliceDraft } from "../core/slice.ts";
import { devicesOf, storeOf, type Store } from "../core/store.ts";
import { carries, type FetchOption } from "../core/fetch-option.ts";
import type { Timing } from "../core/timing.ts";
import { lastDay, windowLength, type Window } from "../core/window.ts";
import { fetchOptionFor, type Dataset, type Partition } from "../datasets/shared/define-dataset.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import type { AnswerFile } from "./answer-file.ts";

/** What is wrong with a file, in words. */
export class Misfit extends Error {}

/** The slice that a file answers; throws a Misfit for one that a plan of ours could not have made by `now` (epoch-ms). */
export function broughtSlice(
  dataset: Dataset,
  file: AnswerFile,
  { pages, now }: { pages: readonly LandedPage[]; now: number },
): SliceDraft {
  const { timing, draft } = draftOf(dataset, file, pages);
  checkDays(timing, draft, pages, now);
  return draft;
}

type Drafted = { readonly timing: Timing; readonly draft: SliceDraft };

function draftOf(dataset: Dataset, file: AnswerFile, pages: readonly LandedPage[]): Drafted {
  const window: Window = { start: file.window.from, end: addDays(file.window.to, 1) };
  if (windowLength(window) === 0) throw new Misfit("window: to is before from");
  const items = file.items == null ? null : [...file.items].sort();
  if (new Set(items).size !== (items?.length ?? 0)) throw new Misfit("items: one is named twice");
  const { timing = dataset.timing } = partitionFor(dataset, file.scope, items);
  const operation = operationOf(dataset, file, { window, items });
  const newest = Math.max(...pages.map(({ fetchedAt }) => fetchedAt));
  const draft = {
    dataset: dataset.name,
    operation: operation.id,
    scope: file.scope,
    items,
    window,
    class: file.class ?? (timing.kind === "snapshot" ? "snapshot" : "backfill"),
    requests: pages.length,
    credits: pages.length * operation.cost,
    asOf: file.as_of ?? (timing.kind === "snapshot" ? window.start : dayOf(newest)),
    fingerprint: file.fingerprint ?? "",
  };
  return { timing, draft };
}

/** The partition of a scope: the dataset would make the same one for a portfolio, and options, of just that. */
function partitionFor(dataset: Dataset, given: Scope, items: readonly string[] | null): Partition {
  // how many pages were asked for tells nobody apart
  const { most_pages: _, ...scope } = given;
  const { store, app } = scope;
  if (store !== undefined && !Object.hasOwn(devicesOf, store)) throw new Misfit("scope.store: is ios or android");
  if (store !== undefined && app !== undefined && storeOf(app) !== store)
    throw new Misfit(`scope.app: is no app of the store ${store}`);
  const made = dataset.madeFrom?.(scope, items) ?? { options: optionsIn(dataset, scope), sources: {} };
  const likely = portfolioOf(dataset, scope, items);
  // a scope that no options make is looked for among those of the defaults, and not found
  const options = dataset.options?.safeParse(made.options).success === false ? {} : made.options;
  const partitions = dataset.partitions({ ...likely, sources: { ...likely.sources, ...made.sources } }, options);
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
  return wanted;
}

/** Options under which a scope is made: one that is named like a part of the scope has its value, one named like several of them a list of it. */
function optionsIn({ options }: Dataset, scope: Scope): unknown {
  const given = Object.entries(options?.shape ?? {}).flatMap(([name, schema]): [string, unknown][] => {
    const [own, listed] = [scope[name], scope[name.replace(/ies$/, "y").replace(/s$/, "")]];
    const forms = own !== undefined ? [own, Number(own)] : listed === undefined ? [] : [[listed], [Number(listed)]];
    const fitting = forms.find((form) => (schema as z.ZodType).safeParse(form).success);
    return fitting === undefined ? [] : [[name, fitting]];
  });
  return Object.fromEntries(given);
}

function portfolioOf(dataset: Dataset, scope: Scope, items: readonly string[] | null): Portfolio {
  const trackId = scope["app"] ?? "1";
  const store = (scope["store"] as Store | undefined) ?? storeOf(trackId);
  const keywords = items ?? [scope["keyword"] ?? "word"];
  const countries = [{ country: scope["country"] ?? "US", keywords, keywordCount: keywords.length }];
  const sources = Object.fromEntries((dataset.plannedFrom ?? []).map((name) => [name, [scope]]));
  return { apps: [{ store, trackId, tracked: true, countries }], sources };
}

/** The operation that is named, or the first that can have brought so much in one call. */
function operationOf(
  dataset: Dataset,
  file: AnswerFile,
  { window, items }: { window: Window; items: readonly string[] | null },
): Operation {
  const able = [...new Set([...dataset.operationsFor(file.scope), ...wholeList(dataset)])];
  const fitting = able.filter((operation) => {
    const option = fetchOptionFor(dataset, operation, { scope: file.scope }, new Map());
    if (!mayHold(operation, window)) return false;
    if (wholeList(dataset).includes(operation)) return true;
    return (items?.length ?? 0) <= option.maxItems && (items ?? []).every((item) => carries(option, item));
  });
  const found = fitting.find(({ id }) => file.operation === undefined || id === file.operation);
  if (found !== undefined) return found;
  const asked = [count(windowLength(window), "day"), ...(items === null ? [] : [count(items.length, "item")])];
  if (fitting.length > 0)
    throw new Misfit(`operation: ${asked.join(" and ")} come by one call of ${fitting.map(({ id }) => id).join(", ")}`);
  const most = able.map((operation) =>
    mostOf(
      fetchOptionFor(dataset, operation, { scope: file.scope }, new Map()),
      items !== null && !wholeList(dataset).includes(operation),
    ),
  );
  throw new Misfit(`window: holds ${asked.join(" and ")}; one call carries at most ${most.join(", ")}`);
}

/** What one call of an operation can carry, in words; where it names items these as well. */
function mostOf({ operation, maxDays, maxItems, splitsAtComma = true }: FetchOption, names: boolean): string {
  const days = Number.isFinite(maxDays) ? count(maxDays, "day") : "any number of days";
  const commas = maxItems > 1 && splitsAtComma ? " (none with a comma)" : "";
  return `${days}${names ? ` and ${count(maxItems, "item")}${commas}` : ""} by ${operation}`;
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? "" : "s"}`;
}

/** True when one call of an operation may span a window. */
function mayHold({ range }: Operation, { start, end }: Window): boolean {
  const latest = range === null ? addDays(start, 1) : latestEnd(range, start);
  return latest === null || end <= latest;
}

/** The operation that names no items, whatever their number. */
function wholeList(dataset: Dataset): readonly Operation[] {
  return dataset.wholeList === undefined ? [] : [dataset.wholeList.operation];
}

function checkDays(timing: Timing, { window, asOf }: SliceDraft, pages: readonly LandedPage[], now: number): void {
  const today = dayOf(now);
  if (lastDay(window) > today) throw new Misfit("window: holds a day to come");
  if (asOf > today) throw new Misfit("as_of: is a day to come");
  if (lastDay(window) > asOf) throw new Misfit("as_of: is before the last day of the window");
  if (timing.kind === "period" && !isPeriod(timing.grid, window))
    throw new Misfit("window: is no period of the dataset; it asks for whole ones, counted from a fixed day");
  if (timing.kind === "snapshot" && !isOnly(window, asOf))
    throw new Misfit("window: only the day on which it was asked can be answered, and that is as_of");
  // a day is over a little earlier to the east of UTC
  if (pages.some(({ fetchedAt }) => addDays(dayOf(fetchedAt), 1) < lastDay(window)))
    throw new Misfit("fetched_at: is before the last day of the window");
  if (pages.some(({ fetchedAt }) => fetchedAt > now)) throw new Misfit("fetched_at: is in the future");
}

function isPeriod(grid: Grid, { start, end }: Window): boolean {
  const period = periodOf(grid, start);
  return period.start === start && period.end === end;
}

function isOnly(window: Window, asOf: Day): boolean {
  return windowLength(window) === 1 && window.start === asOf;
}
