import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";

/** Days whose rows are rebuilt in one transaction. */
export type RebuiltPart = Partial<Window>;

/** The days of `within`, cut at these days, from `from` on if that is given. */
export function rebuiltParts(within: Partial<Window>, cuts: readonly Day[], from?: Day): readonly RebuiltPart[] {
  const starts = [from ?? within.start, ...cuts.filter((cut) => from === undefined || cut > from)];
  return starts.map((start, place) => {
    const end = starts[place + 1] ?? within.end;
    return { ...(start !== undefined && { start }), ...(end !== undefined && { end }) };
  });
}

/** How parts are rebuilt. */
export type Rebuilding<R> = {
  readonly lanes: number;
  readonly rebuild: (part: RebuiltPart, lane: number) => Promise<R>;
  /** Called when everything up to the end of a part is rebuilt, one call at a time; `isLast` for the last part. */
  readonly rebuiltTo: (part: RebuiltPart, isLast: boolean) => Promise<void>;
};

/**
 * Rebuilds parts, as many at once as there are lanes, and returns their results in order. After an error no part is started; those that are
 * under way end first, and the error of the earliest part is thrown.
 */
export async function inLanes<R>(
  parts: readonly RebuiltPart[],
  { lanes, rebuild, rebuiltTo }: Rebuilding<R>,
): Promise<readonly R[]> {
  const results = new Map<number, R>();
  const errors = new Map<number, unknown>();
  const waiting = parts.entries();
  let [upTo, noting] = [0, Promise.resolve()];
  const work = async (lane: number) => {
    for (const [place, part] of waiting) {
      try {
        results.set(place, await rebuild(part, lane));
        const before = upTo;
        while (results.has(upTo)) upTo += 1;
        const end = parts[upTo - 1];
        if (upTo > before && end !== undefined)
          await (noting = noting.then(() => rebuiltTo(end, upTo === parts.length)));
      } catch (error) {
        errors.set(place, error);
      }
      if (errors.size > 0) break;
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, parts.length) }, (_, lane) => work(lane)));
  if (errors.size > 0) throw errors.get(Math.min(...errors.keys()));
  return parts.flatMap((_, place) => results.get(place) ?? []);
}
