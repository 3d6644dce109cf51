import type { z } from "zod";
import { searchAdsGoals as operation } from "../api/operations/search-ads-account.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { amountOf, eachOnce, idOf } from "./shared/values.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { clockOf } from "./shared/instants.ts";
import { theAccount } from "./shared/portfolio-partitions.ts";

const goalColumns = {
  app_key: "app",
  account_number: "text",
  tracker_type: "text",
  goal_name: "text",
  category: "text",
  currency: "text",
  created_at: "timestamp",
  updated_at: "timestamp",
  extra: "json",
} as const;

const eventColumns = {
  event_name: "text",
  revenue_policy: "text",
  custom_revenue: "number",
  custom_usd_revenue: "number",
  extra: "json",
} as const;

const goals = defineTable({
  name: "core.search_ads_goal",
  columns: { goal_id: "text", account: "text", ...goalColumns },
  key: ["goal_id", "account"],
  load: { kind: "history", scope: ["account"], versioned: Object.keys(goalColumns) },
  partitioned: false,
});

const events = defineTable({
  name: "core.search_ads_goal_event",
  columns: { goal_id: "text", event_id: "text", account: "text", ...eventColumns },
  key: ["goal_id", "event_id", "account"],
  load: { kind: "history", scope: ["account"], versioned: Object.keys(eventColumns) },
  partitioned: false,
});

type Goal = z.output<typeof operation.answer>[number];
type Event = NonNullable<Goal["eventList"]>[number];

/** The goals that reports can be requested for, each with its app. */
export const foundGoals = { name: "search_ads_goal", table: goals, columns: ["goal_id", "app_key"] } as const;

const knownOfGoal = "id accountId trackId trackerType goalName category currency createDate updateDate eventList".split(
  " ",
);
const knownOfEvent = "id eventName revenuePolicy customRevenue customUsdRevenue".split(" ");

/** The goals of the account with their events, all in one answer. */
export const searchAdsGoal = defineDataset({
  name: "search_ads_goal",
  summary: "The goals with which the account measures its search ads, and the events of each goal, with history.",
  stage: "listing",
  ofAccount: true,
  on: true,
  why: "1 credit per day for the whole account",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [goals, events],
  operations: [operation],
  planningSources: foundGoals,
  partitions: theAccount,
  request: () => ({}),
  normalise: (_, pages) => {
    const reported = eachOnce(pages.flat() as readonly Goal[]);
    const eventRows = reported.flatMap((goal) => eachOnce(goal.eventList ?? []).map((event) => eventRow(goal, event)));
    return { rows: { [goals.name]: reported.map(goalRow), [events.name]: eventRows }, invalid: [] };
  },
});

function goalRow(goal: Goal) {
  const trackId = idOf(goal.trackId);
  return {
    goal_id: String(goal.id),
    app_key: trackId === null ? null : appRef(storeOf(trackId), trackId),
    account_number: idOf(goal.accountId),
    tracker_type: goal.trackerType ?? null,
    goal_name: goal.goalName ?? null,
    category: goal.category ?? null,
    currency: goal.currency ?? null,
    created_at: clockOf(goal.createDate),
    updated_at: clockOf(goal.updateDate),
    extra: extraOf(goal, knownOfGoal),
  };
}

function eventRow(goal: Goal, event: Event) {
  return {
    goal_id: String(goal.id),
    event_id: String(event.id),
    event_name: event.eventName ?? null,
    revenue_policy: event.revenuePolicy ?? null,
    custom_revenue: amountOf(event.customRevenue),
    custom_usd_revenue: amountOf(event.customUsdRevenue),
    extra: extraOf(event, knownOfEvent),
  };
}
