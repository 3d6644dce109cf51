import { fail, StorehouseError } from "../core/errors.ts";
import { createHttpAgent, proxyProblem, type Network } from "../core/http-agent.ts";
import { bodyOf, type MessageFormat } from "./message.ts";
import type { Send } from "./notify.ts";

const defaultTimeoutMs = 10_000;
/** Bytes of an answer's body that are read before the connection is dropped; its status is enough. */
const mostRead = 65_536;

/** Makes the function that sends messages to a webhook. It follows no redirect. Throws `webhook_failed`, which never contains the address. */
export function createWebhook(options: {
  readonly url: string;
  readonly format: MessageFormat;
  readonly timeoutMs?: number;
  /** Proxies and authorities; none when left out. */
  readonly network?: Network;
}): Send {
  const { url, format, timeoutMs = defaultTimeoutMs, network = {} } = options;
  const { origin, pathname, search } = new URL(url);
  const agent = createHttpAgent(network, { connectMs: timeoutMs, answerMs: timeoutMs });
  return async (message) => {
    try {
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname + search,
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8", "user-agent": "storehouse" },
        body: bodyOf(message, format),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump({ limit: mostRead }).catch(() => undefined);
      if (statusCode < 200 || statusCode > 299) throw fail("webhook_failed", { status: statusCode });
    } catch (cause) {
      if (cause instanceof StorehouseError) throw cause;
      throw fail("webhook_failed", { cause: causeOf(cause) });
    }
  };
}

/** A code or name: the text of such an error may contain the address. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const proxy = proxyProblem(error);
  if (proxy !== null) return proxy;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
