import type { SourceMembers, Portfolio, PortfolioApp } from "../core/portfolio.ts";
import { scopeKey, type Scope } from "../core/slice.ts";
import type { Store } from "../core/store.ts";
import { planningSourcesOf, type Dataset } from "../datasets/shared/define-dataset.ts";
import { namesOf, type PlanningSource } from "../load/planning-sources.ts";

/** The size of a synthetic account. */
export type ExampleSize = { readonly apps: number; readonly keywords: number; readonly countries: readonly string[] };

/**
 * A synthetic account: apps of both stores in turn, each tracked in every country with its own keywords. Each planning source has one
 * member for each app, country and keyword that it distinguishes.
 */
export function examplePortfolio(size: ExampleSize, datasets: readonly Dataset[]): Portfolio {
  return withExampleSources(
    Array.from({ length: size.apps }, (_, index) => appOf(index, size)),
    datasets,
  );
}

/** These apps, with one member of each planning source for each app, country and keyword that it distinguishes. */
export function withExampleSources(apps: readonly PortfolioApp[], datasets: readonly Dataset[]): Portfolio {
  const sources: SourceMembers = Object.fromEntries(
    datasets.flatMap(planningSourcesOf).map((source) => [source.name, membersOf(source, apps)]),
  );
  return { apps, sources };
}

function appOf(index: number, { countries, keywords }: ExampleSize): PortfolioApp {
  const words = Array.from({ length: keywords }, (_, word) => `app ${index} keyword ${word}`).sort();
  const tracked = { keywords: words, tracked: words, keywordCount: words.length };
  return {
    ...(index % 2 === 0
      ? { store: "ios", trackId: String(1_000_000_000 + index) }
      : { store: "android", trackId: `app.example.number${index}` }),
    tracked: true,
    countries: countries.map((country) => ({ country, ...tracked })),
  };
}

/**
 * Members of a planning source, one for each app, country or keyword if it has such a column. A second app in it, a competitor for
 * instance, is an app of the same store outside the portfolio. Other texts differ from app to app if it distinguishes apps; all other
 * values are the same.
 */
function membersOf(
  { table, columns, maybe = [], newest }: PlanningSource,
  apps: readonly PortfolioApp[],
): readonly Scope[] {
  const kinds = new Set(columns.map((column) => table.columns[column]));
  const others = [...columns, ...maybe, ...(newest === undefined ? [] : [newest])].filter(
    (column) => !dimensions.has(table.columns[column] ?? ""),
  );
  const hasApps = kinds.has("app") || columns.includes("track_id");
  const members = apps.flatMap(({ store, trackId, countries }, index) => {
    const own = Object.fromEntries(
      others.map((column) => [column, valueOf(table.columns[column], hasApps ? index + 1 : 1)]),
    );
    const named = {
      ...own,
      ...furtherApps({ table, columns }, store, index),
      ...(columns.includes("track_id") ? { store, track_id: trackId } : {}),
    };
    return countries.flatMap(({ country, keywords }) =>
      (kinds.has("keyword") ? keywords : [""]).map((keyword): Scope => ({
        ...named,
        ...(kinds.has("app") ? { store, app: trackId } : {}),
        ...(kinds.has("country") ? { country } : {}),
        ...(kinds.has("keyword") ? { keyword } : {}),
        ...(kinds.has("device") ? { device: store === "ios" ? "IPHONE" : "ALL" } : {}),
      })),
    );
  });
  return [...new Map(members.map((member) => [scopeKey(member), member])).values()];
}

function furtherApps(
  { table, columns }: Pick<PlanningSource, "table" | "columns">,
  store: Store,
  index: number,
): Scope {
  const other = { store, track_id: store === "ios" ? String(2_000_000_000 + index) : `app.example.other${index}` };
  const further = columns.filter((column) => table.columns[column] === "app" && column !== "app_key");
  const names = further.flatMap((column) => Object.entries(namesOf(table, column) ?? {}));
  return Object.fromEntries(names.map(([name, source]) => [name, other[source as keyof typeof other]]));
}

const dimensions: ReadonlySet<string> = new Set(["app", "country", "keyword", "device"]);

function valueOf(kind: string | undefined, place: number): string {
  if (kind === "day" || kind === "date") return "2026-01-01";
  if (kind === "timestamp" || kind === "timestamptz") return "2026-01-01 00:00:00";
  if (kind === "boolean") return "true";
  return kind === "text" ? String(place) : "1";
}
