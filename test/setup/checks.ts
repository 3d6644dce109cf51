import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** `npm run checks`: everything that needs no test to run, side by side; prints what each of them found, and fails if one fails. */
// lint checks types too (`typeCheck`): both read the same program once
const checks = ["format:check", "lint", "dead-code"];

const failed = await Promise.all(checks.map(runs));
process.exitCode = failed.includes(false) ? 1 : 0;

async function runs(name: string): Promise<boolean> {
  const child = spawn("npm", ["run", "--silent", name], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return true;
  process.stderr.write(`npm run ${name} failed:\n${stdout}${stderr}`);
  return false;
}
