import type { z } from "zod";
import type { AlertConditions, Whom } from "./alert-condition.ts";

/** Options of ready-made kinds, each of which takes one; and whom the alert is about. */
type KindOptions = {
  readonly by?: number | undefined;
  readonly top?: number | undefined;
  readonly count?: number | undefined;
  readonly properties?: string[] | undefined;
  readonly for: z.output<typeof Whom>;
};

/** A ready-made kind of alert: its mart and conditions, and the one option that it takes. */
type AlertKind = {
  readonly mart: string;
  readonly option: Exclude<keyof KindOptions, "for">;
  readonly when: (given: KindOptions) => AlertConditions;
};

/** The ready-made kinds, by name; docs/alerts.md says when each fires. The general form can express each of them. */
export const alertKinds = {
  keyword_fell: {
    mart: "keyword_rank_daily",
    option: "by",
    when: ({ by = 5, for: whom }) => ({ keyword_rank: { rises_by: by }, ...onOneDevice(whom) }),
  },
  keyword_left_top: {
    mart: "keyword_rank_daily",
    option: "top",
    when: ({ top = 10, for: whom }) => ({ keyword_rank: { rises_past: top }, ...onOneDevice(whom) }),
  },
  rating_fell: {
    mart: "app_overview_daily",
    option: "by",
    when: ({ by = 0.1 }) => ({ rating: { falls_by: by } }),
  },
  one_star_reviews: {
    mart: "review_daily",
    option: "count",
    when: ({ count = 10 }) => ({ one_star_count: { at_least: count } }),
  },
  page_changed: {
    mart: "app_page_change",
    option: "properties",
    when: ({ properties = ["title"], for: whom }) => ({
      // several sources may report a change, on different days
      is_main_source: { is: true },
      property: { is: properties },
      // a day waits only for these sources
      change_source: { is: [...new Set(properties.map(sourceOf))] },
      ...(whom.apps === undefined && whom.app_groups === undefined ? { is_competitor: { is: true } } : {}),
    }),
  },
  chart_entered: {
    mart: "chart_movement_daily",
    option: "top",
    when: ({ top, for: whom }) => ({
      ...(top === undefined ? { movement: { is: "entered" } } : { chart_rank: { at_most: top }, ...outside(top) }),
      ...(whom.apps === undefined && whom.app_groups === undefined ? { is_portfolio_app: { is: true } } : {}),
    }),
  },
} as const satisfies Readonly<Record<string, AlertKind>>;

const ofThePage = [
  "title",
  "description",
  "screenshots",
  "price",
  "icon",
  "video",
  "category",
  "developer",
  "in-app products",
  "removed",
];

/** The source with `is_main_source` for a property. */
function sourceOf(property: string): string {
  if (ofThePage.includes(property)) return "page";
  return property === "version" ? "release" : "release detail";
}

/** Devices have the same search results: a fall counts once, however many devices show it. */
function onOneDevice({ devices }: KindOptions["for"]): AlertConditions {
  return devices === undefined ? { device_code: { is: ["IPHONE", "ALL"] } } : {};
}

/** There was an earlier list, and the app was not among its first `top`. */
function outside(top: number): AlertConditions {
  return { previous_chart_rank: { at_least: top + 1 }, movement: { is_not: "first list" } };
}

/** The kind with this name. */
export function alertKindNamed(name: keyof typeof alertKinds): AlertKind {
  return alertKinds[name];
}
