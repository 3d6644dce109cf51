import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";

const file = (name: string) => JSON.stringify(path.join(projectRoot, "src", "cli", name));

/** What a process in this time zone makes of an expression over `times`. */
function inZone(zone: string, expression: string, utc = false): unknown {
  const script = `
    const times = await import(${file("times.ts")});
    (await import(${file("screen.ts")})).setScreen({ color: false, utc: ${utc} });
    const { timeText, timeCell, zoneNote } = times;
    console.log(JSON.stringify(${expression}));`;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    env: { TZ: zone },
  });
  expect(ended.stderr).toBe("");
  return JSON.parse(ended.stdout);
}

const night = Date.parse("2026-07-01T23:30:40.123Z");

test("a time is in the reader's zone, to the minute, and names the zone", () => {
  expect(
    inZone("Asia/Tokyo", `[timeText(${night}), timeCell(${night}), timeCell(${night}, "seconds"), zoneNote()]`),
  ).toEqual([
    "2026-07-02 08:30 GMT+9",
    "2026-07-02 08:30",
    "2026-07-02 08:30:40",
    "Times are in Asia/Tokyo; --utc adds UTC.",
  ]);
});

test("UTC stands beside it on request, with its day where that is another one", () => {
  const noon = Date.parse("2026-07-01T12:00:00Z");
  expect(inZone("Asia/Tokyo", `[timeText(${night}), timeCell(${noon}), zoneNote()]`, true)).toEqual([
    "2026-07-02 08:30 GMT+9 (07-01 23:30 UTC)",
    "2026-07-01 21:00 (12:00 UTC)",
    "Times are in Asia/Tokyo, and in UTC.",
  ]);
});

test("a reader in UTC is shown it once", () => {
  expect(inZone("UTC", `[timeText(${night}), timeCell(${night}), zoneNote()]`, true)).toEqual([
    "2026-07-01 23:30 UTC",
    "2026-07-01 23:30",
    "Times are in UTC.",
  ]);
});

test("in a table, a time that the clock shows twice says which of the two it is", () => {
  const cells = (zone: string, first: string, minutes: readonly number[], utc = false) =>
    inZone(
      zone,
      `${JSON.stringify(minutes.map((some) => Date.parse(first) + some * 60_000))}.map((at) => timeCell(at))`,
      utc,
    );
  const berlin = [-30, 0, 30, 60, 90, 120];
  expect(cells("Europe/Berlin", "2026-10-25T00:00Z", berlin)).toEqual([
    "2026-10-25 01:30",
    "2026-10-25 02:00 GMT+2",
    "2026-10-25 02:30 GMT+2",
    "2026-10-25 02:00 GMT+1",
    "2026-10-25 02:30 GMT+1",
    "2026-10-25 03:00",
  ]);
  expect(cells("Europe/Berlin", "2026-10-25T00:00Z", [0, 60], true)).toEqual([
    "2026-10-25 02:00 (00:00 UTC)",
    "2026-10-25 02:00 (01:00 UTC)",
  ]);
  // summer time there is half an hour
  expect(cells("Australia/Lord_Howe", "2026-04-04T14:30Z", [0, 30])).toEqual([
    "2026-04-05 01:30 GMT+11",
    "2026-04-05 01:30 GMT+10:30",
  ]);
});

test("each time has the offset of its own day, in summer and in winter", () => {
  const winter = Date.parse("2026-12-24T12:00:00Z");
  expect(inZone("Europe/Berlin", `[timeText(${night}), timeText(${winter})]`)).toEqual([
    "2026-07-02 01:30 GMT+2",
    "2026-12-24 13:00 GMT+1",
  ]);
});
