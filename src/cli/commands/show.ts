import { Argument, type Command } from "commander";
import { scopeText } from "../../core/about.ts";
import { sliceDetails, type SliceDetails } from "../../ledger/slice-details.ts";
import { noSuchSlice, sliceArgument } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { daysText } from "../../core/window.ts";
import { count, countOf } from "../../core/words.ts";
import { factList, type Fact } from "../fact-list.ts";
import { optional, table } from "../table.ts";
import { timeCell, timeText, zoneNote } from "../times.ts";

/** `storehouse show`: the history of one slice. */
export function defineShow(command: Command): void {
  command
    .addArgument(new Argument("<slice>", "number of the slice, as in ops.slice_status").argParser(sliceArgument))
    .option("--json", "as JSON")
    .action((sliceId: string, options: { json?: true }) =>
      withWarehouse(async ({ warehouse }) => {
        const details = await sliceDetails(warehouse.db, sliceId);
        if (details === null) throw noSuchSlice(sliceId);
        if (options.json) printJson(details);
        else printDetails(details);
      }),
    );
}

function printDetails({ slice, items, requests, rejects }: SliceDetails): void {
  const facts: readonly Fact[] = [
    ["slice", `${slice.slice_id}, ${slice.state}${meaningOf(slice.effective_state)}`],
    ["what", `${slice.dataset} by ${slice.operation}`],
    ["who", scopeText(slice.scope)],
    ["items", items.length === 0 ? null : `${countOf(items.length, "item")}: ${shortened(items)}`],
    ["days", daysText(slice.first_day, slice.last_day)],
    ["source", slice.reported_by && `reported by ${slice.reported_by}, not requested`],
    ["class", slice.class],
    [
      "planned",
      `${countOf(slice.planned_request_count, "request")}, ${countOf(slice.planned_credits, "credit")}, on ${timeText(slice.created_at)}`,
    ],
    ["spent", `${countOf(slice.request_count, "request")}, ${countOf(slice.booked_credits, "credit")}`],
    ["attempts", `${count(slice.attempt)}, ${count(slice.failure_count)} failed since it was last queued`],
    ["rows", `${count(slice.rows_loaded)} loaded, ${count(slice.rows_rejected)} rejected`],
    ["started", slice.started_at && timeText(slice.started_at)],
    ["ended", slice.ended_at && timeText(slice.ended_at)],
    ["due", slice.due_at && timeText(slice.due_at)],
    ["error", slice.error_message],
    ["run", slice.plan_id === null ? slice.run_id : `${slice.run_id} (plan ${slice.plan_id})`],
  ];
  print(factList(facts));
  if (requests.length > 0) print(`\n${requestsTable(requests)}\n${zoneNote()}`);
  if (rejects.length === 0) return;
  print(
    `\n${table(
      ["rejected because", "item"],
      rejects.map(({ reason, item }) => [reason, JSON.stringify(item)]),
    )}`,
  );
  if (rejects.length < slice.rows_rejected)
    print(`... only the first ${count(rejects.length)}; all are in ops.reject.`);
}

function requestsTable(requests: SliceDetails["requests"]): string {
  return table(
    ["received", "attempt", "page", "status", "error", "credits", "left", optional("ms"), optional("bytes")],
    requests.map((one) => [
      timeCell(one.received_at, "seconds"),
      one.attempt,
      one.page,
      one.status === null ? null : String(one.status),
      one.error_code,
      one.cost,
      one.remaining,
      one.duration_ms,
      one.byte_count,
    ]),
  );
}

/** What the effective state adds to the state. */
function meaningOf(state: string): string {
  if (state === "superseded") return ", superseded by newer slices";
  return state === "stale" ? ", stale: due again" : "";
}

const shown = 10;

function shortened(items: readonly string[]): string {
  const named = items.slice(0, shown).map((item) => JSON.stringify(item));
  return items.length > shown ? `${named.join(", ")} ... (--json names all)` : named.join(", ");
}
