import { WriteStream } from "node:tty";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { screenFor } from "../../src/cli/screen.ts";

type Out = Parameters<typeof screenFor>[0]["out"];

const terminal = Object.assign(Object.create(WriteStream.prototype), { isTTY: true, columns: 80 }) as Out;
const pipe = { isTTY: false, hasColors: () => true } as unknown as Out;
const options = { out: terminal, err: terminal, color: true, utc: false };

beforeEach(() => {
  for (const name of ["NO_COLOR", "FORCE_COLOR", "NODE_DISABLE_COLORS", "CI"]) vi.stubEnv(name, undefined);
  vi.stubEnv("TERM", "xterm-256color");
});
afterEach(() => void vi.unstubAllEnvs());

test("a terminal shows colour, as wide as it is", () => {
  expect(screenFor(options)).toMatchObject({ columns: 80, remarkColumns: 80, isColored: true });
});

test("--no-color, NO_COLOR and a dumb terminal show none", () => {
  expect(screenFor({ ...options, color: false }).isColored).toBe(false);
  vi.stubEnv("TERM", "dumb");
  expect(screenFor(options).isColored).toBe(false);
  vi.stubEnv("TERM", "xterm-256color");
  vi.stubEnv("NO_COLOR", "1");
  expect(screenFor(options).isColored).toBe(false);
});

test("a pipe has no colour, also where one is forced, and its lines stay whole", () => {
  vi.stubEnv("FORCE_COLOR", "3");
  const screen = screenFor({ ...options, out: pipe, err: pipe });
  expect(screen).toMatchObject({ columns: Infinity, remarkColumns: Infinity, isColored: false });
});

test("COLUMNS says how wide the reader of a pipe wants tables and remarks, and no terminal", () => {
  expect(screenFor({ ...options, out: pipe, err: pipe, columns: "100" })).toMatchObject({
    columns: 100,
    remarkColumns: 100,
  });
  expect(screenFor({ ...options, out: pipe, columns: "wide" }).columns).toBe(Infinity);
  expect(screenFor({ ...options, columns: "100" }).columns).toBe(80);
});

test.each(["", "Nowhere/At-All", "UTC+3"])("a reader without a known zone (TZ=%j) reads UTC", (zone) => {
  vi.stubEnv("TZ", zone);
  expect(screenFor(options).zone).toBe("UTC");
});

test("the zone is that of the reader", () => {
  vi.stubEnv("TZ", "America/St_Johns");
  expect(screenFor(options).zone).toBe("America/St_Johns");
});
