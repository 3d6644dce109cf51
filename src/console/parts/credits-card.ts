import { count } from "../../core/words.ts";
import { floorCredits } from "../../core/floors.ts";
import { creditClasses } from "../../core/slice.ts";
import { hasReset, leftNow, type AccountState } from "../../credits/account.ts";
import {
  budgetForecastWords,
  errorWords,
  outlookWords,
  type BudgetForecast,
  type CreditForecast,
} from "../../incidents/credit-forecast.ts";
import type { PageContext } from "../define-page.ts";
import { useWords } from "../../core/credit-budget.ts";
import { badge } from "./badge.ts";
import { html, type Html } from "../html.ts";
import { creditMeter } from "./credit-meter.ts";
import { instantText } from "./times.ts";

/** The credits and their forecast. */
type CreditsState = {
  readonly account: AccountState | null;
  readonly forecast: CreditForecast;
};

/** What is left of the allowance, the floors in it, and whether it is enough until the reset. */
export function creditsCard({ app, now }: Pick<PageContext, "app" | "now">, { account, forecast }: CreditsState): Html {
  if (account?.total == null || account.remaining === null)
    return html`<section class="card" id="credits">
      <h2>Credits</h2>
      <p class="muted">The service has not reported a balance yet; the first sync fetches it.</p>
    </section>`;
  const { total, remaining, held, resetsAt, observedAt } = account;
  const { floors } = app.config.settings.credits;
  const isOver = hasReset(account, now);
  const left = leftNow({ total, remaining, resetsAt }, now);
  const errorText = errorWords(forecast.error);
  return html`<section class="card" id="credits">
    <h2><a href="/credits">Credits</a></h2>
    <p class="figure">
      <strong class="number">${count(left)}</strong>
      <span class="muted"
        >of ${count(total)} left${isOver ? " again" : ""}${held > 0 ? `, ${count(held)} held` : ""}</span
      >
    </p>
    ${creditMeter({ total, remaining: left, held, floors })}
    <p class="muted small">
      Floors: ${creditClasses.map((name) => `${name} ${count(floorCredits(total, floors[name]))}`).join(" · ")}
    </p>
    <p id="outlook">${outlookWords(forecast.outlook, now)}</p>
    ${errorText === null ? null : html`<p class="muted small" id="forecast-error">${errorText}</p>`}
    ${budgetList(forecast.budgets)}
    <p class="muted small">
      ${resetsAt === null ? "" : `The period ${isOver ? "ended" : "ends"} ${instantText(resetsAt, now)}. `}${observedAt === null ? "" : `Reported ${instantText(observedAt, now)}.`}
    </p>
  </section>`;
}

/** How much of each budget is used, and which budgets put something off. */
function budgetList(budgets: readonly BudgetForecast[]): Html | null {
  if (budgets.length === 0) return null;
  return html`<ul class="plain" id="budgets">
    ${budgets.map(
      (use) =>
        html`<li>
          ${use.refusedAt === null ? null : badge("warn", "used up")}
          ${useWords({ ...use, isUsedUp: use.refusedAt !== null })}${budgetForecastWords(use)}
        </li>`,
    )}
  </ul>`;
}
