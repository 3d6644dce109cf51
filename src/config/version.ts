import { readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "./config.ts";

/** The version of this program, as package.json has it. */
export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string };
  return version;
}
