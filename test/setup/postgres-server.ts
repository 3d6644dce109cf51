import { request, type RequestOptions } from "node:http";
import { join } from "node:path";
import { openEmbedded } from "../../src/warehouse/embedded.ts";

/** A Postgres for one run of the tests: an administrator's url and words about where it came from. */
export type PostgresServer = { readonly url: string; readonly origin: string } & AsyncDisposable;

const image = "postgres:18";
const pingMs = 2000;

/** TEST_DATABASE_URL if set; else a container where a Docker engine answers; else the embedded server. */
export async function postgresServer(): Promise<PostgresServer> {
  const given = process.env["TEST_DATABASE_URL"];
  if (given) return { url: given, origin: "TEST_DATABASE_URL", [Symbol.asyncDispose]: async () => undefined };
  if (!(await dockerAnswers())) return embedded("no Docker engine answers");
  return container().catch((error: unknown) => embedded(`${image} did not start: ${String(error)}`));
}

async function container(): Promise<PostgresServer> {
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

/** One directory for all runs: runs at the same time share the server, and one left by a killed run is joined. */
async function embedded(why: string): Promise<PostgresServer> {
  const directory = join(import.meta.dirname, "../../.storehouse/test-postgres");
  const server = await openEmbedded({ directory, database: "storehouse", durable: false });
  return {
    url: server.url,
    origin: `embedded Postgres 18 (${why})`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
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
