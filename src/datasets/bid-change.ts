import type { z } from "zod";
import { bidHistoryLogs as operation } from "../api/operations/search-ads-account.ts";
import { rangeParams } from "../api/range.ts";
import { addDays } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { defineTable, extraOf, type Row } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { amountOf } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { readInstant } from "./shared/instants.ts";
import { connectedOrganisations, daysAndOneMore, numberOfOrganisation } from "./shared/organisation.ts";
import { organisations } from "./search-ads-integration.ts";

const table = defineTable({
  name: "core.fact_bid_change",
  columns: {
    org_id: "text",
    date_day: "day",
    entity_level: "text",
    entity_id: "text",
    changed_at: "timestamp",
    ordinal: "int",
    currency: "text",
    old_value: "number",
    new_value: "number",
    source: "text",
    rule_name: "text",
    extra: "json",
  },
  key: ["org_id", "date_day", "entity_level", "entity_id", "changed_at", "ordinal"],
  load: { kind: "replace", scope: ["org_id", "date_day"] },
  partitioned: true,
});

const known = "entityLevel orgId entityId currency oldValue newValue date source ruleName".split(" ");

type Log = z.output<typeof operation.answer>[number];

/**
 * Every change of a bid. Logs have no id, and equal ones may be separate changes: changes of one thing at one instant are numbered, in the
 * same order in every answer, so that none is merged into another.
 */
export const bidChange = defineDataset({
  name: "bid_change",
  summary: "Every change of a bid, manual or by rule, by organisation, entity and time.",
  family: "search_ads",
  stage: "market",
  on: true,
  why: "20 credits per organisation and day, nothing if none is connected",
  // a day ends in the organisation's time zone: in the Americas hours after the night's request, which costs the same with that day
  timing: { kind: "series", settleDays: 1, lookbackDays: 1, historyDays: 30 },
  // a call may span a week; its last day is requested in case the end is exclusive
  longestWindow: 6,
  reportedBy: { column: "date_day", quietDays: 2 },
  tables: [table],
  operations: [operation],
  plannedFrom: [organisations.name],
  partitions: (portfolio) => connectedOrganisations(portfolio).map((org) => ({ scope: { org_id: org }, items: null })),
  request: (slice) => ({
    orgId: numberOfOrganisation(slice.scope),
    ...rangeParams(operation, daysAndOneMore(operation, slice)),
  }),
  normalise: (slice, pages) => {
    const reported = (pages.flat() as readonly Log[]).map((log) => ({ log, at: readInstant(log.date) }));
    const { start, end } = slice.window;
    const isOwn = ({ orgId }: Log) => orgId == null || String(orgId) === part(slice.scope, "org_id");
    // the extra day after the window belongs to another slice
    const reasonOf = ({ log, at }: (typeof reported)[number]) =>
      !isOwn(log)
        ? "an organisation that was not requested"
        : at.day < start || at.day > addDays(end, 1)
          ? "a day that was not requested"
          : null;
    const { fitting, invalid } = checkItems(reported, reasonOf, ({ log }) => log);
    const rows = fitting.filter(({ at }) => at.day < end).map(({ log, at }) => row(slice, log, at));
    return { rows: { [table.name]: numbered(rows) }, invalid };
  },
});

function row({ scope }: Slice, log: Log, at: { readonly day: string; readonly at: string }): Row {
  return {
    org_id: part(scope, "org_id"),
    date_day: at.day,
    entity_level: log.entityLevel ?? "",
    entity_id: String(log.entityId),
    changed_at: at.at,
    currency: log.currency ?? null,
    old_value: amountOf(log.oldValue),
    new_value: amountOf(log.newValue),
    source: log.source ?? null,
    rule_name: log.ruleName ?? null,
    extra: extraOf(log, known),
  };
}

/** Rows, numbered from 1 among those of the same thing and instant. */
function numbered(rows: readonly Row[]): readonly Row[] {
  const groups = Map.groupBy(rows, ({ entity_level: level, entity_id: id, changed_at: at }) =>
    JSON.stringify([level, id, at]),
  );
  return [...groups.values()].flatMap((same) =>
    same
      .map((one) => ({ one, text: JSON.stringify(one) }))
      .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
      .map(({ one }, index) => ({ ...one, ordinal: index + 1 })),
  );
}
