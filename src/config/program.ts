import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "./config.ts";

let known: string | undefined;

/** SHA-256 of the program's own text and the versions of its dependencies: another program may read the same answer differently. */
export function programDigest(): string {
  known ??= readDigest();
  return known;
}

function readDigest(): string {
  const hash = createHash("sha256");
  const sources = readdirSync(path.join(projectRoot, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort();
  for (const file of [...sources.map((name) => path.join("src", name)), "package-lock.json"]) {
    const text = readFileSync(path.join(projectRoot, file));
    hash.update(`${file} ${text.length}\n`).update(text);
  }
  return hash.digest("hex");
}

/** The version of this program, as package.json has it. */
export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(path.join(projectRoot, "package.json"), "utf8")) as { version: string };
  return version;
}
