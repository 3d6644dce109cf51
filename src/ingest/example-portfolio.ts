import type { Found, Portfolio, PortfolioApp } from "../core/portfolio.ts";
import { scopeKey, type Scope } from "../core/slice.ts";
import { findingsOf, type Dataset } from "../datasets/define-dataset.ts";
import type { Finding } from "../warehouse/found.ts";

/** How much a made-up account follows. */
export type ExampleSize = { readonly apps: number; readonly keywords: number; readonly countries: readonly string[] };

/**
 * A made-up account: apps of both stores in turn, each tracked in every country with keywords of its own, and of whatever datasets
 * find one member for each app, country and keyword that it tells apart.
 */
export function examplePortfolio(size: ExampleSize, datasets: readonly Dataset[]): Portfolio {
  const apps = Array.from({ length: size.apps }, (_, index) => appOf(index, size));
  const found: Found = Object.fromEntries(
    datasets.flatMap(findingsOf).map((finding) => [finding.name, membersOf(finding, apps)]),
  );
  return { apps, found };
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
 * Members of a finding, one for each app, country or keyword where it has such a column. Of what else it has, texts differ from app to
 * app where it tells apps apart; every other value is the same one.
 */
function membersOf({ table, columns, maybe = [], newest }: Finding, apps: readonly PortfolioApp[]): readonly Scope[] {
  const kinds = new Set(columns.map((column) => table.columns[column]));
  const others = [...columns, ...maybe, ...(newest === undefined ? [] : [newest])].filter(
    (column) => !dimensions.has(table.columns[column] ?? ""),
  );
  const hasApps = kinds.has("app") || columns.includes("track_id");
  const members = apps.flatMap(({ store, trackId, countries }, index) => {
    const own = Object.fromEntries(
      others.map((column) => [column, valueOf(table.columns[column], hasApps ? index + 1 : 1)]),
    );
    const named = columns.includes("track_id") ? { ...own, store, track_id: trackId } : own;
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

const dimensions: ReadonlySet<string> = new Set(["app", "country", "keyword", "device"]);

function valueOf(kind: string | undefined, place: number): string {
  if (kind === "day" || kind === "date") return "2026-01-01";
  if (kind === "timestamp" || kind === "timestamptz") return "2026-01-01 00:00:00";
  if (kind === "boolean") return "true";
  return kind === "text" ? String(place) : "1";
}
