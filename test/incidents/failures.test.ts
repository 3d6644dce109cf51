import { describe, expect, test } from "vitest";
import { failedProblems, type FailedGroup } from "../../src/incidents/failures.ts";
import { fold } from "../../src/incidents/fold.ts";
import type { Problem } from "../../src/incidents/problems.ts";

const group = (dataset: string, app: string | null, code = "server_error"): FailedGroup => ({
  dataset,
  code,
  store: "ios",
  app,
  name: app === null ? null : `App ${app}`,
  account: "",
  slices: 2,
  since: new Date("2026-11-22T03:58:00Z"),
  nextTryAt: null,
});
/** Those that open an incident. */
const found = (...groups: FailedGroup[]) =>
  failedProblems(groups)
    .filter(({ isEffect }) => isEffect !== true)
    .map(({ kind, subject }) => `${kind} ${subject}`);
const datasets = ["app_rating", "keyword_rank", "review", "visibility", "a", "b", "c", "d"];

describe("failed slices are one incident a cause", () => {
  test("an app that fails in eight datasets is one, with its name", () => {
    const groups = datasets.map((dataset, index) => group(dataset, "7", index % 2 === 0 ? "server_error" : "not_json"));
    expect(found(...groups)).toEqual(["app_failing ios 7"]);
    expect(failedProblems(groups)[0]?.facts).toMatchObject({
      name: "App 7",
      datasets: datasets.toSorted(),
      slices: 16,
    });
  });

  test("a dataset that fails for many apps is one", () => {
    expect(found(...["1", "2", "3", "4", "5"].map((app) => group("review", app)))).toEqual([
      "slices_failed review server_error",
    ]);
  });

  test("an app beside a dataset are two, each with its own slices", () => {
    const groups = [group("review", "7"), group("app_rating", "7"), group("review", "1"), group("review", "2")];
    expect(found(...groups)).toEqual(["app_failing ios 7", "slices_failed review server_error"]);
    expect(failedProblems(groups).map(({ facts }) => (facts as { slices: number }).slices)).toEqual([4, 4, 2]);
  });

  test("an error that all apps and datasets share is one", () => {
    const all = datasets.flatMap((dataset) => ["1", "2", "3", "4"].map((app) => group(dataset, app)));
    expect(found(...all)).toEqual(["slices_failed server_error"]);
  });
});

const late = (dataset: string): Problem => ({
  kind: "dataset_stale",
  subject: dataset,
  accountId: "",
  since: 0,
  facts: { dataset, newest_day: null, age_hours: 1, limit_hours: 1 },
});
const outage: Problem = {
  kind: "api_unavailable",
  subject: "",
  accountId: "a1",
  since: 0,
  facts: { error_code: "timeout", at_risk: [], lost_at: "2026-11-23T00:00:00.000Z" },
};

describe("an effect opens no incident of its own", () => {
  test("late datasets while the API is unavailable; the message about that names them", () => {
    const { causes, effects } = fold([late("review"), late("top_chart"), outage], []);
    expect(causes).toEqual([{ problem: outage, effects: ["review", "top_chart"] }]);
    expect(effects.map(({ subject }) => subject)).toEqual(["review", "top_chart"]);
  });

  test("one of many datasets that are late for no known cause: they have one", () => {
    const many = ["a", "b", "c", "d"].map(late);
    const { causes, effects } = fold(many, []);
    expect(causes).toMatchObject([{ problem: { kind: "datasets_stale", facts: { datasets: ["a", "b", "c", "d"] } } }]);
    expect(effects).toEqual(many);
    expect(fold([...many, outage], []).causes.map(({ problem }) => problem.kind)).toEqual(["api_unavailable"]);
    expect(fold(many.slice(1), []).causes).toHaveLength(3);
  });

  test("nor while the incident of its cause is still open", () => {
    const open = { kind: "api_unavailable", subject: "", accountId: "a1", openedAt: new Date(0) };
    expect(fold([late("review")], [open]).causes).toEqual([]);
  });

  test("nor a dataset that is late because its slices failed; others are their own cause", () => {
    const { causes } = fold([late("review"), late("top_chart"), ...failedProblems([group("review", "1")])], []);
    expect(causes.map(({ problem, effects }) => [problem.kind, problem.subject, effects])).toEqual([
      ["dataset_stale", "top_chart", []],
      ["slices_failed", "review server_error", ["review"]],
    ]);
  });

  test("nor datasets that are late because the only app of them fails in all", () => {
    const failing = failedProblems([group("review", "1"), group("keyword_rank", "1")]);
    const { causes } = fold([late("review"), late("keyword_rank"), late("top_chart"), ...failing], []);
    expect(causes.map(({ problem }) => [problem.kind, problem.subject])).toEqual([
      ["dataset_stale", "top_chart"],
      ["app_failing", "ios 1"],
    ]);
  });

  test("a failure that is weeks old, or that is an effect itself, hides no late dataset", () => {
    const [failure] = failedProblems([group("review", "1")]);
    const stale = late("review");
    const old = { ...failure!, since: (stale.since ?? 0) - 21 * 24 * 60 * 60_000 };
    const effect = { ...failure!, isEffect: true };
    for (const cause of [old, effect])
      expect(fold([stale, cause], []).causes.map(({ problem }) => problem)).toContain(stale);
  });
});
