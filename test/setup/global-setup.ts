import { chmod, mkdtemp, rm } from "node:fs/promises";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { seed } from "../support/long.ts";
import { memoryFolder } from "./memory-folder.ts";
import { postgresServer } from "./postgres-server.ts";
import { templateDatabase } from "./template-database.ts";

declare module "vitest" {
  /** What the tests' processes receive. */
  export interface ProvidedContext {
    adminUrl: string;
    template: string;
    /** A folder for the files from which servers of a test's own begin. */
    ownServer: string;
  }
}

/** Runs once before all tests: finds a Postgres and migrates the template that `freshDatabase` copies. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await postgresServer(project.vite.config.mode === "oldest" ? 15 : 18));
  // what failed can be tried again: the same seed in every process, and printed
  process.env["STOREHOUSE_TEST_SEED"] = String(seed);
  process.stdout.write(`tests run on ${server.origin}, random ones from seed ${seed}\n`);
  const template = opened.use(await templateDatabase(server.url));
  const ownServer = await mkdtemp(path.join(memoryFolder(), "storehouse-made-"));
  opened.defer(() => rm(ownServer, { recursive: true }));
  // root runs such a server as another user, who must get in
  await chmod(ownServer, 0o711);
  project.provide("ownServer", ownServer);
  project.provide("adminUrl", server.url);
  project.provide("template", template.name);
  const open = opened.move();
  return () => open.disposeAsync();
}
