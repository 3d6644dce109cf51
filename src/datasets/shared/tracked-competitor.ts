import type { InvalidItem } from "../../api/read-answer.ts";
import { StoreTrackId } from "../../api/values.ts";
import { storeOf } from "../../core/store.ts";
import type { PlanningSource } from "../../load/planning-sources.ts";
import { appRef, defineTable, type Row } from "../../load/table.ts";
import { describers } from "./dim-app.ts";

/** Which apps the account names as competitors of an app that it tracks. */
export const trackedCompetitor = defineTable({
  name: "core.tracked_competitor",
  columns: { app_key: "app", competitor_app_key: "app", account: "text" },
  key: ["app_key", "competitor_app_key", "account"],
  load: { kind: "history", scope: ["account"], versioned: [] },
  partitioned: false,
});

/** The competitors that the account names now: `store` and `app` of the tracked app, `competitor_store` and `competitor_app`. */
export const namedCompetitors = {
  name: "tracked_competitor",
  table: trackedCompetitor,
  columns: ["app_key", "competitor_app_key"],
} as const satisfies PlanningSource;

/**
 * What the list of tracked apps says about competitors: which app has which, the reported facts about each, and entries that name no app.
 */
export type Competitors = {
  readonly pairs: readonly Row[];
  readonly described: readonly Row[];
  readonly invalid: readonly InvalidItem[];
};

type Naming = { readonly trackId: string | number; readonly competitors?: unknown };

/**
 * Reads the competitors of tracked apps. Each is app information with a track id, or the bare id. An app without a list has none. An entry
 * that names no app is left out, and it is then unknown which competitor is gone. If several apps name a competitor, the first report of
 * each fact counts.
 */
export function competitorsOf(apps: readonly Naming[]): Competitors {
  const pairs = new Map<string, Row>();
  const reported = new Map<string, Row>();
  const invalid: InvalidItem[] = [];
  for (const { trackId: app, competitors } of apps) {
    const { list, problem } = listOf(competitors);
    if (problem !== null) invalid.push(mismatchOf(app, problem, competitors));
    for (const one of list) {
      const id = trackIdOf(one);
      if (id === null) invalid.push(mismatchOf(app, "a competitor has no track id", one));
      // an app is not its own competitor
      if (id === null || id === String(app)) continue;
      pairs.set(`${app} ${id}`, { app_key: refOf(String(app)), competitor_app_key: refOf(id) });
      const facts = describe(one);
      if (Object.keys(facts).length > 0) reported.set(id, { ...facts, ...reported.get(id) });
    }
  }
  return { pairs: [...pairs.values()], described: [...reported].map(([id, facts]) => described(id, facts)), invalid };
}

function mismatchOf(app: string | number, reason: string, item: unknown): InvalidItem {
  return { reason, item: { trackId: app, competitors: item }, table: trackedCompetitor.name };
}

function listOf(value: unknown): { readonly list: readonly unknown[]; readonly problem: string | null } {
  if (value === undefined || value === null) return { list: [], problem: null };
  return Array.isArray(value) ? { list: value, problem: null } : { list: [], problem: "competitors are not a list" };
}

/** The id of a competitor; null if it is not an id of either store. */
function trackIdOf(competitor: unknown): string | null {
  const id = hasFields(competitor) ? competitor["trackId"] : competitor;
  if (typeof id === "number") return Number.isSafeInteger(id) && id > 0 ? String(id) : null;
  return StoreTrackId.safeParse(id).success ? String(id) : null;
}

function refOf(trackId: string): string {
  return appRef(storeOf(trackId), trackId);
}

/** The reported facts of a competitor; those in an unexpected form are left out. */
function describe(competitor: unknown): Row {
  if (!hasFields(competitor)) return {};
  const facts: Row = {
    app_name: textOf(competitor["name"]),
    category_id: textOf(competitor["categoryId"]),
    category_name: textOf(competitor["categoryName"]),
    icon_url: textOf(competitor["iconUrl"]),
    price_text: textOf(competitor["price"]),
    developer_id: textOf(competitor["developerId"]),
    developer_name: textOf(competitor["developerName"]),
    rating: numberOf(competitor["rating"]),
    rating_count: countOf(competitor["ratingCount"]),
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}

function hasFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function described(trackId: string, facts: Row): Row {
  return { store: storeOf(trackId), track_id: trackId, ...facts, described_by: describers.competitor };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function numberOf(value: unknown): number | null {
  const text = textOf(value)?.trim() ?? "";
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : null;
}

function countOf(value: unknown): number | null {
  const count = numberOf(value);
  return Number.isSafeInteger(count) ? count : null;
}
