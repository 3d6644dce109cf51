import { expect, test } from "vitest";
import { settingsFor } from "../../src/config/settings.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";

const settings = settingsFor({ review: null, keyword_rank: null });
const portfolio = { groups: { apps: { casual: ["123", "com.a.b"], kids: ["123", "456"] } } };
const parse = (budgets: unknown) => settings.safeParse({ portfolio, credits: { budgets } });
const problem = (budgets: unknown) => parse(budgets).error?.issues[0];

test("a budget becomes a limit for each of its periods, with the apps of its groups", () => {
  const parsed = settings.parse({
    portfolio,
    credits: {
      budgets: {
        all: { credits_a_day: 400, credits_a_month: 9000 },
        kids: { app_groups: ["kids"], credits_a_day: 10, credits_a_month: 200 },
        games: { app_groups: ["casual", "kids"], datasets: ["review"], credits_a_day: 20, credits_a_month: 300 },
      },
    },
  });
  const all = { budget: "all", datasets: null, apps: null };
  const kids = { budget: "kids", datasets: null, apps: ["123", "456"] };
  const games = { budget: "games", datasets: ["review"], apps: ["123", "com.a.b", "456"] };
  expect(budgetsOf(parsed as Parameters<typeof budgetsOf>[0])).toEqual([
    { ...all, period: "day", credits: 400 },
    { ...all, period: "month", credits: 9000 },
    { ...kids, period: "day", credits: 10 },
    { ...kids, period: "month", credits: 200 },
    { ...games, period: "day", credits: 20 },
    { ...games, period: "month", credits: 300 },
  ]);
});

test("a budget without a limit, and one for what nobody has, is refused with the name that was meant", () => {
  expect(problem({ all: {} })?.message).toBe("names neither credits_a_day nor credits_a_month");
  expect(problem({ a: { credits_a_day: 0 } })?.message).toBe("a budget must be 1 credit or more");
  expect(problem({ a: { credits_a_day: 5, datasets: ["reviews"] } })).toMatchObject({
    path: ["credits", "budgets", "a", "datasets", 0],
    message: "names reviews, which is not a dataset, did you mean review?",
  });
  expect(problem({ a: { credits_a_day: 5, app_groups: ["casuals"] } })?.message).toBe(
    "names casuals, which is not a group, did you mean casual?",
  );
});
