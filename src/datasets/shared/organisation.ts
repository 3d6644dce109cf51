import type { Operation } from "../../api/define-operation.ts";
import { latestEnd } from "../../api/range.ts";
import { addDays } from "../../core/day.ts";
import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import type { Window } from "../../core/window.ts";
import { part } from "./define-dataset.ts";
import { organisations } from "../search-ads-integration.ts";

/**
 * The ids of the search-ads organisations of the account, each once, without those that the service calls invalid; none if nothing is
 * connected.
 */
export function connectedOrganisations(portfolio: Portfolio): readonly string[] {
  const found = portfolio.sources?.[organisations.name] ?? [];
  const usable = found.filter(({ is_valid: valid }) => valid !== "false");
  return [...new Set(usable.flatMap(({ org_id: org }) => (org === undefined ? [] : [org])))];
}

/** The organisation of a scope as calls name it. */
export function numberOfOrganisation(scope: Scope): number {
  return Number(part(scope, "org_id"));
}

/**
 * The days of a slice and the day after them, if it is not in the future and a call may span it. The contract does not say whether an end
 * is inclusive; since every row has its day, none is lost or loaded twice either way.
 */
export function daysAndOneMore({ range }: Operation, { window, asOf }: Pick<Slice, "window" | "asOf">): Window {
  const more = { start: window.start, end: addDays(window.end, 1) };
  const latest = range === null ? null : latestEnd(range, window.start);
  return window.end <= asOf && (latest === null || more.end <= latest) ? more : window;
}
