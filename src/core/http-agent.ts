import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { Agent, buildConnector, EnvHttpProxyAgent, type Dispatcher } from "undici";

/** The network settings: addresses of proxies, hosts that are reached without one, and a company's own certificate authorities (PEM). */
export type Network = {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: string | undefined;
  readonly authorities?: string | undefined;
};

/** Sends HTTP requests over kept connections; see `createHttpAgent`. */
export type HttpAgent = Pick<Dispatcher, "request" | "close" | "destroy"> & {
  /**
   * Sends a request and collects its reply; the reader may refuse each part. A stream between the connection and the reader would cost a
   * fifth of a call.
   */
  readonly exchange: (request: Dispatcher.DispatchOptions, reader: ReplyReader) => Promise<ReceivedReply>;
};

/** A reply. `bodyError` is what ended its body early: the body is empty then. It is null if the body is complete, and for a refusal. */
export type ReceivedReply = Pick<Dispatcher.ResponseData, "headers"> & {
  readonly status: number;
  readonly body: Buffer;
  readonly bodyError: Error | null;
};

/** The receiver of a reply: `onPart` throws to end it, and `cut` ends the request, before or after it has started. */
type ReplyReader = { readonly onPart: (bytes: number) => void; readonly cut: Cut };

/** Ends a request with a reason. */
export type Cut = {
  readonly end: (reason: Error) => void;
  readonly whenEnded: (ended: (reason: Error) => void) => void;
};

/** Makes a cut for one request, or for several in sequence. */
export function createCut(): Cut {
  let given: Error | null = null;
  let notify: ((reason: Error) => void) | null = null;
  return {
    end: (reason) => {
      given ??= reason;
      notify?.(given);
    },
    whenEnded: (ended) => {
      notify = ended;
      if (given !== null) ended(given);
    },
  };
}

/** How long to wait for a connection and for an answer, in ms. */
type Patience = { readonly connectMs: number; readonly answerMs: number };

/** This machine is never reached through a proxy: a proxy would connect to its own machine. */
const thisMachine = "localhost,127.0.0.1,[::1]";

/**
 * Makes an agent that sends requests through the proxy in the network settings. An https address is reached by CONNECT, so that the proxy
 * sees only its host and port.
 */
export function createHttpAgent(
  { httpProxy = "", httpsProxy = "", noProxy = "", authorities }: Network,
  { connectMs, answerMs }: Patience,
): HttpAgent {
  const tls = tlsOf(authorities);
  const timeouts = { headersTimeout: answerMs, bodyTimeout: answerMs };
  const direct = { ...timeouts, connect: directConnector({ timeout: connectMs, ...tls }) };
  const agent =
    httpProxy === "" && httpsProxy === ""
      ? new Agent(direct)
      : new EnvHttpProxyAgent({
          // empty texts keep undici from reading the environment
          httpProxy,
          httpsProxy,
          noProxy: [noProxy, thisMachine].filter((hosts) => hosts !== "").join(","),
          ...direct,
          connectTimeout: connectMs,
          requestTls: tls,
          proxyTls: tls,
        });
  return {
    // an agent that forwards to a proxy without CONNECT has no timeouts of its own
    request: (options: Dispatcher.RequestOptions) => agent.request({ ...timeouts, ...options }),
    exchange: (request, reader) => exchange(agent, { ...timeouts, ...request }, reader),
    close: () => agent.close(),
    destroy: () => agent.destroy(),
  };
}

/** The errors of connections that were tried without a proxy: only undici knows for which addresses it uses one. */
const ofDirectConnections = new WeakSet<Error>();

/** Connects without a proxy, and notes the error if that fails. */
function directConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector(options);
  return (target, done) =>
    connect(target, (...outcome) => {
      if (outcome[0] !== null) ofDirectConnections.add(outcome[0]);
      done(...outcome);
    });
}

function exchange(agent: Dispatcher, request: Dispatcher.DispatchOptions, { onPart, cut }: ReplyReader) {
  return new Promise<ReceivedReply>((resolve, reject) => {
    const parts: Buffer[] = [];
    let [status, headers]: [number, ReceivedReply["headers"]] = [0, {}];
    // a request that waits for its connection cannot be aborted yet: reject at once, so that the caller does not wait
    cut.whenEnded(reject);
    agent.dispatch(request, {
      onRequestStart: (controller) => cut.whenEnded((reason) => controller.abort(reason)),
      onResponseStart: (_, code, received) => {
        // a status below 200 comes before the reply
        if (code >= 200) [status, headers] = [code, received];
      },
      onResponseData: (_, part) => {
        onPart(part.length);
        parts.push(part);
      },
      onResponseEnd: () => resolve({ status, headers, body: Buffer.concat(parts), bodyError: null }),
      onResponseError: (_, error) => {
        if (status === 0) reject(error);
        // for a refusal the status is enough, with or without its body
        else resolve({ status, headers, body: empty, bodyError: isRefusal(status) ? null : error });
      },
    });
  });
}

const empty = Buffer.alloc(0);

/** True for the status of a reply without an answer: its body is not needed. */
export function isRefusal(status: number): boolean {
  return status >= 400;
}

/** Trusts the authorities that Node knows and those of the company; made once, since it takes a tenth of a second. */
function tlsOf(authorities: string | undefined): { readonly secureContext?: SecureContext } {
  const trusted = trustedAuthorities(authorities);
  return trusted === undefined ? {} : { secureContext: createSecureContext({ ca: [...trusted] }) };
}

/** The authorities (PEM) that Node knows and those of the company; undefined if Node trusts all of them already. */
export function trustedAuthorities(authorities: string | undefined): readonly string[] | undefined {
  if (authorities === undefined || isKnownToNode(authorities)) return undefined;
  return [...getCACertificates("default"), authorities];
}

/** True if Node has read the same certificates at its start, as it does if the environment, not .env, names them. */
function isKnownToNode(authorities: string): boolean {
  const known = new Set(getCACertificates("extra").map(withoutSpace));
  const given = authorities.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return given.length > 0 && given.every((certificate) => known.has(withoutSpace(certificate)));
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}

const proxyCodes: Readonly<Record<string, string>> = {
  UND_ERR_PRX_TLS: "the proxy's certificate does not match its host",
  UND_ERR_PRX_CONN: "the proxy closed the connection",
};

/**
 * What a proxy did instead of connecting, in words without an address; null for an error of another kind. In this case nothing was sent.
 */
export function proxyProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const status = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(error.message)?.[1];
  if (status !== undefined) return `the proxy answered ${status}`;
  return "code" in error ? (proxyCodes[String(error.code)] ?? null) : null;
}

/** Codes for a certificate or protocol that the two ends do not agree on: nothing was sent yet. */
const handshake = /SSL|TLS|CERT|SIGNATURE|EPROTO/;

/** True for the code of an error that kept the two ends from a trusted connection. */
export function isHandshake(code: string): boolean {
  return handshake.test(code);
}

/** A connection to an address that failed. */
type Failed = { readonly address: URL; readonly error: unknown; readonly code: string };

/** Which setting may fix a failed connection, as the text after "check ..."; undefined if none of these is involved. */
export function networkHint({ httpProxy, httpsProxy }: Network, { address, error, code }: Failed): string | undefined {
  const isDirect = error instanceof Error && ofDirectConnections.has(error);
  const isProxied = !isDirect && (httpProxy !== undefined || httpsProxy !== undefined);
  const variable = address.protocol === "https:" && httpsProxy !== undefined ? "HTTPS_PROXY" : "HTTP_PROXY";
  const hints = [
    ...(isProxied ? [`${variable}, which names a proxy`] : []),
    ...(handshake.test(code) ? ["NODE_EXTRA_CA_CERTS, which names a company's own authority"] : []),
  ];
  return hints.length === 0 ? undefined : `, and ${hints.join(", and ")}`;
}
