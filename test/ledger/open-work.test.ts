import { expect, test } from "vitest";
import { openWork } from "../../src/ledger/open-slices.ts";
import { draft, openLedgerStage } from "../support/ledger-stage.ts";

test("open work is that of one plan, or of datasets of one account without the slices that are left out", async () => {
  await using stage = await openLedgerStage();
  const plan = async () => {
    const { rows } = await stage.pool.query<{ plan_id: string }>(
      `insert into ops.plan (made_at, as_of, request, basis, newest_first, digest, slices, requests, credits, left_out_slices, left_out_credits)
       values (now(), '2026-08-20', '{}', '{}', true, '', 1, 1, 1, 0, 0) returning plan_id`,
    );
    return rows[0]?.plan_id ?? "";
  };
  const of = (app: string, dataset = "keyword_rank") => draft({ dataset, scope: { store: "ios", app } });
  const [first, second] = [await plan(), await plan()];
  await stage.insert(await stage.run({ kind: "backfill", planId: first }), of("1"), of("2", "review"));
  await stage.insert(await stage.run({ kind: "backfill", planId: second }), of("3"));
  const [out = ""] = await stage.insert(await stage.run(), of("4"), of("5", "review"));
  await stage.insert(await stage.run({ account: "acme" }), of("6"));
  const apps = async (which: Parameters<typeof openWork>[1]) =>
    (await openWork(stage.db, which)).map(({ app, isOfPlan }) => `${app}${isOfPlan ? " of a plan" : ""}`).sort();
  expect(await apps({ planId: first })).toEqual(["1 of a plan", "2 of a plan"]);
  expect(await apps({ planId: second })).toEqual(["3 of a plan"]);
  expect(await apps({ datasets: ["keyword_rank"], account: "" })).toEqual(["1 of a plan", "3 of a plan", "4"]);
  expect(await apps({ datasets: ["keyword_rank"], account: "acme" })).toEqual(["6"]);
  expect(await apps({ datasets: ["keyword_rank"], account: "", without: [out] })).toEqual([
    "1 of a plan",
    "3 of a plan",
  ]);
});
