import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const project = path.join(import.meta.dirname, "../..");

/** Modules that open a Postgres for a test: a copy of the template, or a server of the test's own. */
const openers: ReadonlySet<string> = new Set([
  "src/postgres/embedded/embedded-server.ts",
  "test/support/database.ts",
  "test/support/own-postgres.ts",
]);

/** Tests that run a whole program, which starts its own Postgres: no import shows it. */
const programs: ReadonlySet<string> = new Set([
  "test/bench-scale.test.ts",
  "test/demo/demo.test.ts",
  "test/deploy/compose-postgres.test.ts",
]);

/** Every test file, from the project's folder, by whether it needs a Postgres. */
export function testFiles(): { readonly unit: readonly string[]; readonly database: readonly string[] } {
  const files = readdirSync(path.join(project, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `test/${name.replaceAll("\\", "/")}`)
    .sort();
  return Object.groupBy(files, (file) => (needsPostgres(file) ? "database" : "unit")) as ReturnType<typeof testFiles>;
}

/** True when a test opens a Postgres: directly, or by way of what stands in test/. */
function needsPostgres(file: string, seen = new Set<string>()): boolean {
  if (openers.has(file) || programs.has(file)) return true;
  if (seen.has(file) || !file.startsWith("test/")) return false;
  seen.add(file);
  const text = readFileSync(path.join(project, file), "utf8");
  return [...text.matchAll(/^(?:(?:import|export)\b.*|\} )from "(\.[^"]+)";$/gm)]
    .map(([, specifier = ""]) => path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)))
    .some((target) => needsPostgres(target, seen));
}
