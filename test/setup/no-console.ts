import { afterEach } from "vitest";

const methods = ["log", "info", "warn", "error", "debug", "trace"] as const;
const calls: string[] = [];

/** A result belongs on stdout and an event in the log: a test fails on any `console.*`, even where the throw is caught. */
for (const method of methods) {
  console[method] = (...args: unknown[]) => {
    const call = `console.${method}(${args.map(String).join(", ")})`;
    calls.push(call);
    throw new Error(`${call} was called`);
  };
}

afterEach(() => {
  const made = calls.splice(0);
  if (made.length > 0) throw new Error(`console was used:\n${made.join("\n")}`);
});
