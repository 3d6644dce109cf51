import { type Clock, steadyMs } from "../core/clock.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import {
  createCut,
  createHttpAgent,
  type Cut,
  isHandshake,
  isRefusal,
  networkHint,
  proxyProblem,
  type Network,
  type ReceivedReply,
} from "../core/http-agent.ts";
import { createTokenRemover } from "../core/secret.ts";
import { whenAborted } from "../core/when-aborted.ts";
import { addressOf, type Address, type Params, type StoreWords } from "./address.ts";
import { creditHeaders } from "./credit-headers.ts";
import type { Operation } from "./define-operation.ts";
import { classifyReply, type Received, type Reply } from "./reply.ts";
import { unpackedReply } from "./unpacked-reply.ts";

/** Where the API is and how long to wait for it. Times in ms, sizes in bytes. */
export type ClientOptions = {
  readonly baseUrl: string;
  readonly token: string;
  readonly storeWords: StoreWords;
  readonly timeoutMs: number;
  readonly largestAnswer: number;
  readonly clock: Clock;
  /** Proxies and certificate authorities; none if left out. */
  readonly network?: Network;
  /** Called after each call that was sent: `status` is null if no reply came, `outcome` is ok or the code of its error. */
  readonly onRequest?:
    | ((ended: { operation: string; status: number | null; outcome: string; durationMs: number }) => void)
    | undefined;
};

/** The API's client: the only place that sends requests to it and knows the token. */
export interface Client extends AsyncDisposable {
  /**
   * Sends one call. Any status is a reply, even if its body did not arrive: the headers say what it cost. Throws a RetryError, SkipError,
   * AbortError or FencedError if no reply came.
   */
  send(operation: Operation, params: Params, signal?: AbortSignal): Promise<Reply>;
}

const mostRedirects = 3;
/**
 * JSON is preferred, but App Match was seen to answer as text: without `text/plain` a server that respects this header would refuse (406).
 * Some firewalls refuse a client without a name.
 */
const headers = {
  accept: "application/json, text/plain;q=0.9",
  "accept-encoding": "gzip",
  "user-agent": "storehouse",
};

/** Opens a client. The base URL may have a path; a query, a fragment or a password in it are refused by the settings. */
export function createClient(options: ClientOptions): Client {
  const base = new URL(options.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const strike = createTokenRemover(options.token);
  const token = encodeURIComponent(options.token);
  const network = options.network ?? {};
  const agent = createHttpAgent(network, {
    connectMs: Math.min(options.timeoutMs, 10_000),
    answerMs: options.timeoutMs,
  });

  /** False once a connection was cut before an answer: some servers close a connection after an answer without saying so. */
  let keepsConnections = true;

  async function send(operation: Operation, params: Params, signal?: AbortSignal): Promise<Reply> {
    const address = addressOf(operation, params, options.storeWords);
    const from = steadyMs();
    using deadline = startDeadline(options.timeoutMs, signal);
    const { onRequest } = options;
    const errorOf = (cause: unknown) => {
      const why = { stopped: signal?.aborted === true, late: deadline.isOver(), network, address: base };
      const error = cause instanceof StorehouseError ? cause : transportFailure(operation, cause, why);
      keepsConnections &&= error.code !== "cut_connection";
      return error;
    };
    try {
      const sent = await follow({ ...address, path: basePath + address.path }, deadline.cut);
      const receivedAt = options.clock.now();
      const reply = classifyReply(operation, {
        status: sent.status,
        ...bodyOf(sent, errorOf),
        headers: creditHeaders(sent.headers, receivedAt),
        receivedAt,
        durationMs: steadyMs() - from,
        serverTime: timeOf(sent.headers["date"]),
      });
      const { status, durationMs, problem } = reply;
      onRequest?.({ operation: operation.id, status, outcome: problem?.code ?? "ok", durationMs });
      return reply;
    } catch (cause) {
      const error = errorOf(cause);
      onRequest?.({
        operation: operation.id,
        status: null,
        outcome: error.code,
        durationMs: steadyMs() - from,
      });
      throw error;
    }
  }

  /** The body of a reply; an empty one and its problem if it did not arrive as a whole, or cannot be unpacked. */
  function bodyOf(
    sent: ReceivedReply,
    errorOf: (cause: unknown) => StorehouseError,
  ): Pick<Received, "body" | "bodyProblem"> {
    if (isRefusal(sent.status)) return { body: sent.body, bodyProblem: null };
    try {
      if (sent.bodyError !== null) throw sent.bodyError;
      return { body: strike(unpackedReply(sent, options.largestAnswer)), bodyProblem: null };
    } catch (cause) {
      return { body: Buffer.alloc(0), bodyProblem: errorOf(cause) };
    }
  }

  async function follow(address: Address, cut: Cut): Promise<ReceivedReply> {
    for (let hop = 0; ; hop += 1) {
      const sent = await sendOnce(address, cut);
      const location = sent.status >= 300 && sent.status < 400 ? sent.headers["location"] : undefined;
      if (typeof location !== "string") return sent;
      const path = hop < mostRedirects && address.method === "GET" ? pathWithin(base, address.path, location) : null;
      if (path === null) throw fail("redirected", { status: sent.status });
      address = { ...address, path };
    }
  }

  function sendOnce(address: Address, cut: Cut): Promise<ReceivedReply> {
    const joint = address.path.includes("?") ? "&" : "?";
    let size = 0;
    const onPart = (bytes: number) => {
      size += bytes;
      if (size > options.largestAnswer) throw fail("answer_too_large", { limit: options.largestAnswer });
    };
    const request = {
      origin: base.origin,
      path: `${address.path}${joint}token=${token}`,
      method: address.method,
      headers: address.body === null ? headers : { ...headers, "content-type": "application/json" },
      body: address.body,
      reset: !keepsConnections,
    };
    return agent.exchange(request, { onPart, cut });
  }

  return { send, [Symbol.asyncDispose]: () => agent.destroy() };
}

/** Ends a call when its time is over, or with `signal`; `isOver` is true in the first case. */
type Deadline = Disposable & { readonly cut: Cut; readonly isOver: () => boolean };

/** One timer and one listener, both removed with the call: signals combined from others stay until garbage collection. */
function startDeadline(ms: number, signal: AbortSignal | undefined): Deadline {
  const cut = createCut();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    cut.end(new DOMException("the time of the call is over", "TimeoutError"));
  }, ms);
  const stop = () => cut.end(new DOMException("the call was stopped", "AbortError"));
  if (signal?.aborted === true) stop();
  const leave = signal === undefined ? undefined : whenAborted(signal, stop);
  return {
    cut,
    isOver: () => isOver,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      leave?.();
    },
  };
}

/**
 * The raw path that a redirect leads to, without any token in it; null if it is unreadable or leaves the origin: the token must not be sent
 * to a host that the settings do not name.
 */
function pathWithin(base: URL, from: string, location: string): string | null {
  // with each % hidden from the URL parser, encoded dots and commas stay as they are
  const hidden = (text: string) => text.replaceAll("%", "%25");
  const target = URL.parse(hidden(location), hidden(base.origin + from));
  if (target?.origin !== base.origin) return null;
  const query = target.search.slice(1).split("&");
  const kept = query.filter((pair) => pair !== "" && !/^token(=|$)/.test(pair)).join("&");
  return (kept === "" ? target.pathname : `${target.pathname}?${kept}`).replaceAll("%25", "%");
}

function timeOf(date: string | string[] | undefined): number | null {
  const time = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}

const unreachable = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const late = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** The client was closed during the call, or before. */
const closed = new Set(["UND_ERR_DESTROYED", "UND_ERR_CLOSED"]);

/** Names what failed in transport. The text of the cause may contain an address, so only its code or name is kept. */
function transportFailure(
  operation: Operation,
  cause: unknown,
  why: { stopped: boolean; late: boolean; network: Network; address: URL },
): StorehouseError {
  const code = textIn(cause, "code") ?? (cause instanceof Error ? cause.name : "unknown");
  const context = { operation: operation.id, cause: code };
  if (why.stopped || closed.has(code)) return fail("stopped", context);
  if (why.late || late.has(code)) return fail("timeout", context);
  const proxy = proxyProblem(cause);
  const connecting = unreachable.has(code) || textIn(cause, "syscall") === "connect" || isHandshake(code);
  if (proxy === null && !connecting) return fail("cut_connection", context);
  const hint = networkHint(why.network, { address: why.address, error: cause, code });
  return fail("no_connection", { ...context, cause: proxy ?? code, hint });
}

function textIn(error: unknown, name: string): string | undefined {
  const value = error instanceof Error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
  return typeof value === "string" ? value : undefined;
}
