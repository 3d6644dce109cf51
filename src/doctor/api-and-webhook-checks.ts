import { createClient, type ClientOptions } from "../api/client.ts";
import { remainingCredits } from "../api/operations/account.ts";
import { readAnswer } from "../api/read-answer.ts";
import { StorehouseError } from "../core/errors.ts";
import { ill, failed, well, type Diagnosis } from "./diagnosis.ts";
import { checkSkew } from "./database-checks.ts";
import type { Notice } from "../incidents/message.ts";
import type { Send } from "../incidents/notify.ts";

/** Whether the API takes the token, by the question that costs nothing, and what its clock says. */
export async function checkApi(options: ClientOptions): Promise<readonly Diagnosis[]> {
  await using client = createClient(options);
  const { clock } = options;
  const askedAt = clock.now();
  try {
    const reply = await client.ask(remainingCredits, {});
    const skew =
      reply.serverTime === null
        ? []
        : [
            checkSkew("the API", {
              askedAt,
              answeredAt: reply.receivedAt,
              time: reply.serverTime,
              precisionMs: 1_000,
            }),
          ];
    if (reply.answer === null) return [failed("token", reply.problem), ...skew];
    const told = remainingCredits.answer.parse(readAnswer(remainingCredits, reply.answer).value);
    const left = Math.floor(told.creditRemaining);
    const hours = Math.ceil(told.creditResetTime / 3_600);
    const found = `the API takes it; ${left.toLocaleString("en-US")} of ${Math.floor(told.creditTotal).toLocaleString("en-US")} credits are left for ${hours} h`;
    return [
      left > 0 ? well("token", found) : ill("token", "warn", found, "wait for the reset, or raise the allowance"),
      ...skew,
    ];
  } catch (error) {
    const found = error instanceof StorehouseError ? failed("token", error).found : "its answer cannot be read";
    return [ill("token", "fail", found, "check API_BASE_URL and the network; nothing was charged")];
  }
}

/** Whether anybody is told; `send` null where no webhook is set, `tries` sends a test message. */
export async function checkWebhook(
  send: Send | null,
  { tries, format, now }: { tries: boolean; format: string; now: number },
): Promise<Diagnosis> {
  if (send === null)
    return tries
      ? ill("webhook", "fail", "none is set, so no message was sent", "set NOTIFY_URL to the address of a webhook")
      : ill(
          "webhook",
          "warn",
          "none is set: nobody is told what goes wrong",
          "set NOTIFY_URL, and try it with `storehouse doctor --notify`",
        );
  if (!tries) return well("webhook", `set, takes ${format}; \`storehouse doctor --notify\` tries it`);
  const test: Notice = {
    opened: [],
    recovered: [],
    counts: { wrong: 0, over: 0, passed: 0 },
    sentAt: now,
    isTest: true,
  };
  try {
    await send(test);
    return well("webhook", `took a test message as ${format}`);
  } catch (error) {
    return failed("webhook", error);
  }
}
