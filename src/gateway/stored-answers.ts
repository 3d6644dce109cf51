import { mayBeEmpty, readIfUsable } from "../api/read-answer.ts";
import { windowOfCall } from "../api/range.ts";
import { dayOf } from "../core/day.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { changedSince } from "../core/slice.ts";
import { settingsOf, timingWith } from "../planner/dataset-settings.ts";
import { lastAnswerTo, type DamagedAnswer, type StoredAnswer } from "../raw/answers-to.ts";
import { isFinalAnswer } from "./freshness.ts";
import type { Answered, Call, GatewayParts } from "./gateway-parts.ts";
import { knownForMs, type KnownCall } from "./known-calls.ts";
import { wasChangedUnderWay } from "./tracked-lists.ts";

/** Finds the slice that a plan of today would make of a call; null if none would make it. */
type Planned = () => Promise<KnownCall | null>;

/** The newest stored answer to an equal call, while it is fresh; null if the call must be paid. */
export async function storedAnswer(
  parts: GatewayParts,
  { call, callHash, planned }: { readonly call: Call; readonly callHash: string; readonly planned: Planned },
): Promise<Omit<Answered, "from"> | null> {
  const stored = await lastAnswerTo(parts.ingest.db, callHash, { onDamaged: loggingDamage(parts) });
  if (stored === null || !isUsable(parts, call, stored)) return null;
  if (await wasChangedUnderWay(parts.ingest.db, call, { account: parts.ingest.account, ...stored })) return null;
  if (await isDueAgain(parts, stored, planned)) return null;
  return { body: stored.body, fetchedAt: stored.fetchedAt, cost: 0 };
}

/**
 * True for a stored snapshot that a plan of today would request again although it is young: the portfolio has changed since, or expects
 * data where the answer of an earlier day has none. The portfolio that is known may be older than an answer that has just come.
 */
async function isDueAgain(
  { ingest: { clock } }: GatewayParts,
  { slice, fetchedAt }: StoredAnswer,
  planned: Planned,
): Promise<boolean> {
  if (slice?.class !== "snapshot" || clock.now() - fetchedAt < knownForMs) return false;
  const now = await planned();
  if (now === null || now.dataset.name !== slice.dataset) return false;
  const isMissing = now.expected && slice.state === "empty" && slice.asOf < clock.today();
  return isMissing || now.slice.fingerprint !== slice.fingerprint;
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
