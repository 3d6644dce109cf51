import { fail, StorehouseError } from "../core/errors.ts";
import { createHttpAgent, proxyProblem, type Network } from "../core/http-agent.ts";
import { hiderOf } from "../core/secret.ts";

/** The HTTP methods that are used; only GET changes nothing. */
type Method = "GET" | "POST" | "PUT" | "DELETE";

/** One request: `what` completes "Metabase refused to ...". */
export type MetabaseRequest = {
  readonly method: Method;
  readonly path: string;
  readonly body?: unknown;
  readonly what: string;
};

/** An answer of any status; `body` is the parsed JSON, or the text if it is not JSON. */
type Reply = { readonly status: number; readonly body: unknown };

/** A client of one Metabase. */
export interface MetabaseClient extends AsyncDisposable {
  /** Sends one request; any status is a reply. Throws `metabase_unreachable` if there is none. */
  send(request: MetabaseRequest): Promise<Reply>;
  /** Sends one request and returns the body of a successful reply. Else throws the error for the status. */
  request(request: MetabaseRequest): Promise<unknown>;
  /** Sets the login headers for all later requests. */
  identify(headers: Readonly<Record<string, string>>): void;
}

/** Metabase tests a connection before it answers, which may take half a minute. */
const timeoutMs = 120_000;
/** All columns of a warehouse are about a megabyte; a larger answer is not from Metabase. */
const largestAnswer = 64 * 2 ** 20;

/** Makes a client of the Metabase at an address; `secrets` are removed from every message. */
export function createMetabaseClient(url: string, secrets: readonly string[], network: Network): MetabaseClient {
  const base = new URL(url);
  const basePath = base.pathname.replace(/\/+$/, "");
  const hide = hiderOf(secrets);
  const agent = createHttpAgent(network, { connectMs: 10_000, answerMs: timeoutMs });
  let identity: Readonly<Record<string, string>> = {};

  async function send({ method, path, body }: MetabaseRequest): Promise<Reply> {
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...identity,
    };
    try {
      const reply = await agent.request({
        origin: base.origin,
        path: basePath + path,
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: reply.statusCode, body: parsed(await textOf(reply.body)) };
    } catch (cause) {
      if (cause instanceof StorehouseError) throw cause;
      throw fail("metabase_unreachable", { cause: codeOf(cause) });
    }
  }

  return {
    send,
    request: async (request) => {
      const { status, body } = await send(request);
      if (status >= 200 && status < 300) return body;
      throw refusal(status, request.what, hide(wordsIn(body)));
    },
    identify: (headers) => {
      identity = headers;
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > largestAnswer)
      throw fail("not_metabase", { problem: "its answer is larger than any answer of Metabase" });
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function refusal(status: number, what: string, said: string): StorehouseError {
  if (status === 401) return fail("metabase_wrong_access", { what: "this key or session" });
  if (status === 403) return fail("metabase_forbidden", { what });
  const problem = `${status}${said === "" ? "" : ` ${said}`}`;
  return fail(status >= 500 ? "metabase_failed" : "metabase_refused", { what, problem });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message in an error's body: a text, a message, or one message per property. */
export function wordsIn(body: unknown): string {
  const found = typeof body === "object" && body !== null ? messagesIn(body) : typeof body === "string" ? body : "";
  const line = found.replaceAll(/\s+/g, " ").trim();
  return line.startsWith("<") ? "" : line.slice(0, 300);
}

function messagesIn(body: object): string {
  const { message, errors, error } = body as { message?: unknown; errors?: unknown; error?: unknown };
  if (typeof message === "string") return message;
  if (typeof errors === "object" && errors !== null)
    return Object.entries(errors)
      .map(([name, problem]) => `${name}: ${typeof problem === "string" ? problem : JSON.stringify(problem)}`)
      .join("; ");
  return typeof error === "string" ? error : "";
}

function codeOf(cause: unknown): string {
  const inner = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (!(inner instanceof Error)) return "unknown";
  return proxyProblem(inner) ?? ("code" in inner && typeof inner.code === "string" ? inner.code : inner.name);
}
