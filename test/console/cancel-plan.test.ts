import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { planned, runPlanned, progressOf } from "../support/backfill-stage.ts";
import {
  clientOf,
  openConsoleStage,
  operatorPassword,
  untilShown,
  viewerPassword,
  withPasswords,
} from "../support/console-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { landLast } from "../support/landed-slice.ts";

test("what a plan has left is given up on the page of its run, once an operator has agreed to it", async () => {
  await using console = await openConsoleStage();
  const { stage } = console;
  const { planId } = await planned(stage, { bounds: { start: addDays(today, -12), end: addDays(today, -8) } });
  const { runId } = await runPlanned(stage, planId, {
    settings: { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 1 } } },
  });
  await landLast(stage, planId);
  const { open } = await progressOf(stage, planId);
  expect(open).toBeGreaterThan(0);
  const served = await console.start(withPasswords);
  const [ann, vic] = [clientOf(served), clientOf(served)];
  await ann.signIn(operatorPassword, "Ann");
  await vic.signIn(viewerPassword, "Vic");
  const button = `Cancel the rest of plan ${planId}`;
  expect((await vic.get(`/runs/${runId}`)).text).not.toContain(button);
  expect((await ann.get(`/runs/${runId}`)).text).toContain(button);
  // as where a worker has adopted what the run had open
  await stage.query("update ops.slice set run_id = (select min(run_id) from ops.run) where plan_id = $1", [planId]);
  const again = clientOf(await console.start(withPasswords));
  await again.signIn(operatorPassword, "Ann");
  expect((await again.get(`/runs/${runId}`)).text).toContain(button);
  await stage.query("update ops.slice set run_id = $2 where plan_id = $1", [planId, runId]);

  expect((await ann.post("/actions/cancel-plan", { plan: planId })).text).toContain(
    `The rest of plan ${planId} (${open} slices) is cancelled, and its cells are missing again.`,
  );
  expect((await progressOf(stage, planId)).open).toBe(open);
  expect((await ann.post("/actions/cancel-plan", { plan: planId, agreed: "0" })).status).toBe(303);
  expect(await progressOf(stage, planId)).toMatchObject({ open: 0, failed: 1 });
  expect(await console.lastDeed("cancel-plan")).toMatchObject({
    user_name: "Ann",
    outcome: "done",
    note: `${open - 1} slices of plan ${planId} are cancelled, and missing again. 1 slice of plan ${planId} with stored pages is failed now: \`storehouse retry\` fetches pages that are missing or could not be read.`,
  });
  // what a page has read is read again when the ledger has changed, which is checked every two seconds
  await untilShown(async () => String((await ann.get(`/runs/${runId}`)).text.includes(button)), /^false$/);
  expect((await ann.post("/actions/cancel-plan", { plan: planId })).text).toContain(
    `plan ${planId} has no waiting slices`,
  );
});
