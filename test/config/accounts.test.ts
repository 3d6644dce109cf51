import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { accountOf, configOfAccount } from "../../src/config/config-of-account.ts";
import { apiAccess, type Config } from "../../src/config/config.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { secretsOf } from "../../src/config/secrets.ts";
import { Settings, settingsFor } from "../../src/config/settings.ts";

const acme = {
  portfolio: { source: "config", apps: [{ id: "123", countries: ["US"] }] },
  credits: { floors: { history: 0.5 } },
  requests_per_second: 2,
} as const;
const file = {
  portfolio: { source: "both", groups: { apps: { casual: ["123"] } } },
  credits: { floors: { daily: 0.3 } },
  accounts: { acme, globex: {} },
} as const;

function configWith(variables: Record<string, string>): Config {
  const environment = readEnvironment({ API_BASE_URL: "https://api.example", API_TOKEN: "the-first", ...variables });
  return configOfAccount({ environment, settings: Settings.parse(file), home: "/" });
}

/** The context of the error that reading ends with. */
function refusal(variables: Record<string, string>): object {
  try {
    apiAccess(configWith(variables).environment);
  } catch (error) {
    return (error as { context: object }).context;
  }
  throw new Error("it was read");
}

describe("the configuration of a process", () => {
  test("is that of API_TOKEN where it names no account", () => {
    const { environment, settings } = configWith({ API_TOKEN_ACME: "of-acme" });
    expect([apiAccess(environment).token, accountOf(settings), settings.portfolio.source]).toEqual([
      "the-first",
      "",
      "both",
    ]);
  });

  test("has token, portfolio, credits and pace of the account that it names, and the groups of the warehouse", () => {
    const { environment, settings } = configWith({ STOREHOUSE_ACCOUNT: "acme", API_TOKEN_ACME: "of-acme" });
    expect([apiAccess(environment).token, accountOf(settings)]).toEqual(["of-acme", "acme"]);
    expect(settings.portfolio).toMatchObject({
      source: "config",
      apps: [{ id: "123" }],
      groups: { apps: { casual: ["123"] } },
    });
    expect(settings.credits.floors).toMatchObject({ history: 0.5, daily: 0.05 });
    expect(settings.api.requests_per_second).toBe(2);
  });

  test("takes what an account leaves out from the file, but not its portfolio", () => {
    const { settings } = configWith({ STOREHOUSE_ACCOUNT: "globex", API_TOKEN_GLOBEX: "of-globex" });
    expect(settings.portfolio).toMatchObject({ source: "account", apps: [], account: "globex" });
    expect([settings.credits.floors.daily, settings.api.requests_per_second]).toEqual([0.3, 3]);
  });
});

test("a token may be in a file, and no token of any account is ever shown", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "storehouse-token-"));
  const place = path.join(folder, "token");
  writeFileSync(place, "of-acme\n");
  const variables = { API_TOKEN_ACME_FILE: place, API_TOKEN_GLOBEX: "of-globex" };
  expect(secretsOf(readEnvironment(variables))).toEqual(["of-acme", "of-globex"]);
  expect(secretsOf({ API_TOKEN_GLOBEX: "of-globex", PATH: "/bin" })).toEqual(["of-globex"]);
  rmSync(folder, { recursive: true });
});

test.each([
  [
    { STOREHOUSE_ACCOUNT: "acne" },
    { variable: "STOREHOUSE_ACCOUNT", problem: expect.stringContaining("acme") as string },
  ],
  [{ STOREHOUSE_ACCOUNT: "Acme" }, { variable: "STOREHOUSE_ACCOUNT" }],
  [{ STOREHOUSE_ACCOUNT: "acme" }, { variable: "API_TOKEN_ACME", problem: "is not set" }],
  [{ STOREHOUSE_ACCOUNT: "acme", API_TOKEN_ACME: "the-first" }, { variable: "API_TOKEN_ACME and API_TOKEN" }],
  [{ API_TOKEN_ACME: "of acme" }, { variable: "API_TOKEN_ACME" }],
])("%j is refused, and the variable named", (variables, context) => {
  expect(refusal(variables)).toMatchObject(context);
});

test.each(["file", "of_file", "Acme", "a-b", "1st"])("an account is not named %s", (name) => {
  expect(Settings.safeParse({ accounts: { [name]: {} } }).success).toBe(false);
});

test("a budget of an account that names no dataset is found", () => {
  const budgets = { all: { credits_a_day: 10, datasets: ["revieww"] } };
  const found = settingsFor({ review: null }).safeParse({ accounts: { acme: { credits: { budgets } } } });
  expect(found.error?.issues[0]?.path).toEqual(["accounts", "acme", "credits", "budgets", "all", "datasets", 0]);
});
