import type { TestProject } from "vitest/node";
import { seed } from "../support/long.ts";
import { postgresServer } from "./postgres-server.ts";
import { templateDatabase } from "./template-database.ts";

declare module "vitest" {
  /** What the tests' processes receive. */
  export interface ProvidedContext {
    adminUrl: string;
    template: string;
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
  project.provide("adminUrl", server.url);
  project.provide("template", template.name);
  const open = opened.move();
  return () => open.disposeAsync();
}
