import { Agent } from "undici";
import { gunzipSync } from "node:zlib";
import type { Clock } from "../core/clock.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { spellings } from "../core/log.ts";
import { addressOf, type Address, type Params, type StoreWords } from "./address.ts";
import { creditsOf, type CreditHeaders } from "./credit-headers.ts";
import type { Operation } from "./define-operation.ts";

/** Where the API is and how patient to be with it. Times in ms, sizes in bytes. */
export type ClientOptions = {
  readonly baseUrl: string;
  readonly token: string;
  readonly storeWords: StoreWords;
  readonly timeoutMs: number;
  readonly largestAnswer: number;
  readonly clock: Clock;
};

/** An answer as it came: nothing has looked into the body yet. The token is struck out should the service echo it. */
export type Answer = {
  readonly status: number;
  readonly body: Buffer;
  readonly credits: CreditHeaders;
  /** Epoch-ms at which the last byte was in. */
  readonly receivedAt: number;
  readonly durationMs: number;
};

/** The one way to the API: the only place that speaks HTTP and knows the token. */
export interface Client extends AsyncDisposable {
  /** Sends one call. Any status is an answer; a RetryError, SkipError or AbortError means that there is none. */
  ask(operation: Operation, params: Params, signal?: AbortSignal): Promise<Answer>;
}

type Sent = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

const mostRedirects = 3;

/** Opens a client. The base URL may have a path; a query, a fragment or a password in it are refused by the settings. */
export function createClient(options: ClientOptions): Client {
  const base = new URL(options.baseUrl);
  const basePath = base.pathname.replace(/\/+$/, "");
  const echoes = spellings(options.token).map((form) => Buffer.from(form));
  const agent = new Agent({
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    connect: { timeout: Math.min(options.timeoutMs, 10_000) },
  });

  async function ask(operation: Operation, params: Params, signal?: AbortSignal): Promise<Answer> {
    const address = addressOf(operation, params, options.storeWords);
    const from = options.clock.now();
    const deadline = AbortSignal.timeout(options.timeoutMs);
    const stop = signal ? AbortSignal.any([signal, deadline]) : deadline;
    try {
      const sent = await follow({ ...address, path: basePath + address.path }, stop);
      const receivedAt = options.clock.now();
      const body = strike(unpack(sent), echoes);
      return {
        status: sent.status,
        body,
        credits: creditsOf(sent.headers, receivedAt),
        receivedAt,
        durationMs: receivedAt - from,
      };
    } catch (cause) {
      if (cause instanceof StorehouseError) throw cause;
      throw transportFailure(operation, cause, { stopped: signal?.aborted === true, late: deadline.aborted });
    }
  }

  async function follow(address: Address, stop: AbortSignal): Promise<Sent> {
    for (let hop = 0; ; hop += 1) {
      const sent = await send(address, stop);
      const location = sent.status >= 300 && sent.status < 400 ? sent.headers["location"] : undefined;
      if (typeof location !== "string") return sent;
      const target = new URL(location, base.origin + address.path);
      // the token must not travel to a host that the settings do not name
      if (target.origin !== base.origin || address.method !== "GET" || hop === mostRedirects)
        throw fail("redirected", { status: sent.status });
      target.searchParams.delete("token");
      address = { ...address, path: target.pathname + target.search };
    }
  }

  async function send(address: Address, stop: AbortSignal): Promise<Sent> {
    const joint = address.path.includes("?") ? "&" : "?";
    const reply = await agent.request({
      origin: base.origin,
      path: `${address.path}${joint}token=${encodeURIComponent(options.token)}`,
      method: address.method,
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip",
        ...(address.body === null ? {} : { "content-type": "application/json" }),
      },
      body: address.body,
      signal: stop,
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of reply.body as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > options.largestAnswer) throw fail("answer_too_large", { limit: options.largestAnswer });
      parts.push(part);
    }
    return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(parts) };
  }

  function unpack(sent: Sent): Buffer {
    if (sent.headers["content-encoding"] !== "gzip" || sent.body.length === 0) return sent.body;
    try {
      return gunzipSync(sent.body, { maxOutputLength: options.largestAnswer });
    } catch (cause) {
      const large = cause instanceof RangeError;
      throw fail(large ? "answer_too_large" : "cut_connection", large ? { limit: options.largestAnswer } : {}, cause);
    }
  }

  return { ask, [Symbol.asyncDispose]: () => agent.destroy() };
}

/** A body in which every spelling of the token is struck out, byte for byte; the body itself when there is none. */
function strike(body: Buffer, echoes: readonly Buffer[]): Buffer {
  const found = echoes.filter((echo) => body.includes(echo));
  if (found.length === 0) return body;
  // latin1 maps bytes to characters one to one, so that the rest of the body stays as it came
  const clean = found.reduce(
    (text, echo) => text.replaceAll(echo.toString("latin1"), "[hidden]"),
    body.toString("latin1"),
  );
  return Buffer.from(clean, "latin1");
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

/** Names what broke on the way; the cause's text may hold an address, so only its code is kept. */
function transportFailure(
  operation: Operation,
  cause: unknown,
  why: { stopped: boolean; late: boolean },
): StorehouseError {
  if (why.stopped) return fail("stopped", { operation: operation.id });
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  const context = { operation: operation.id, cause: code };
  if (why.late || (code !== undefined && late.has(code))) return fail("timeout", context);
  return fail(code !== undefined && unreachable.has(code) ? "no_connection" : "cut_connection", context);
}
