import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { datasets } from "../../datasets/shared/all.ts";
import { families } from "../../datasets/shared/define-dataset.ts";
import { readCreditForecast } from "../../incidents/credit-forecast.ts";
import { isInUse } from "../../incidents/lateness.ts";
import { readMorning } from "../../incidents/morning.ts";
import { verdictWithFamilies, verdictWithUnrequested } from "../../incidents/verdict.ts";
import { readCompleteDays } from "../../ledger/complete-days.ts";
import { sumFailures } from "../../ledger/failures.ts";
import { readNeverRequested } from "../../planner/earlier-gaps.ts";
import { readIntervals, readLateDatasets } from "../../worker/late-datasets.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html } from "../html.ts";
import { unlessSlow } from "../slow.ts";
import { mark } from "../parts/badge.ts";
import { codeText } from "../parts/code-text.ts";
import { creditsCard } from "../parts/credits-card.ts";
import { trustList } from "../parts/trust-list.ts";
import { familyNames, familyStatus, type FamilyFacts } from "../parts/family-status.ts";
import { incidentList } from "../parts/incident-list.ts";
import { nextRunsCard, workersCard } from "../parts/schedule-cards.ts";
import { runningCard } from "../parts/running-card.ts";
import { accountIdIn } from "../../app.ts";
import type { Database } from "../../postgres/database.ts";

/** Whether the figures can be trusted, and what needs a person's attention: the page for every morning. */
export const todayPage = definePage({
  path: "/",
  title: "Today",
  inNavigation: true,
  live: true,
  input: z.object({}),
  examples: ["/"],
  show: async (context) => {
    const { app, now } = context;
    const { settings } = app.config;
    const accountIn = (db: Database) => accountIdIn(db, app.config);
    const morning = await context.read("morning", async (db) =>
      readMorning(db, { settings, accountId: await accountIn(db), now }),
    );
    // both read the whole ledger: for a very large one that takes longer than a page waits
    const days = await unlessSlow(context.read("complete days", readCompleteDays));
    const unrequested = await unlessSlow(
      context.read("days not requested", (db) => readNeverRequested(db, settings, app.clock.today())),
    );
    const forecast = await context.read("credit forecast", async (db) =>
      readCreditForecast({ db, settings, clock: app.clock, accountId: await accountIn(db) }, morning.budgets),
    );
    const failures = await context.read("sums of failures", (db) => sumFailures(db, accountOf(settings)));
    const late = await context.read("late datasets", (db) => readLateDatasets(db, morning.datasets, app));
    const requested = new Set(morning.datasets.map(({ dataset }) => dataset));
    const statuses =
      days === null ? null : familyStatuses(context, { days, unrequested: unrequested ?? [], requested }, late);
    const verdict = verdictWithFamilies(
      verdictWithUnrequested(morning.verdict, unrequested),
      (statuses ?? []).map(({ family, tone }) => ({ name: familyNames[family], tone })),
    );
    return html`<section class="verdict ${verdict.state}" id="verdict">
        <h1 class="unseen">Today</h1>
        <p>${mark(verdict.state)}<span>${verdict.text}</span></p>
      </section>
      ${runningCard(context)} ${incidentList(context, morning.incidents, failures)}
      <div class="columns" id="cards">
        <section class="card wide" id="trust">
          <h2>Can the figures be trusted?</h2>
          ${morning.datasets.length + morning.incidents.length === 0 ? html`<p>${codeText(firstStep)}</p>` : trustList(statuses, { knowsUnrequested: unrequested !== null })}
        </section>
        ${creditsCard(context, { account: morning.account, forecast })} ${nextRunsCard(morning, now)}
        ${workersCard(morning.workers)}
      </div>`;
  },
});

const firstStep = "`storehouse plan` shows what a sync would fetch and cost; `storehouse sync` fetches it.";

/** How far each family of datasets is complete. */
function familyStatuses(
  { app }: PageContext,
  gaps: Pick<FamilyFacts, "days" | "unrequested" | "requested">,
  late: readonly string[],
) {
  const { settings } = app.config;
  const scheduled = readIntervals(app);
  const inUse = datasets.filter((dataset) => isInUse(dataset, { settings, scheduled }));
  return families.map((family) => {
    const own = inUse.filter((dataset) => dataset.family === family).map(({ name }) => name);
    return { family, ...familyStatus({ ...gaps, datasets: own, late: new Set(late) }) };
  });
}
