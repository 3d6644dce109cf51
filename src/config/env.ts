import { parseEnv } from "node:util";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import { readText } from "./read-text.ts";

/** An address without anything that would get in the way of building URLs. */
const BaseUrl = z
  .url({ protocol: /^https?$/, error: "is no http or https address", abort: true })
  .refine((text) => !text.includes("?") && !text.includes("#"), "must have neither query nor fragment")
  .refine((text) => new URL(text).username === "" && new URL(text).password === "", "must hold no user or password");

/** The variables, each with its meaning. */
export const Environment = z.object({
  API_BASE_URL: BaseUrl.optional().describe(
    "Address of the API, with the path that all its paths share if there is one.",
  ),
  API_TOKEN: z
    .string()
    .regex(/^\S+$/, "must not be empty or hold spaces")
    .optional()
    .describe("Token of the API account; it goes into no log and no table."),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./, "must start with postgres:// or postgresql://")
    .optional()
    .describe("Postgres 15 or newer; left out, Storehouse runs a Postgres 18 of its own."),
  LOG_LEVEL: z
    .enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"], {
      error: "is none of silent, fatal, error, warn, info, debug, trace",
    })
    .default("warn")
    .describe("How much is logged to stderr: silent, fatal, error, warn, info, debug or trace."),
  METABASE_URL: BaseUrl.optional().describe("Address of Metabase, instead of http://127.0.0.1:3000."),
  METABASE_API_KEY: z
    .string()
    .regex(/^\S+$/, "must not be empty or hold spaces")
    .optional()
    .describe("API key of Metabase's group of administrators."),
  METABASE_EMAIL: z
    .email({ error: "is no e-mail address" })
    .optional()
    .describe("Metabase's administrator: made with this name when Metabase is new, else who `storehouse metabase` is."),
  METABASE_PASSWORD: z.string().min(1).optional().describe("Password of that administrator."),
  METABASE_DATABASE_HOST: z
    .string()
    .regex(/^([\w.-]+|\[[\da-fA-F:]+\])(:\d{1,5})?$/, "is no host, or host:port")
    .optional()
    .describe("Host (or host:port) of Postgres as Metabase sees it, instead of that of DATABASE_URL."),
  STOREHOUSE_READER_PASSWORD: z
    .string()
    .min(1)
    .optional()
    .describe("Password of the role storehouse_reader, with which BI tools read."),
  STOREHOUSE_CONFIG: z.string().min(1).optional().describe("Another configuration file than config/storehouse.yaml."),
  STOREHOUSE_HOME: z
    .string()
    .min(1)
    .optional()
    .describe("Where the own Postgres keeps its data, instead of .storehouse."),
});

/** Checks an address that was typed instead of METABASE_URL: the message of what is wrong with it, null when it fits. */
export function addressProblem(text: string): string | null {
  return BaseUrl.safeParse(text).error?.issues[0]?.message ?? null;
}

/** Settings that come from the environment or from `.env`. */
export type Environment = z.output<typeof Environment>;

/** Reads the settings; variables that are set win over those of `file`. Throws a UsageError that names the variable. */
export function readEnvironment(variables: Readonly<Record<string, string | undefined>>, file?: string): Environment {
  const fromFile = parseEnv((file === undefined ? null : readText(file)) ?? "");
  // an empty variable counts as unset: compose files and shells hand those on
  const given = Object.fromEntries(
    Object.entries({ ...fromFile, ...withoutEmpty(variables) }).filter(([, value]) => value !== ""),
  );
  const result = Environment.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw fail("bad_setting", { variable: String(issue?.path[0]), problem: issue?.message });
}

/** The environment of this process. The only place that looks at it. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

function withoutEmpty(variables: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""));
}
