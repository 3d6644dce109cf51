import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { projectRoot } from "../../src/config/config.ts";

/** A volume in the long form, which does not make a folder where the file is missing. */
const Bind = z.strictObject({
  type: z.literal("bind"),
  source: z.string(),
  target: z.string(),
  read_only: z.literal(true),
  bind: z.strictObject({ create_host_path: z.literal(false) }),
});

const Service = z.looseObject({
  build: z
    .strictObject({ context: z.string(), args: z.record(z.string(), z.string()), secrets: z.array(z.string()) })
    .optional(),
  image: z.string(),
  command: z.array(z.string()).optional(),
  profiles: z.array(z.string()).default([]),
  restart: z.string(),
  stop_grace_period: z.string().optional(),
  container_name: z.string().optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z
    .record(
      z.string(),
      z.strictObject({
        condition: z.enum(["service_started", "service_healthy", "service_completed_successfully"]),
        required: z.boolean().optional(),
      }),
    )
    .default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.union([z.string(), Bind])).default([]),
  deploy: z.strictObject({ replicas: z.string() }).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
});

const ComposeFile = z.looseObject({
  services: z.record(z.string(), Service),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

/** docker-compose.yml as compose reads it, before variables are filled in. */
export type ComposeFile = z.output<typeof ComposeFile>;
export type ComposeService = z.output<typeof Service>;

/** The project's docker-compose.yml, its text and what it holds. */
export function readCompose(): { readonly text: string; readonly file: ComposeFile } {
  const text = readFileSync(path.join(projectRoot, "docker-compose.yml"), "utf8");
  return { text, file: ComposeFile.parse(parse(text, { merge: true })) };
}

/** A value with its variables filled in, as compose does: `${NAME}`, `${NAME:-default}`, `${NAME:+where it is set}`, `${NAME:?what is wrong}`. */
export function filledIn(value: string, variables: Readonly<Record<string, string>>): string {
  return value.replaceAll(
    /\$\{(\w+)(?::([-+?])([^}]*))?\}/g,
    (_, name: string, sign: string | undefined, rest: string) => {
      const given = variables[name] ?? "";
      if (sign === "+") return given === "" ? "" : rest;
      if (given !== "") return given;
      if (sign === "?") throw new Error(`required variable ${name} is missing a value: ${rest}`);
      return sign === "-" ? rest : "";
    },
  );
}

/** What the head of the file says has to be set. */
export const requiredVariables = {
  API_BASE_URL: "http://sandbox:8080",
  API_TOKEN: "sandbox-token",
  POSTGRES_PASSWORD: "a-superuser-password",
  STOREHOUSE_LOADER_PASSWORD: "a-loader-password",
  STOREHOUSE_READER_PASSWORD: "a-reader-password",
};

/** What a service is given where these variables are set. */
export function environmentOf(
  { environment }: ComposeService,
  given: Readonly<Record<string, string>> = requiredVariables,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filledIn(value, given)]));
}
