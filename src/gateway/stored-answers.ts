import { mayBeEmpty, readIfUsable } from "../api/read-answer.ts";
import { windowOfCall } from "../api/range.ts";
import { dayOf } from "../core/day.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { changedSince } from "../core/slice.ts";
import { settingsOf, timingWith } from "../planner/dataset-settings.ts";
import { lastAnswerTo, type DamagedAnswer, type StoredAnswer } from "../raw/answers-to.ts";
import { isFinalAnswer } from "./freshness.ts";
import type { Answered, Call, GatewayParts } from "./gateway-parts.ts";
import { wasChangedUnderWay } from "./tracked-lists.ts";

/** The newest stored answer to an equal call, while it is fresh; null if the call must be paid. */
export async function storedAnswer(
  parts: GatewayParts,
  call: Call,
  callHash: string,
): Promise<Omit<Answered, "from"> | null> {
  const stored = await lastAnswerTo(parts.ingest.db, callHash, { onDamaged: loggingDamage(parts) });
  if (stored === null || !isUsable(parts, call, stored)) return null;
  if (await wasChangedUnderWay(parts.ingest.db, call, stored)) return null;
  return { body: stored.body, fetchedAt: stored.fetchedAt, cost: 0 };
}

/** Logs that a stored answer is damaged. */
export function loggingDamage({ ingest: { log } }: GatewayParts): (damaged: DamagedAnswer) => void {
  return ({ answerId, sliceId }) =>
    log.warn({ code: "answer_damaged", answer_id: answerId, slice_id: sliceId }, "answer.damaged");
}

/** True for a stored answer that can be read and that no plan would request again by now. */
function isUsable(parts: GatewayParts, call: Call, stored: StoredAnswer): boolean {
  const { settings } = parts.app.config;
  const { clock } = parts.ingest;
  const { slice, fetchedAt } = stored;
  if (slice !== null && (slice.state === "failed" || slice.fingerprint === changedSince)) return false;
  const read = readIfUsable(call.operation, stored.body);
  if (read === null) return false;
  const today = clock.today();
  const named = windowOfCall(call.operation, call.params);
  // what was the present state of a day that is over may not be the last word about that day
  const isOver = slice?.class === "snapshot" && named !== null && named.end <= today;
  const belongsTo =
    slice === null || isOver
      ? datasets.filter((one) => one.operations.includes(call.operation))
      : [datasetNamed(slice.dataset)];
  const dated = {
    asOf: slice?.asOf ?? dayOf(fetchedAt),
    window: named ?? (slice?.class === "snapshot" ? null : (slice?.window ?? null)),
    mayBeEmpty: slice === null ? mayBeEmpty(call.operation, read) : slice.state === "empty",
    isSnapshot: slice?.class === "snapshot",
  };
  const timings = belongsTo.map((dataset) => timingWith(dataset.timing, settingsOf(dataset, settings), today));
  const isYoung = clock.now() - fetchedAt < settings.gateway.fresh_minutes * 60_000;
  return isFinalAnswer(dated, timings, today) ?? isYoung;
}
