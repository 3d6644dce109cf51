import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { createLog, type Log } from "../../src/core/log.ts";

const secret = `T0k+en/"w\\ith"=o&d %é`;

/** A log that keeps its lines. */
function keeping(level = "trace", secrets: readonly string[] = [secret]): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  return { log: createLog({ level, secrets, to }), lines };
}

const deep = { a: [{ b: { c: `before ${secret} after` } }] };
const url = new URL("https://api.example/x");
url.searchParams.set("token", secret);

describe("a secret shows nowhere", () => {
  test.each<[string, (log: Log) => void]>([
    ["in a field", (log) => log.info({ token: secret }, "event")],
    ["in the event", (log) => log.info(`said ${secret}`)],
    ["in a key", (log) => log.info({ [secret]: 1 }, "event")],
    ["in objects inside one another", (log) => log.info(deep, "event")],
    ["in an error", (log) => log.error({ err: new Error(secret) }, "event")],
    ["in an error's cause", (log) => log.error({ err: new Error("lost", { cause: new Error(secret) }) }, "event")],
    ["in an error's facts", (log) => log.error({ err: fail("unexpected", { text: secret }) }, "event")],
    ["as the thing that is logged", (log) => log.error(new Error(secret))],
    ["in a child's bindings", (log) => log.child({ token: secret }).info("event")],
    ["in a URL", (log) => log.info({ url: `https://api/x?token=${encodeURIComponent(secret)}` }, "event")],
    [
      "in a URL in lower case",
      (log) => log.info({ url: encodeURIComponent(secret).replaceAll(/%../g, (x) => x.toLowerCase()) }),
    ],
    ["in a form", (log) => log.info({ url: url.href }, "event")],
    ["in JSON inside a field", (log) => log.info({ body: JSON.stringify({ token: secret }) }, "event")],
  ])("%s", (_, write) => {
    const { log, lines } = keeping();
    write(log);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("[hidden]");
    for (const part of ["T0k", "\\ith", "%5Cith", "o&d", "o%26d"]) expect(lines[0]).not.toContain(part);
    expect(() => JSON.parse(lines[0] ?? "") as unknown).not.toThrow();
  });

  test("with any characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 4 }), (text) => {
        const token = `<${text}>`;
        const { log, lines } = keeping("trace", [token]);
        log.info(
          { one: token, two: encodeURIComponent(token), three: new URLSearchParams({ token }).toString() },
          token,
        );
        expect(JSON.parse(lines[0] ?? "")).toMatchObject({
          one: "[hidden]",
          two: "[hidden]",
          three: "token=[hidden]",
          msg: "[hidden]",
        });
      }),
    );
  });
});

test("a line is JSON with level, time, fields and event, and nothing of the machine", () => {
  const { log, lines } = keeping();
  log.warn({ dataset: "keyword_rank", rows: 3 }, "slice.loaded");
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    level: 40,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) as string,
    dataset: "keyword_rank",
    rows: 3,
    msg: "slice.loaded",
  });
});

test("what is below the level is not written", () => {
  const { log, lines } = keeping("warn");
  log.info("quiet");
  log.error("loud");
  expect(lines).toHaveLength(1);
  const silent = keeping("silent");
  silent.log.fatal("nothing");
  expect(silent.lines).toEqual([]);
});

test("an empty secret hides nothing", () => {
  const { log, lines } = keeping("trace", [""]);
  log.info("event");
  expect(lines[0]).not.toContain("[hidden]");
});
