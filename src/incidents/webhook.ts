import type { ErrorCode } from "../core/error-codes.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { createHttpAgent, proxyProblem, type Network } from "../core/http-agent.ts";
import { bodyOf, type MessageFormat } from "./message-formats.ts";
import type { Send } from "./notify.ts";

const defaultTimeoutMs = 10_000;
/** Bytes of a reply's body that are read before the connection is dropped; the status is enough. */
const mostRead = 65_536;

/** An address that is as secret as a password, and how to reach it. */
type SecretAddress = {
  readonly url: string;
  readonly timeoutMs?: number;
  /** Proxies and certificate authorities; none if left out. */
  readonly network?: Network;
};

/** Makes the function that sends messages to a webhook. It follows no redirect. Throws `webhook_failed`, which never contains the address. */
export function createWebhook({ format, ...address }: SecretAddress & { readonly format: MessageFormat }): Send {
  const post = createCall(address, "webhook_failed");
  return (message) => post({ method: "POST", body: bodyOf(message, format) });
}

/**
 * Makes the function that requests the address of a dead man's switch. It follows no redirect. Throws `ping_failed`, which never contains
 * the address.
 */
export function createPing(address: SecretAddress): () => Promise<void> {
  const get = createCall(address, "ping_failed");
  return () => get({ method: "GET" });
}

function createCall({ url, timeoutMs = defaultTimeoutMs, network = {} }: SecretAddress, code: ErrorCode) {
  const { origin, pathname, search } = new URL(url);
  const agent = createHttpAgent(network, { connectMs: timeoutMs, answerMs: timeoutMs });
  return async ({ method, body: text }: { readonly method: "GET" | "POST"; readonly body?: string }): Promise<void> => {
    try {
      const { statusCode, body } = await agent.request({
        origin,
        path: pathname + search,
        method,
        headers: {
          "user-agent": "storehouse",
          ...(text === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
        },
        body: text ?? null,
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump({ limit: mostRead }).catch(() => undefined);
      if (statusCode < 200 || statusCode > 299) throw fail(code, { status: statusCode });
    } catch (cause) {
      if (cause instanceof StorehouseError) throw cause;
      throw fail(code, { cause: causeOf(cause) });
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
