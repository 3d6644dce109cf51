import { count, countOf, durationText } from "../../core/words.ts";
import type { Morning } from "../../incidents/morning.ts";
import type { WorkerCounts } from "../../ledger/worker-counts.ts";
import { html, type Html } from "../html.ts";
import { badge } from "./badge.ts";
import { instantText } from "./times.ts";

/** The next run of each line of the schedule with its price and since when it is known: keywords and settings may have changed since. */
export function nextRunsCard({ nextRuns }: Pick<Morning, "nextRuns">, now: number): Html {
  if (nextRuns.length === 0)
    return html`<section class="card" id="next">
      <h2>Next run</h2>
      <p class="muted">
        No worker has announced a run. <code>storehouse schedule</code> prices the schedule,
        <code>storehouse worker</code> runs it.
      </p>
    </section>`;
  return html`<section class="card" id="next">
    <h2>Next run</h2>
    <ul class="plain">
      ${nextRuns.map(
        ({ line, at, slices, credits, overBudget }) =>
          html`<li>
            <strong>${line}</strong> <span class="muted">${instantText(at, now)}</span
            ><br />${slices === 0 ? "Nothing is due." : html`About <strong class="number">${count(credits)}</strong> ${credits === 1 ? "credit" : "credits"} for ${countOf(slices, "slice")}${overBudget.slices === 0 ? "" : `; budgets defer about ${count(overBudget.credits)}`}.`}
          </li>`,
      )}
    </ul>
    <p class="muted small">Priced ${instantText(Math.min(...nextRuns.map(({ pricedAt }) => pricedAt)), now)}.</p>
  </section>`;
}

/** The workers. */
export function workersCard({ running, late, waiting, ageSeconds, lastEndedAs }: WorkerCounts): Html {
  const beat =
    ageSeconds === null
      ? null
      : html`<p class="muted small">Latest heartbeat ${durationText(ageSeconds * 1000)} ago.</p>`;
  const parts = [
    running > late ? badge("good", `${count(running - late)} running`) : null,
    late > 0 ? badge("warn", `${count(late)} without a recent heartbeat`) : null,
    waiting > 0 ? badge("warn", `${count(waiting)} waiting until the API accepts the account`) : null,
  ].filter((part) => part !== null);
  const none = lastEndedAs === null || lastEndedAs === "stopped" ? "calm" : "bad";
  return html`<section class="card" id="workers">
    <h2>Workers</h2>
    <p>
      ${parts.length > 0 ? parts : badge(none, `none running${lastEndedAs === null ? "" : `; the last one ended as ${lastEndedAs}`}`)}
    </p>
    ${beat}
  </section>`;
}
