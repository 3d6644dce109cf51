import { readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { databaseUrlOf, projectRoot } from "../../src/config/config.ts";
import { Environment, isSecret, readEnvironment } from "../../src/config/env.ts";
import { connectionString } from "../../src/postgres/connection.ts";
import {
  environmentOf,
  filledIn,
  readCompose,
  requiredVariables,
  type ComposeService,
} from "../support/compose-file.ts";

const { text, file } = readCompose();
const services = Object.entries(file.services);
const ours = services.filter(([, { build }]) => build !== undefined);

/** What the head of the file says may be set, beside what has to be. */
const optional = {
  STOREHOUSE_CONSOLE_PASSWORD: "of-the-operators",
  STOREHOUSE_CONSOLE_VIEWER_PASSWORD: "of-the-viewers",
  METABASE_EMAIL: "me@example.com",
  METABASE_PASSWORD: "of-the-administrator",
  NOTIFY_URL: "https://hooks.example/services/T0",
  HTTPS_PROXY: "http://proxy.example:3128",
  HTTP_PROXY: "http://proxy.example:3129",
  CLICKHOUSE_URL: "https://clickhouse.example:8443",
  CLICKHOUSE_USER: "storehouse",
  CLICKHOUSE_PASSWORD: "of-clickhouse",
  AWS_ACCESS_KEY_ID: "key-of-the-bucket",
  AWS_SECRET_ACCESS_KEY: "secret-of-the-bucket",
  AWS_SESSION_TOKEN: "token-of-the-bucket",
  AWS_PROFILE: "lake",
  AWS_REGION: "eu-central-1",
  STOREHOUSE_CONFIG: "config/other.yaml",
  STOREHOUSE_CRONTAB: "config/crontab",
};

/** Variables that the worker is not given, and why. */
const notTheWorkers = {
  METABASE_URL: "of metabase-setup, which the file names it to",
  METABASE_API_KEY: "of metabase-setup, which logs in as the administrator",
  METABASE_EMAIL: "of metabase-setup",
  METABASE_PASSWORD: "of metabase-setup",
  METABASE_DATABASE_HOST: "of metabase-setup: Metabase sees Postgres under the same name",
  STOREHOUSE_ACCOUNT: "of a service for each further account",
  STOREHOUSE_CONSOLE_PASSWORD: "of the console",
  STOREHOUSE_CONSOLE_VIEWER_PASSWORD: "of the console",
  STOREHOUSE_HOME: "Postgres is a service of its own",
  STOREHOUSE_LOADER_PASSWORD: "of setup; the worker has it as PGPASSWORD",
  STOREHOUSE_OWNER_PASSWORD: "setup works as the superuser, and nobody logs in as the owner",
  STOREHOUSE_READER_PASSWORD: "of setup, mcp and metabase-setup",
};

const Override = z.looseObject({
  services: z.record(
    z.string(),
    z.strictObject({ environment: z.record(z.string(), z.string()), secrets: z.array(z.string()) }),
  ),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

describe("variables of docker-compose.yml", () => {
  test.each(ours)("%s is given variables that the program knows and takes", (_, service) => {
    const environment = environmentOf(service);
    for (const name of Object.keys(environment)) expect(Object.keys(Environment.shape)).toContain(name);
    const read = readEnvironment(environment);
    if (read.DATABASE_URL !== undefined) expect(connectionString(read.DATABASE_URL)).toContain("sslmode=disable");
  });

  test("lets the worker in as the loader, with the password that setup gives it, and the superuser in nowhere else", () => {
    const odd = "p@ss/w:rd?#%1 +&='";
    const given = { ...requiredVariables, POSTGRES_PASSWORD: odd, STOREHOUSE_LOADER_PASSWORD: "l@ader/w:rd?#%1+&=" };
    const openedBy = (name: string) => {
      const environment = readEnvironment(environmentOf(file.services[name] as ComposeService, given));
      const url = connectionString(databaseUrlOf(environment) ?? "");
      const { user, password, database, host } = new pg.Client({ connectionString: url });
      return { user, password, database, host };
    };
    const postgres = environmentOf(file.services["postgres"] as ComposeService, given);
    const there = { host: "postgres", database: postgres["POSTGRES_DB"] };
    for (const name of ["worker", "console", "gateway", "mcp", "metabase-setup"])
      expect([name, openedBy(name)]).toEqual([
        name,
        { ...there, user: "storehouse_loader", password: given.STOREHOUSE_LOADER_PASSWORD },
      ]);
    expect(openedBy("setup")).toEqual({ ...there, user: postgres["POSTGRES_USER"], password: odd });
    const withSuperuser = services.filter(([, service]) =>
      JSON.stringify(service.environment).includes("POSTGRES_PASSWORD"),
    );
    expect(withSuperuser.map(([name]) => name)).toEqual(["postgres", "setup"]);
  });

  test("passes optional variables on, and leaves them unset where they are missing", () => {
    const all = (given: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        ours.flatMap(([, service]) =>
          Object.entries(readEnvironment(environmentOf(service, given))).filter(([, value]) => value !== undefined),
        ),
      );
    expect(all({ ...requiredVariables, ...optional })).toMatchObject(optional);
    for (const name of Object.keys(optional)) expect([name, all(requiredVariables)[name]]).toEqual([name, undefined]);
  });

  test("passes to the worker each variable that the program knows and that .env may hold, but for those of other services", () => {
    const { environment = {} } = file.services["worker"] ?? {};
    const known = Object.keys(Environment.shape);
    expect(known.filter((name) => !(name in environment)).sort()).toEqual(Object.keys(notTheWorkers).sort());
    const fromElsewhere = known.filter((name) => name in environment && !environment[name]?.includes(`\${${name}:`));
    expect(fromElsewhere).toEqual(["DATABASE_URL", "PGPASSWORD", "NODE_EXTRA_CA_CERTS"]);
  });

  test("can be in files for each service that the example of docs/running.md names, which leaves no secret in a variable", () => {
    const page = readFileSync(path.join(projectRoot, "docs", "running.md"), "utf8");
    const example = Override.parse(parse(/^```yml\n(.*?)^```$/ms.exec(page)?.[1] ?? "", { merge: true }));
    expect(Object.keys(example.services)).toEqual(["postgres", "setup", "worker", "console", "gateway"]);
    for (const [name, { environment, secrets }] of Object.entries(example.services)) {
      const whole: Record<string, string> = { ...environmentOf(file.services[name] as ComposeService), ...environment };
      const files = Object.entries(whole).filter(([variable]) => variable.endsWith("_FILE"));
      expect(files.map(([, at]) => at)).toEqual(secrets.map((secret) => `/run/secrets/${secret}`));
      for (const [variable] of files)
        expect([variable, whole[variable.slice(0, -"_FILE".length)]]).toEqual([variable, ""]);
      const shown = Object.values(whole).filter((value) => value !== "" && /^a-|-token$/.test(value));
      expect([name, shown]).toEqual([name, []]);
      for (const secret of secrets) expect(example.secrets).toHaveProperty(secret);
      if (name !== "postgres")
        expect(files.map(([variable]) => variable.replace("_FILE", "")).filter((one) => !isSecret(one))).toEqual([]);
    }
  });

  test("reaches the sandbox beside it without a proxy, and other hosts that are named", () => {
    const noProxy = (given: object) =>
      environmentOf(file.services["worker"] as ComposeService, { ...requiredVariables, ...given })["NO_PROXY"]?.split(
        ",",
      );
    expect(noProxy({ NO_PROXY: "api.example,.example" })).toEqual(["sandbox", "api.example", ".example"]);
    expect(noProxy({})).toContain(new URL(requiredVariables.API_BASE_URL).hostname);
  });

  test("has a company's authority where it is named, for npm while the image is built and for the API at run time", () => {
    const given = { ...requiredVariables, COMPANY_CA: "/home/me/company.pem" };
    for (const [name, { build, environment, volumes }] of ours) {
      const mounted = volumes.flatMap((volume) =>
        typeof volume === "string" ? [] : [[filledIn(volume.source, given), volume.target]],
      );
      expect([name, build?.secrets, mounted]).toEqual([
        name,
        ["company_ca"],
        [["/home/me/company.pem", "/etc/company-ca.pem"]],
      ]);
      const requests = "API_BASE_URL" in environment;
      expect([name, environment["NODE_EXTRA_CA_CERTS"] === undefined]).toEqual([name, !requests]);
      const value = filledIn(environment["NODE_EXTRA_CA_CERTS"] ?? "", given);
      if (requests) expect(value).toBe("/etc/company-ca.pem");
      expect(filledIn(environment["NODE_EXTRA_CA_CERTS"] ?? "", requiredVariables)).toBe("");
    }
    expect(filledIn(file.secrets["company_ca"]?.file ?? "", given)).toBe("/home/me/company.pem");
    expect(readFileSync(path.join(projectRoot, "Dockerfile"), "utf8")).toContain("--mount=type=secret,id=company_ca");
  });

  test("reports in words which variables it requires, and its head names every variable", () => {
    for (const name of Object.keys(requiredVariables)) {
      const without = { ...requiredVariables, [name]: "" };
      const missing = services.flatMap(([, { environment }]) =>
        Object.values(environment).flatMap((value) => {
          try {
            filledIn(value, without);
            return [];
          } catch (error) {
            return [String(error)];
          }
        }),
      );
      expect([name, missing.length > 0]).toEqual([name, true]);
    }
    const head = text.slice(0, text.indexOf("x-storehouse:"));
    const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? "");
    for (const name of new Set(used)) if (name !== "LOG_LEVEL") expect(head).toContain(name);
  });
});
