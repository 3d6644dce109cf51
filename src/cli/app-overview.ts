import type { z } from "zod";
import { checkBadge } from "../api/operations/ad-intelligence.ts";
import type { androidAppDetail, iosAppDetail } from "../api/operations/app.ts";
import { appMatch } from "../api/operations/market.ts";
import { AbortError, DeferError, RetryError, SkipError, type StorehouseError } from "../core/errors.ts";
import { type Store, storeOf } from "../core/store.ts";
import { type SendRequest, saysNothing } from "../person/api-session.ts";
import { factList, type Fact } from "./fact-list.ts";
import { print, remark } from "./output.ts";
import { count } from "../core/words.ts";

/** The page of an app in its store, and whose version of it is shown: a country (iOS), a language (Android), or the service's choice. */
export type StorePage = {
  readonly operation: typeof iosAppDetail | typeof androidAppDetail;
  readonly trackId: string;
  readonly place: Readonly<Record<string, string>>;
};

type Detail = z.output<StorePage["operation"]["answer"]>;

/**
 * Which parts of an app are available, and which are not. A part is null if there is none, or if it is unavailable; `unavailable` says why.
 */
export type AppOverview = {
  readonly store: Store;
  readonly trackId: string;
  /** The page as the service sends it. */
  readonly detail: Detail | null;
  /** Track id of the same app in the other store. */
  readonly match: string | null;
  readonly badge: { readonly appAdvertiser: boolean; readonly appPublisher: boolean } | null;
  readonly unavailable: readonly Unavailable[];
};

type Part = "detail" | "match" | "badge";
type Unavailable = { readonly part: Part; readonly code: string; readonly problem: string };

/**
 * Requests the parts one after the other. It continues after an unavailable part, but pays for no other part of an app that the service
 * does not know. Throws the first error if every part is unavailable.
 */
export async function fetchAppOverview(
  send: SendRequest,
  { operation, trackId, place }: StorePage,
): Promise<AppOverview> {
  const store = storeOf(trackId);
  const errors: { readonly part: Part; readonly error: StorehouseError }[] = [];
  const tried = async <T>(part: Part, request: () => Promise<T>): Promise<T | null> => {
    try {
      return await request();
    } catch (error) {
      if (!leavesTheRest(error)) throw error;
      errors.push({ part, error });
      return null;
    }
  };
  const detail = await tried("detail", () => send<StorePage["operation"]>(operation, { trackId, ...place }));
  const isUnknown = Object.keys(place).length === 0 && errors.some(({ error }) => saysNothing(error));
  if (isUnknown) throw errors[0]?.error;
  const other = await tried("match", () => send(appMatch, { store: store === "ios" ? "ios" : "play", trackId }));
  const badge = await tried("badge", () => send(checkBadge, { trackId }));
  if (errors.length === 3) throw errors[0]?.error;
  return {
    store,
    trackId,
    detail,
    match: other == null || other === "" ? null : String(other),
    badge: badge === null ? null : { appAdvertiser: badge.appAdvertiser, appPublisher: badge.appPublisher },
    unavailable: errors
      .filter(({ part, error }) => !(part === "match" && saysNothing(error)))
      .map(({ part, error }) => ({ part, code: error.code, problem: error.problem })),
  };
}

/**
 * True for an error after which the other parts may still be available. The balance check accepted the token, so a refusal concerns one
 * operation only.
 */
function leavesTheRest(error: unknown): error is StorehouseError {
  return [RetryError, SkipError, DeferError, AbortError].some((kind) => error instanceof kind);
}

/** Prints the overview of an app, one fact per line; unavailable parts go to stderr. */
export function printAppOverview(overview: AppOverview): void {
  print(factList(factsOf(overview)));
  for (const { part, code, problem } of overview.unavailable) remark(`No ${part}: ${code}: ${problem}.`);
}

function factsOf({ store, trackId, detail, match, badge, unavailable }: AppOverview): readonly Fact[] {
  const isMissing = (part: string) => unavailable.some((one) => one.part === part);
  const page = (detail ?? {}) as Readonly<Record<string, unknown>>;
  return [
    ["app", `${store} ${trackId}`],
    ["name", textOf(page["name"])],
    ["developer", textOf(page["developerName"] ?? page["developerId"])],
    ["category", textOf(page["categoryName"] ?? page["category"] ?? page["categoryId"])],
    ["price", textOf(page["price"])],
    ["rating", ratingOf(page)],
    ["version", textOf(page["version"])],
    ["installs", textOf(page["installRange"])],
    ["countries", countriesOf(page["availableCountries"])],
    ["removed", page["removed"] === true ? "yes" : null],
    ["other store", isMissing("match") ? null : (match ?? "no matching app is known")],
    ["advertises", badge === null ? null : yesOrNo(badge.appAdvertiser)],
    ["shows ads", badge === null ? null : yesOrNo(badge.appPublisher)],
  ];
}

function textOf(value: unknown): string | null {
  return typeof value === "number" || (typeof value === "string" && value !== "") ? String(value) : null;
}

function ratingOf(page: Readonly<Record<string, unknown>>): string | null {
  const rating = textOf(page["userRatingAverage"] ?? page["userRating"]);
  const ratings = page["userRatingCount"] ?? page["numUserRating"];
  if (rating === null) return null;
  return typeof ratings === "number" ? `${rating} of ${count(ratings)} ratings` : rating;
}

function countriesOf(countries: unknown): string | null {
  return Array.isArray(countries) && countries.length > 0 ? `${countries.length}: ${countries.join(" ")}` : null;
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
