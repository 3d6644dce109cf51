import { parseEnv } from "node:util";
import { z } from "zod";
import { fail, StorehouseError } from "../core/errors.ts";
import { AccountName } from "./account-settings.ts";
import { accountTokensIn, isAccountToken, Token, tokenVariables } from "./account-tokens.ts";
import { readText } from "./read-text.ts";
import { type Variables, withSecretFiles } from "./secret-files.ts";
import { schemaWords } from "../core/schema-words.ts";

const hasNoUser = (text: string) => new URL(text).username === "" && new URL(text).password === "";

/** An address without anything that would get in the way of building URLs. */
const BaseUrl = z
  .url({ protocol: /^https?$/, error: "is not an http or https address", abort: true })
  .refine((text) => !text.includes("?") && !text.includes("#"), "must not contain a query or fragment")
  .refine(hasNoUser, "must not contain a user or password");

/** A variable that goes into no log, no table and no argument; with _FILE after its name, it names a file that holds the value. */
const secret = <S extends z.ZodType<string>>(schema: S, meaning: string) =>
  schema.optional().meta({ description: meaning, secret: true });

/** Programs disagree on how to write other characters at log-in. */
const RolePassword = z.string().regex(/^[!-~]{12,}$/, "must be 12 or more plain characters (ASCII) without spaces");
/** An address that often holds a secret: it is sent encrypted, or does not leave this machine. */
const WebhookUrl = z
  .url({ protocol: /^https?$/, error: "is not an http or https address", abort: true })
  .refine(
    (text) => new URL(text).protocol === "https:" || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(text).hostname),
    "must be https, or http on this machine (localhost)",
  )
  .refine((text) => !text.includes("#"), "must not contain a fragment")
  .refine(hasNoUser, "must not contain a user or password");

/** The address of a proxy may lack http://, and may contain a user and password. */
const ProxyUrl = z
  .string()
  .overwrite((text) => (text.includes("://") ? text : `http://${text}`))
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""), "is not an http or https address of a proxy");

/** What a person types to sign in to the console. */
const ConsolePassword = z.string().min(12, "must be 12 or more characters");

/** The variables, each with its meaning. */
export const Environment = z.object({
  API_BASE_URL: BaseUrl.optional().describe(
    "Address of the API, including the path prefix that all its paths share, if any.",
  ),
  API_TOKEN: secret(
    Token,
    "Token of the API account; it is never written to a log or table. The token of an account under `accounts` in the configuration has that account's name appended: API_TOKEN_ACME.",
  ),
  DATABASE_URL: secret(
    z.string().regex(/^postgres(ql)?:\/\/./, "must start with postgres:// or postgresql://"),
    "Postgres 15 or newer, with `?sslmode=` if it is on another machine (default: Storehouse runs its own Postgres 18).",
  ),
  PGPASSWORD: secret(z.string().min(1), "Password for DATABASE_URL, if the address contains none."),
  LOG_LEVEL: z
    .enum(["silent", "fatal", "error", "warn", "info", "debug", "trace"], {
      error: "must be one of silent, fatal, error, warn, info, debug, trace",
    })
    .default("warn")
    .describe("How much is logged to stderr: `silent`, `fatal`, `error`, `warn`, `info`, `debug` or `trace`."),
  METABASE_URL: BaseUrl.optional().describe("Address of Metabase, instead of http://127.0.0.1:3000."),
  METABASE_API_KEY: secret(
    z.string().regex(/^\S+$/, "must not be empty or contain spaces"),
    "API key of Metabase's Administrators group.",
  ),
  METABASE_EMAIL: z
    .email({ error: "is not an email address" })
    .optional()
    .describe(
      "Metabase's administrator: `storehouse metabase` creates this account in a new Metabase, and otherwise logs in with it.",
    ),
  METABASE_PASSWORD: secret(z.string().min(1), "Password of that administrator."),
  METABASE_DATABASE_HOST: z
    .string()
    .regex(/^([\w.-]+|\[[\da-fA-F:]+\])(:\d{1,5})?$/, "must be a host or host:port")
    .optional()
    .describe("Host (or host:port) under which Metabase reaches Postgres, instead of the host in DATABASE_URL."),
  AWS_ACCESS_KEY_ID: secret(
    z.string().min(1),
    "Access key for `export` to a bucket (default: the profile files or the role of this machine).",
  ),
  AWS_SECRET_ACCESS_KEY: secret(z.string().min(1), "The secret that belongs to that key."),
  AWS_SESSION_TOKEN: secret(z.string().min(1), "The token of temporary keys."),
  AWS_PROFILE: z.string().optional().describe("Profile in ~/.aws that `export` to a bucket uses."),
  AWS_REGION: z.string().optional().describe("Region of the bucket; `export.s3.region` takes precedence."),
  CLICKHOUSE_URL: BaseUrl.optional().describe(
    "HTTP address of the ClickHouse server that `publish` copies tables and marts to, such as https://host:8443; if it is set, retention waits until a month has been copied.",
  ),
  CLICKHOUSE_USER: z.string().min(1).optional().describe("User of ClickHouse (default: `default`)."),
  CLICKHOUSE_PASSWORD: secret(z.string().min(1), "The password of that user."),
  HTTPS_PROXY: secret(
    ProxyUrl,
    "Proxy for https addresses of the API, buckets, Metabase and the webhook; the name in lower case works too. Never used for addresses of this machine.",
  ),
  HTTP_PROXY: secret(ProxyUrl, "The same for http addresses, and for https if HTTPS_PROXY is not set."),
  NO_PROXY: z
    .string()
    .optional()
    .describe(
      "Hosts to reach without a proxy, separated by commas: `api.example`, `.example`, `host:port`, or `*` for all.",
    ),
  NODE_EXTRA_CA_CERTS: z
    .string()
    .optional()
    .describe("File with the certificates (PEM) of a company's own authority, in addition to those that Node trusts."),
  NOTIFY_URL: WebhookUrl.optional().meta({
    description:
      "Webhook that is notified when problems begin and end: https, or http on this machine; as secret as a password.",
    secret: true,
  }),
  NOTIFY_PING_URL: WebhookUrl.optional().meta({
    description:
      "Address of a dead man's switch, requested (GET) every minute while everything works: https, or http on this machine; as secret as a password.",
    secret: true,
  }),
  STOREHOUSE_ACCOUNT: AccountName.optional().describe(
    "The account under `accounts` in the configuration that this process works with (default: the account of API_TOKEN).",
  ),
  STOREHOUSE_CONFIG: z.string().min(1).optional().describe("Configuration file, instead of config/storehouse.yaml."),
  STOREHOUSE_CRONTAB: z.string().min(1).optional().describe("Schedule, instead of jobs/crontab, in the same format."),
  STOREHOUSE_HOME: z
    .string()
    .min(1)
    .optional()
    .describe("Where the embedded Postgres keeps its data, instead of .storehouse."),
  STOREHOUSE_CONSOLE_PASSWORD: secret(
    ConsolePassword,
    "Password of operators in the console; without it the console listens on this machine only and requires no sign-in.",
  ),
  STOREHOUSE_CONSOLE_VIEWER_PASSWORD: secret(
    ConsolePassword,
    "Password of viewers in the console, who see everything except stored answers and can change nothing.",
  ),
  STOREHOUSE_OWNER_PASSWORD: secret(RolePassword, "`storehouse grants` lets the role storehouse_owner log in with it."),
  STOREHOUSE_LOADER_PASSWORD: secret(
    RolePassword,
    "`storehouse grants` lets the role storehouse_loader log in with it.",
  ),
  STOREHOUSE_READER_PASSWORD: secret(
    RolePassword,
    "`storehouse grants` lets the role storehouse_reader log in with it.",
  ),
});

/** Checks an address that was typed instead of METABASE_URL: returns what is wrong with it, null if it is valid. */
export function addressProblem(text: string): string | null {
  return BaseUrl.safeParse(text).error?.issues[0]?.message ?? null;
}

/** Settings that come from the environment or from `.env`. */
export type Environment = z.output<typeof Environment> & {
  /** Tokens of `accounts` in the configuration, by name. */
  readonly accountTokens?: Readonly<Record<string, string>>;
};

/** Names of the variables that are secrets: each may be in a file instead. */
export const secretNames: readonly string[] = Object.entries(Environment.shape)
  .filter(([, schema]) => schema.meta()?.["secret"] === true)
  .map(([name]) => name);

/** True for a variable that is a secret. */
export function isSecret(name: string): boolean {
  return secretNames.includes(name) || isAccountToken(name);
}

/**
 * Reads the settings; variables that are set take precedence over those of `file`, and each secret may be in a file that NAME_FILE names.
 * Throws a UsageError that names the variable.
 */
export function readEnvironment(variables: Variables, file?: string): Environment {
  const fromFile = parseEnv((file === undefined ? null : readText(file)) ?? "");
  const levels = [variables, fromFile].map((level) => withUpperCase(withoutEmpty(level)));
  const tokens = tokenVariables(levels);
  const { given, setBy } = withSecretFiles([...secretNames, ...tokens], levels);
  const result = Environment.safeParse(given, { error: schemaWords });
  if (result.success && tokens.length === 0) return result.data;
  if (result.success) return { ...result.data, accountTokens: accountTokensIn(tokens, { given, setBy }) };
  const issue = result.error.issues[0];
  const name = String(issue?.path[0]);
  throw fail("bad_setting", { variable: setBy.get(name) ?? name, problem: issue?.message });
}

/** The environment of this process. The only place that reads it. */
export function processEnvironment(): Variables {
  return process.env;
}

/**
 * Removes empty variables with this prefix from the environment of this process, for a library that reads them directly and treats an empty
 * one as set.
 */
export function unsetEmpty(beginning: string): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith(beginning) && value === "") delete process.env[name];
}

/** An empty variable counts as unset: compose files and shells pass those on. */
function withoutEmpty(variables: Variables): Variables {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ""));
}

/** Proxy variables in lower case count as well, and take precedence over upper case, as in most programs. */
function withUpperCase(variables: Variables): Variables {
  const lower = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"].map((name) => [name, variables[name.toLowerCase()]] as const);
  return { ...variables, ...Object.fromEntries(lower.filter(([, value]) => value !== undefined)) };
}

/** As much of the environment as can be used, and what is wrong with the rest. */
export type LenientEnvironment = { readonly environment: Environment; readonly problems: readonly StorehouseError[] };

/** Reads the environment like `readEnvironment`, and leaves out each invalid variable, for a caller that needs the others anyway. */
export function readLeniently(
  variables: Readonly<Record<string, string | undefined>>,
  file?: string,
): LenientEnvironment {
  const problems: StorehouseError[] = [];
  const attempt = (read: () => Environment): Environment | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StorehouseError)) throw error;
      if (!problems.some(({ message }) => message === error.message)) problems.push(error);
      return null;
    }
  };
  const whole = attempt(() => readEnvironment(variables, file));
  if (whole !== null) return { environment: whole, problems };
  const set = Object.entries(variables).filter(([, value]) => value !== undefined && value !== "");
  const given: Record<string, string | undefined> = { ...textIn(file), ...Object.fromEntries(set) };
  for (;;) {
    const environment = attempt(() => readEnvironment(given));
    if (environment !== null) return { environment, problems };
    const wrong = String(problems.at(-1)?.context["variable"]).split(" and ");
    const known = wrong.filter((name) => name in given);
    // without a known variable the loop would never end
    if (known.length === 0) return { environment: readEnvironment({}), problems };
    for (const name of known) delete given[name];
  }
}

function textIn(file: string | undefined): Record<string, string | undefined> {
  try {
    return parseEnv((file === undefined ? null : readText(file)) ?? "");
  } catch {
    return {};
  }
}
