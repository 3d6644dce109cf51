/*
 * Loads every file of the program, so that the compile cache of storehouse.js, which imports this, holds all of them: `--help` loads no
 * command, and a command loads some files only when it needs them.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const project = fileURLToPath(new URL("..", import.meta.url));
// what runs when it is loaded; the first start compiles the few lines of the program itself
const programs = ["src/cli.ts", "src/docs.ts", "src/demo/demo.ts"];

for (const folder of ["src", "jobs"])
  for (const name of readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })) {
    const file = join(folder, name);
    if (file.endsWith(".ts") && !programs.includes(file)) await import(pathToFileURL(join(project, file)).href);
  }
