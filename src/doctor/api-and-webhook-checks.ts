import { createClient, type ClientOptions } from "../api/client.ts";
import { remainingCredits } from "../api/operations/account.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { StorehouseError } from "../core/errors.ts";
import { count, countOf, minuteOf } from "../core/words.ts";
import { hourMs } from "../core/day.ts";
import type { Clock } from "../core/clock.ts";
import type { Settings } from "../config/settings.ts";
import type { Database } from "../postgres/database.ts";
import { failedWith, failure, pass, warn, type Diagnosis } from "./diagnosis.ts";
import { checkSkew } from "./database-checks.ts";
import { testMessage } from "../incidents/message.ts";
import { readUndelivered, type Send } from "../incidents/notify.ts";

/** Whether the API accepts the token, by a balance check, and whether its clock agrees with this machine's. */
export async function checkApi(options: ClientOptions): Promise<readonly Diagnosis[]> {
  await using client = createClient(options);
  const { clock } = options;
  const requestedAt = clock.now();
  try {
    const reply = await client.send(remainingCredits, {});
    const skew =
      reply.serverTime === null
        ? []
        : [
            checkSkew("the API", {
              requestedAt,
              answeredAt: reply.receivedAt,
              time: reply.serverTime,
              precisionMs: 1_000,
            }),
          ];
    if (reply.answer === null) return [apiFailure(reply.problem), ...skew];
    const balance = remainingCredits.answer.parse(readAnswer(remainingCredits, reply.answer).value);
    const left = Math.floor(balance.creditRemaining);
    const hours = Math.ceil((balance.creditResetTime ?? 0) / 3_600);
    const found = `the API accepts it; ${count(left)} of ${count(Math.floor(balance.creditTotal))} credits are left${hours > 0 ? ` for ${hours} h` : ""}`;
    return [
      left > 0 ? pass("token", found) : warn("token", found, "wait for the reset, or raise the allowance"),
      ...skew,
    ];
  } catch (error) {
    const { found, next } =
      error instanceof StorehouseError
        ? apiFailure(error)
        : failure("token", "the answer to the balance check is not readable", wrongAddress);
    return [failure("token", found, `${next}; nothing was charged`)];
  }
}

const wrongAddress = "check API_BASE_URL: the server at this address is not the API";

/** The next steps of these errors are about slices; nothing retries a check, and its answer is not stored. */
const nextOfCheck: Partial<Record<ErrorCode, string>> = {
  unauthorised: "check API_TOKEN, which is missing or wrong",
  forbidden: "contact the operator of the API: this account may not even read its balance",
  not_found: wrongAddress,
  not_json: wrongAddress,
  unknown_shape: wrongAddress,
  unexpected_status: wrongAddress,
  bad_request: wrongAddress,
  no_content: wrongAddress,
  cut_connection: "try again later; if this continues, check API_BASE_URL",
  server_error: "try again later; if this continues, check API_BASE_URL, or contact the operator of the API",
  success_false: "see the message, and try again later",
};

function apiFailure(error: StorehouseError): Diagnosis {
  const known = failedWith("token", error);
  return { ...known, next: nextOfCheck[error.code] ?? known.next };
}

/** Whether incidents are sent to a webhook; `send` is null if none is set, `tests` sends a test message. */
export async function checkWebhook(
  send: Send | null,
  { tests, format, now }: { tests: boolean; format: string; now: number },
): Promise<Diagnosis> {
  if (send === null)
    return tests
      ? failure(
          "webhook",
          "NOTIFY_URL is not set, so no test message was sent",
          "set NOTIFY_URL to the address of a webhook",
        )
      : warn(
          "webhook",
          "NOTIFY_URL is not set: incidents are written to the log and to ops.incident_log only",
          "set NOTIFY_URL, and test it with `storehouse doctor --notify`",
        );
  if (!tests) return pass("webhook", `set, format ${format}; \`storehouse doctor --notify\` sends a test message`);
  try {
    await send(testMessage(now));
    return pass("webhook", `accepted a test message in format ${format}`);
  } catch (error) {
    return failedWith("webhook", error);
  }
}

/** Whether messages wait because the webhook does not accept them; null if none does. */
export async function checkMessages(
  db: Database,
  { settings, clock }: { readonly settings: Settings; readonly clock: Clock },
): Promise<Diagnosis | null> {
  const repeatMs = settings.notify.repeat_hours * hourMs;
  const waiting = await readUndelivered(db, { repeatMs, now: clock.now() });
  if (waiting === null) return null;
  const { failures, since, nextAt } = waiting;
  const again = nextAt === null ? "" : `; a worker sends the next one after ${minuteOf(nextAt)}`;
  return warn(
    "messages",
    `incidents or alerts have waited for the webhook since ${minuteOf(since)}: it did not accept the last ${countOf(failures, "message")}`,
    `\`storehouse doctor --notify\` sends a test message and shows the error; correct the receiver or NOTIFY_URL${again}`,
  );
}

/** Whether the dead man's switch accepts a ping; nothing if none is set. */
export async function checkPing(ping: (() => Promise<void>) | null, tests: boolean): Promise<readonly Diagnosis[]> {
  if (ping === null) return [];
  if (!tests) return [pass("ping", "set; a worker requests NOTIFY_PING_URL every minute while everything works")];
  try {
    await ping();
    return [pass("ping", "accepted a ping")];
  } catch (error) {
    return [failedWith("ping", error)];
  }
}
