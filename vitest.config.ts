import { defineConfig } from "vitest/config";
import { compiledFolder } from "./test/setup/compiled-folder.ts";
import { testFiles } from "./test/setup/test-files.ts";

const { unit, database } = testFiles();

const shared = {
  setupFiles: ["test/setup/no-console.ts"],
  // forks: a crash stays in its own process, and tests may send signals
  pool: "forks" as const,
  // the program is loaded once a process, not once a file: nothing in src/ keeps state between calls
  isolate: false,
  // Node loads it itself, as it loads the program elsewhere: no name that a module imports is looked up through a getter of its own
  experimental: { viteModuleRunner: false, nodeLoader: false },
  env: { NODE_COMPILE_CACHE: compiledFolder() },
  // what hangs ends some time; a busy machine takes several times as long as a quiet one
  testTimeout: 180_000,
  hookTimeout: 180_000,
  unstubEnvs: true,
};

export default defineConfig({
  test: {
    // of two a fifth of the processors is idle: tests wait for programs that they start, and for Postgres
    maxWorkers: 3,
    projects: [
      { test: { ...shared, name: "unit", include: [...unit] } },
      {
        test: {
          ...shared,
          name: "database",
          include: [...database],
          globalSetup: ["test/setup/global-setup.ts"],
        },
      },
    ],
  },
});
