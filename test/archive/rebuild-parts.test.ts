import { describe, expect, test } from "vitest";
import { inLanes, rebuiltParts, type RebuiltPart } from "../../src/archive/rebuild-parts.ts";
import { day } from "../../src/core/day.ts";

const [june, july, august] = [day("2026-06-01"), day("2026-07-01"), day("2026-08-01")];

describe("the parts of a replay", () => {
  test("cover its days, from where an earlier one came to", () => {
    expect(rebuiltParts({}, [])).toEqual([{}]);
    expect(rebuiltParts({ start: june }, [july, august])).toEqual([
      { start: june, end: july },
      { start: july, end: august },
      { start: august },
    ]);
    expect(rebuiltParts({ end: day("2026-08-05") }, [july, august], july)).toEqual([
      { start: july, end: august },
      { start: august, end: "2026-08-05" },
    ]);
  });

  /** Rebuilds three months in two lanes; each ends when the test says so. */
  function open() {
    const parts = rebuiltParts({ start: june }, [july, august]);
    const ends = new Map(parts.map(({ start }) => [start, Promise.withResolvers<string>()]));
    const [started, noted]: [unknown[], unknown[]] = [[], []];
    const rebuilt = inLanes(parts, {
      lanes: 2,
      rebuild: ({ start }: RebuiltPart, lane) => {
        started.push([start, lane]);
        return ends.get(start)?.promise ?? Promise.reject(new Error("no such part"));
      },
      rebuiltTo: async ({ end }, isLast) => void noted.push(isLast ? "all" : end),
    });
    rebuilt.catch(() => undefined);
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    const end = (start: string, error?: Error) => {
      const part = ends.get(day(start));
      if (error === undefined) part?.resolve(start);
      else part?.reject(error);
      return settled();
    };
    return { rebuilt, started, noted, end };
  }

  test("are rebuilt two at a time, and noted as far as all before them are rebuilt", async () => {
    const { rebuilt, started, noted, end } = open();
    expect(started).toEqual([
      [june, 0],
      [july, 1],
    ]);
    await end(july);
    expect(started).toEqual([
      [june, 0],
      [july, 1],
      [august, 1],
    ]);
    expect(noted).toEqual([]);
    await end(june);
    expect(noted).toEqual([august]);
    await end(august);
    expect(await rebuilt).toEqual([june, july, august]);
    expect(noted).toEqual([august, "all"]);
  });

  test("are not started after an error; the one under way ends first, and the error of the earliest counts", async () => {
    const { rebuilt, started, noted, end } = open();
    await end(july, new Error("July"));
    expect(started).toHaveLength(2);
    await end(june, new Error("June"));
    await expect(rebuilt).rejects.toThrow("June");
    expect([started.length, noted]).toEqual([2, []]);
  });
});
