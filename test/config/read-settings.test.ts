import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { readSettings } from "../../src/config/read-yaml.ts";
import { settingsFor, usesTrackedApps, type Settings } from "../../src/config/settings.ts";
import { datasets, openSettingsFile, schema } from "../support/settings-file.ts";
import { forTests } from "../support/for-tests.ts";

const given = forTests(openSettingsFile);
const read = (yaml: string) => given.read(yaml);

const defaults: Settings = {
  portfolio: { source: "account", apps: [], groups: { apps: {}, keywords: {} } },
  accounts: {},
  datasets: {},
  retention: { action: "drop", slice_months: 1, ops_months: 13 },
  export: { tables: ["core", "mart"], format: "parquet", s3: {} },
  credits: {
    floors: { snapshot: 0.02, daily: 0.05, lookback: 0.1, history: 0.2 },
    ask_above: 1000,
    retries_a_day: 500,
    budgets: {},
  },
  api: {
    store_words: { ios: "iosstore", android: "androidstore" },
    requests_per_second: 3,
    concurrency: 4,
    timeout_seconds: 60,
    retry_seconds: 1,
    largest_answer_mib: 64,
  },
  worker: { grace_seconds: 50 },
  database: { timeout_seconds: 600 },
  health: { host: "127.0.0.1", port: 9464 },
  console: { on: false, host: "127.0.0.1", port: 9465, timeout_seconds: 5 },
  gateway: { host: "127.0.0.1", port: 9466, fresh_minutes: 60, callers: {} },
  notify: { format: "slack", check_seconds: 60, outage_minutes: 5, repeat_hours: 24, morning_at: "07:00" },
  alerts: {},
  mcp: { rows: 1000, seconds: 30, kib: 1024 },
};

describe("the defaults", () => {
  test("hold where there is no file", () => {
    expect(readSettings(path.join(given.folder, "none.yaml"), schema)).toEqual(defaults);
  });

  test("are what the file that comes with the project says", () => {
    expect(readSettings(path.join(projectRoot, "config", "storehouse.yaml"), schema)).toEqual(defaults);
  });

  test.each([
    ["a file of comments", "# nothing yet\n"],
    ["a file of nothing", "---\n...\n"],
    ["sections whose lines are all comments", "portfolio:\n  # source: both\ndatasets:\n#  keyword_rank:\napi:\n"],
    ["a section within a section", "credits:\n  floors:\napi: { store_words: }\n"],
  ])("hold in %s", async (_, yaml) => {
    expect(await read(yaml)).toEqual(defaults);
  });
});

test.each([
  ["account", true],
  ["config", false],
  ["both", true],
] as const)("with the source %s, the portfolio has the apps that the account tracks: %s", (source, uses) => {
  expect(usesTrackedApps({ portfolio: { ...defaults.portfolio, source } })).toBe(uses);
});

test("an empty file may be about to be written, and is not read as the defaults", async () => {
  for (const yaml of ["", " \n"])
    await expect(read(yaml)).rejects.toMatchObject({ code: "bad_config", context: { file: given.file, line: 1 } });
});

test("what the file says is taken, the rest keeps its default", async () => {
  const settings = await read(`
portfolio:
  source: both
  apps:
    - id: 6446318020
      countries: [US, "NO"]
      keywords: [habit tracker, "to-do, list", タスク]
    - { id: app.lumi.habit, countries: [JP] }
datasets:
  keyword_rank: { history_days: 90, countries: [US], on: false, settle_days: 0, lookback_days: 3 }
  organic_keyword:
credits: { floors: { history: 0.5 } }
api: { store_words: { ios: apple-store }, requests_per_second: 0.5 }
`);
  expect(settings).toEqual({
    accounts: {},
    alerts: {},
    retention: { action: "drop", slice_months: 1, ops_months: 13 },
    export: defaults.export,
    portfolio: {
      source: "both",
      apps: [
        { id: "6446318020", countries: ["US", "NO"], keywords: ["habit tracker", "to-do, list", "タスク"] },
        { id: "app.lumi.habit", countries: ["JP"], keywords: [] },
      ],
      groups: { apps: {}, keywords: {} },
    },
    datasets: {
      keyword_rank: { history_days: 90, countries: ["US"], on: false, settle_days: 0, lookback_days: 3 },
    },
    credits: { ...defaults.credits, floors: { ...defaults.credits.floors, history: 0.5 } },
    api: {
      ...defaults.api,
      store_words: { ios: "apple-store", android: "androidstore" },
      requests_per_second: 0.5,
    },
    worker: defaults.worker,
    database: defaults.database,
    health: defaults.health,
    console: defaults.console,
    gateway: defaults.gateway,
    notify: defaults.notify,
    mcp: defaults.mcp,
  });
});

describe("a wrong value is reported with file, line and key", () => {
  test.each([
    ["portfolio.source", 3, "portfolio:\n  # who\n  source: everybody"],
    [
      "portfolio.apps.1.id",
      4,
      "portfolio:\n  apps:\n    - { id: 1, countries: [US] }\n    - { id: not an id, countries: [US] }",
    ],
    ["portfolio.apps.0.id", 3, "portfolio:\n  apps:\n    - id: -5\n      countries: [US]"],
    // more digits than a request can have
    ["portfolio.apps.0.id", 3, `portfolio:\n  apps:\n    - { id: "${"1".repeat(20)}", countries: [US] }`],
    ["portfolio.apps.0.countries.1", 3, "portfolio:\n  apps:\n    - { id: 1, countries: [US, us] }"],
    ["portfolio.apps.0.countries", 3, "portfolio:\n  apps:\n    - id: 1"],
    ["portfolio.apps.0.countries", 4, "portfolio:\n  apps:\n    - id: 1\n      countries: []"],
    ["portfolio.apps.0.keywords.0", 3, "portfolio:\n  apps:\n    - { id: 1, countries: [US], keywords: [2048] }"],
    ["portfolio.apps.0.keywords.1", 3, 'portfolio:\n  apps:\n    - { id: 1, countries: [US], keywords: [a, ".."] }'],
    ["portfolio.apps.0.keywords.0", 3, 'portfolio:\n  apps:\n    - { id: 1, countries: [US], keywords: ["."] }'],
    ["datasets.keyword_rank.on", 3, "datasets:\n  keyword_rank:\n    on: yes"],
    ["datasets.keyword_rank.history_days", 2, "datasets:\n  keyword_rank: { history_days: 0 }"],
    ["datasets.keyword_rank.settle_days", 2, "datasets:\n  keyword_rank: { settle_days: 1.5 }"],
    ["datasets.keyword_rank.lookback_days", 2, "datasets:\n  keyword_rank: { lookback_days: -1 }"],
    ["datasets.keyword_rank.devices.1", 2, "datasets:\n  keyword_rank: { devices: [IPHONE, WATCH] }"],
    ["datasets.keyword_rank.start", 3, "datasets:\n  keyword_rank:\n    start: 2026-02-30"],
    ["datasets.keyword_rank.longest_window", 2, "datasets:\n  keyword_rank: { longest_window: 0 }"],
    ["datasets.keyword_rank.refresh_days", 2, "datasets:\n  keyword_rank: { refresh_days: 0 }"],
    ["datasets.keyword_rank.pack_days", 2, "datasets:\n  keyword_rank: { pack_days: week }"],
    ["datasets.keyword_rank.most_pages", 2, "datasets:\n  keyword_rank: { most_pages: 0 }"],
    ["datasets.category_rank.options.hourly", 4, "datasets:\n  category_rank:\n    options:\n      hourly: sometimes"],
    ["datasets.category_rank.options.charts.0", 3, "datasets:\n  category_rank:\n    options: { charts: [BEST] }"],
    ["datasets.keyword_rank.countries", 2, "datasets:\n  keyword_rank: { countries: US }"],
    ["credits.floors.daily", 3, "credits:\n  floors:\n    daily: 5%"],
    ["credits.floors.history", 3, "credits:\n  floors:\n    history: 1.1"],
    ["api.store_words.ios", 2, "api:\n  store_words: { ios: a/b }"],
    ["api.store_words.android", 2, "api:\n  store_words: { android: .. }"],
    ["api.requests_per_second", 2, "api:\n  requests_per_second: 0"],
    ["api.concurrency", 2, "api:\n  concurrency: 257"],
    ["api.timeout_seconds", 2, "api:\n  timeout_seconds: .inf"],
    ["api.retry_seconds", 2, "api:\n  retry_seconds: -1"],
    ["api.largest_answer_mib", 2, 'api:\n  largest_answer_mib: "64"'],
    ["api.largest_answer_mib", 2, "api:\n  largest_answer_mib: 512"],
    ["api", 2, "# no\napi: fast"],
  ])("%s on line %i", async (key, line, yaml) => {
    const wrong = read(yaml);
    await expect(wrong).rejects.toMatchObject({
      name: "UsageError",
      code: "bad_config",
      context: { file: given.file, line, key },
    });
    await expect(wrong).rejects.toThrow(new RegExp(`storehouse.yaml.*\\b${line}\\b.*${key}`));
  });
});

test.each([
  [
    "accounts: { Acme: {} }",
    "accounts.Acme: a name has lower-case letters, digits and _, begins with a letter, and is at most 30",
  ],
  ["accounts: { acme_file: {} }", "accounts.acme_file must not end in file: API_TOKEN_FILE names a file"],
  ["gateway: { callers: { Me: {} } }", "gateway.callers.Me: a name has lower-case letters, digits, _ and -"],
  [
    "credits: { budgets: { a/b: { credits_a_day: 1 } } }",
    "credits.budgets.a/b: the name of a budget consists of letters",
  ],
  ["credits: { budgets: { b: { credits_a_day: 0 } } }", "credits.budgets.b.credits_a_day: a budget must be 1 credit"],
  [
    'portfolio: { apps: [{ id: "a b", countries: [US] }] }',
    "portfolio.apps.0.id: a track id is a number of at most 19 digits (iOS) or",
  ],
])("a name or value that does not fit is reported with what it is like: %j", async (yaml, words) => {
  await expect(read(yaml)).rejects.toThrow(words);
});

test.each(["s3://", "s3://lake/x?region=eu", "gs://lake/x"])(
  "a place that no export could be written to is refused when it is read, and not by the first export: %s",
  async (to) => {
    await expect(read(`export: { to: "${to}" }`)).rejects.toThrow("export.to must be a folder, or a bucket as s3://");
  },
);

test("an account and a caller with nothing behind their names are there, with the defaults", async () => {
  const { accounts, gateway } = await read("accounts:\n  acme:\ngateway:\n  callers:\n    notebooks: # all of it\n");
  expect(accounts).toEqual({ acme: { portfolio: { source: "account", apps: [] } } });
  expect(gateway.callers).toEqual({ notebooks: { class: "history", may_change: false } });
});

describe("a key that nobody knows is named, on its own line", () => {
  test.each([
    ["portfolioo", 2, "\nportfolioo:\n  source: account"],
    ["portfolio.apps.0.country", 4, "portfolio:\n  apps:\n    - id: 1\n      country: US\n      countries: [US]"],
    ["datasets.keyword_rank.historydays", 3, "datasets:\n  keyword_rank:\n    historydays:\n      90"],
    ["datasets.category_rank.options.hour", 3, "datasets:\n  category_rank:\n    options: { hour: true }"],
    ["datasets.keyword_rank.options.hourly", 3, "datasets:\n  keyword_rank:\n    options: { hourly: true }"],
    ["credits.floors.weekly", 1, "credits: { floors: { weekly: 0.1 } }"],
    ["api.token", 2, "api:\n  token: abc"],
  ])("%s", async (key, line, yaml) => {
    await expect(read(yaml)).rejects.toMatchObject({ code: "bad_config", context: { line, key } });
  });

  test.each([
    ["api: { concurency: 1 }", "did you mean concurrency?"],
    ["portfolio:\n  apps:\n    - { id: 1, country: US, countries: [US] }", "did you mean countries?"],
    ["credits: { askAbove: 1 }", "did you mean ask_above?"],
    ["datasets: { keyword_rank: { historydays: 9 } }", "did you mean history_days?"],
    ["datasets: { keyword_ranks: {} }", "did you mean keyword_rank?"],
    ["portfolioo: {}", "did you mean portfolio?"],
  ])("with the nearest: %j", async (yaml, words) => {
    await expect(read(yaml)).rejects.toThrow(words);
  });

  test("without one where none is near", async () => {
    await expect(read("api: { token: abc }")).rejects.toThrow("api.token is not a setting;");
  });

  test("and so is a dataset", async () => {
    await expect(read("datasets:\n  keyword_rank: {}\n  keyword_ranks:\n    on: true\n")).rejects.toMatchObject({
      code: "bad_config",
      context: {
        file: given.file,
        line: 3,
        key: "datasets.keyword_ranks",
        problem: "is not a dataset, did you mean keyword_rank?",
      },
    });
  });
});

test("what is special to a dataset is taken as that dataset reads it", async () => {
  const yaml = `
datasets:
  category_rank: { start: 2026-01-31, devices: [IPAD], options: { charts: [PAID] } }
  keyword_rank: { options: {} }
`;
  expect((await read(yaml)).datasets).toEqual({
    category_rank: { start: "2026-01-31", devices: ["IPAD"], options: { hourly: false, charts: ["PAID"] } },
    keyword_rank: { options: {} },
  });
});

test("a setting that a dataset cannot use is reported on its own line, with the reason", async () => {
  await writeFile(
    given.file,
    "datasets:\n  keyword_rank: { on: true }\n  organic_keyword:\n    on: true\n    devices: [IPAD]\n",
  );
  const unusable = (name: string) => (name === "organic_keyword" ? { devices: "it has none" } : { countries: "none" });
  expect(() => readSettings(given.file, settingsFor(datasets, unusable))).toThrow(
    /line 5: datasets\.organic_keyword\.devices cannot be used for this dataset: it has none; /,
  );
});

test("`console: on` is reported with what to write instead", async () => {
  await expect(read("console: on\n")).rejects.toMatchObject({
    message: expect.stringContaining("console must be a map: `console: {on: true}`"),
  });
});
