import { count, countOf } from "../../core/count.ts";
import { durationText } from "../../core/duration.ts";
import { creditClasses } from "../../core/slice.ts";
import type { AccountState } from "../../credits/account.ts";
import { creditOutlook, type CreditDemand } from "../../incidents/credit-outlook.ts";
import type { PageContext } from "../define-page.ts";
import type { BudgetUse } from "../../credits/budgets.ts";
import { useWords } from "../../core/credit-budget.ts";
import { badge } from "./badge.ts";
import { html, type Html } from "../html.ts";
import { creditMeter } from "./credit-meter.ts";
import { instantText } from "./times.ts";

/** How the credits stand. */
type CreditsStanding = {
  readonly account: AccountState | null;
  readonly demand: CreditDemand | null;
  readonly budgets: readonly BudgetUse[];
};

/** What is left of the allowance, the floors in it, and whether it is enough until the reset. */
export function creditsCard(
  { app, now }: Pick<PageContext, "app" | "now">,
  { account, demand, budgets }: CreditsStanding,
): Html {
  if (account?.total == null || account.remaining === null)
    return html`<section class="card" id="credits">
      <h2>Credits</h2>
      <p class="muted">The service has not reported a balance yet: it does at the first sync.</p>
    </section>`;
  const { total, remaining, held, resetsAt, observedAt } = account;
  const { floors } = app.config.settings.credits;
  return html`<section class="card" id="credits">
    <h2><a href="/credits">Credits</a></h2>
    <p class="figure">
      <strong class="number">${count(remaining)}</strong>
      <span class="muted">of ${count(total)} left${held > 0 ? `, ${count(held)} held` : ""}</span>
    </p>
    ${creditMeter({ total, remaining, held, floors })}
    <p class="muted small">
      Floors: ${creditClasses.map((name) => `${name} ${count(Math.floor(floors[name] * total))}`).join(" · ")}
    </p>
    <p>${forecastText(demand, now)}</p>
    ${budgetList(budgets)}
    <p class="muted small">
      ${resetsAt === null ? "" : `The period ends ${instantText(resetsAt, now)}. `}${observedAt === null ? "" : `Reported ${instantText(observedAt, now)}.`}
    </p>
  </section>`;
}

/** What is taken of each budget, and which of them put something off. */
function budgetList(budgets: readonly BudgetUse[]): Html | null {
  if (budgets.length === 0) return null;
  return html`<ul class="plain" id="budgets">
    ${budgets.map(
      (use) =>
        html`<li>
          ${use.refusedAt === null ? null : badge("warn", "used up")}
          ${useWords({ ...use, isUsedUp: use.refusedAt !== null })}
        </li>`,
    )}
  </ul>`;
}

/** Whether the credits are enough until the reset, by the outlook that the incidents go by. */
function forecastText(demand: CreditDemand | null, now: number): string {
  const outlook = demand === null ? null : creditOutlook(demand, now);
  if (outlook === null) return "No forecast until the service reports the running period.";
  const { wanted, usable, short, outAt, perHour } = outlook;
  const pace = perHour > 0 ? ` at ${count(Math.round(24 * perHour))} a day` : "";
  if (short === 0)
    return `Enough until the reset${pace}: about ${countOf(wanted, "credit")} of ${count(usable)} that nights may use.`;
  const when = outAt === null ? "" : ` They run out in ${durationText(outAt - now)}${pace}.`;
  return `About ${countOf(short, "credit")} will be missing before the reset.${when}`;
}
