import { expect, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import { logLines } from "../../src/core/log-lines.ts";

/** What a terminal of so many columns shows of some events. */
function shown(columns: number, write: (log: ReturnType<typeof createLog>) => void): string {
  const written: string[] = [];
  const terminal = { columns, write: (text: string) => written.push(text) };
  write(createLog({ level: "debug", secrets: ["s3cret-token"], to: logLines(terminal) }));
  return written.join("").replaceAll(/^\d\d-\d\d \d\d:\d\d:\d\d/gm, "11-22 10:05:12");
}

test("a terminal shows each event as a sentence, with its name and fields, under its time", () => {
  expect(
    shown(80, (log) => {
      log.info({ worker_id: "3" }, "worker.started");
      log.warn({ code: "database_unreachable", wait_ms: 1000 }, "database.unavailable");
    }),
  ).toBe(
    [
      "11-22 10:05:12  a worker has started (worker.started worker_id=3)",
      "11-22 10:05:12  warning: the database does not respond or accepts no work; work",
      "                under way is tried again (database.unavailable",
      "                code=database_unreachable wait_ms=1000)",
      "",
    ].join("\n"),
  );
});

test("secrets are struck out there as well, and an event without a meaning keeps its name", () => {
  const text = shown(200, (log) => log.error({ problem: "refused s3cret-token at last" }, "unheard.of"));
  expect(text).toMatch(/^11-22 10:05:12 {2}error: unheard\.of problem="refused .+ at last"\n$/);
  expect(text).not.toContain("s3cret");
});
