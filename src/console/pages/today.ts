import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { datasets } from "../../datasets/shared/all.ts";
import { families } from "../../datasets/shared/define-dataset.ts";
import { readCreditForecast } from "../../incidents/credit-forecast.ts";
import { isInUse } from "../../incidents/lateness.ts";
import { readMorning } from "../../incidents/morning.ts";
import { verdictWithFamilies } from "../../incidents/verdict.ts";
import { readCompleteDays } from "../../ledger/complete-days.ts";
import { sumFailures } from "../../ledger/failures.ts";
import { readNeverRequested } from "../../planner/earlier-gaps.ts";
import { readIntervals, readLateDatasets } from "../../worker/late-datasets.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { isSlow } from "../slow.ts";
import { pageAddress } from "../parts/address.ts";
import { mark } from "../parts/badge.ts";
import { codeText } from "../parts/code-text.ts";
import { creditsCard } from "../parts/credits-card.ts";
import { familyNames, familyStatus } from "../parts/family-status.ts";
import { incidentList } from "../parts/incident-list.ts";
import { nextRunsCard, workersCard } from "../parts/schedule-cards.ts";
import { runningCard } from "../parts/running-card.ts";
import { accountIdIn } from "../../app.ts";
import type { Database } from "../../postgres/database.ts";

/** May the figures be trusted, and what wants a person: the page of the morning. */
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
    // reads the whole ledger: a very large one takes longer than a page waits
    const gaps = await context
      .read("gaps", (db) => readGaps(db, app))
      .catch((error: unknown) => {
        if (isSlow(error)) return null;
        throw error;
      });
    const forecast = await context.read("credit forecast", async (db) =>
      readCreditForecast({ db, settings, clock: app.clock, accountId: await accountIn(db) }, morning.budgets),
    );
    const failures = await context.read("sums of failures", (db) => sumFailures(db, accountOf(settings)));
    const late = await context.read("late datasets", (db) => readLateDatasets(db, morning.datasets, app));
    const statuses = gaps === null ? null : familyStatuses(context, gaps, late);
    const verdict = verdictWithFamilies(
      morning.verdict,
      (statuses ?? []).map(({ family, tone }) => ({ name: familyNames[family], tone })),
    );
    return html`<section class="verdict ${verdict.state}" id="verdict">
        <h1 class="unseen">Today</h1>
        <p>${mark(verdict.state)}<span>${verdict.text}</span></p>
      </section>
      ${runningCard(context)} ${incidentList(context, morning.incidents, failures)}
      <div class="columns" id="cards">
        <section class="card wide" id="trust">
          <h2>May the figures be trusted?</h2>
          ${morning.datasets.length + morning.incidents.length === 0 ? html`<p>${codeText(firstStep)}</p>` : trustList(statuses)}
        </section>
        ${creditsCard(context, { account: morning.account, forecast })} ${nextRunsCard(morning, now)}
        ${workersCard(morning.workers)}
      </div>`;
  },
});

const firstStep = "`storehouse plan` shows what a sync would take, `storehouse sync` fetches it.";

/** How far each dataset is complete, and the days that no sync reaches. */
async function readGaps(db: Database, { config, clock }: PageContext["app"]) {
  return {
    days: await readCompleteDays(db),
    unrequested: await readNeverRequested(db, config.settings, clock.today()),
  };
}

/** How far each family of datasets is complete. */
function familyStatuses({ app }: PageContext, gaps: Awaited<ReturnType<typeof readGaps>>, late: readonly string[]) {
  const { settings } = app.config;
  const scheduled = readIntervals(app);
  const inUse = datasets.filter((dataset) => isInUse(dataset, { settings, scheduled }));
  return families.map((family) => {
    const own = inUse.filter((dataset) => dataset.family === family).map(({ name }) => name);
    return { family, ...familyStatus({ ...gaps, datasets: own, late: new Set(late) }) };
  });
}

function trustList(statuses: ReturnType<typeof familyStatuses> | null): Html {
  if (statuses === null)
    return html`<p class="muted">
      The ledger is too large to say in time: raise <code>console.timeout_seconds</code>, or see
      <code>mart.data_freshness</code>.
    </p>`;
  return html`<ul class="families">
    ${statuses.map(
      ({ family, tone, sentence, datasets: own }) =>
        html`<li>
          ${mark(tone)}<strong>${familyNames[family]}</strong
          ><span>${codeText(sentence)}</span
          >${own.length > 0 && tone !== "good" && tone !== "calm" ? html`<a href="${pageAddress("/coverage", { dataset: own.join(",") })}">See the cells<span class="unseen"> of ${familyNames[family]}</span></a>` : null}
        </li>`,
    )}
  </ul>`;
}
