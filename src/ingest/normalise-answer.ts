import { listsAt } from "../api/lists-at.ts";
import { operationById } from "../api/operations/all.ts";
import { isObject } from "../core/is-object.ts";
import type { Slice } from "../core/slice.ts";
import type { Dataset, Normalised } from "../datasets/shared/define-dataset.ts";
import type { Fetched } from "./read-pages.ts";

/** The rows of an answer; none, and the reason as an invalid item, if the field with its figures seems to have another name. */
export function normaliseAnswer(dataset: Dataset, slice: Slice, fetched: Fetched): Normalised {
  const reason = renamedFigure(dataset, slice, fetched);
  if (reason !== null) return { rows: {}, invalid: [{ reason, item: null }] };
  return dataset.normalise(slice, fetched.pages, fetched.invalid);
}

/**
 * Why the figures of an answer are unknown; null if they are not. An entry may lack its figure, so the schema accepts an answer in which the
 * service renamed that field: then no entry has it, and entries have fields with numbers that the contract does not name.
 */
function renamedFigure({ figures }: Dataset, slice: Slice, { pages, invalid, drift }: Fetched): string | null {
  const { items } = operationById(slice.operation);
  if (figures === undefined || items === null || drift.length === 0) return null;
  const place = [...items, "[]"].reduce((path, step) => path + (isKey(step) && path !== "" ? `.${step}` : step), "");
  const unknown = new Set(
    drift.flatMap(({ path, kind }) => {
      const name = path.startsWith(`${place}.`) ? path.slice(place.length + 1) : "";
      return name === "" || name.includes(".") || kind !== "number" ? [] : [name];
    }),
  );
  if (unknown.size === 0) return null;
  const entries = [...pages.flatMap((page) => listsAt(page, items)).flat(), ...invalid.map(({ item }) => item)];
  if (
    entries.some((entry) => isObject(entry) && figures.some((name) => !unknown.has(name) && Object.hasOwn(entry, name)))
  )
    return null;
  return `no entry has ${figures.join(" or ")}, but entries have unknown fields with numbers: ${[...unknown].join(", ")}`;
}

function isKey(step: string): boolean {
  return step !== "[]" && step !== "{}";
}
