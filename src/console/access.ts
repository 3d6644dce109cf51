import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { isLoopback } from "../core/loopback.ts";
import type { Role, Visitor } from "./visitor.ts";

/*
 * Who a request is from, in this order:
 *
 *   the reverse proxy says so     console.proxy is set, the request comes from one of its addresses and has the header
 *   a session                     a signed cookie, made at sign-in with a password
 *   this machine                  no password and no proxy is set: then the console listens on loopback alone, and a person who reaches it can
 *                                 run the commands as well. A page of another site must not: only the names of loopback count as Host.
 *                                 Nor whom a reverse proxy on this machine lets in: what one forwards counts as coming from elsewhere.
 */

/** The cookie of a session; each console of a machine has its own, since cookies are sent to all ports. */
const sessionCookie = "storehouse_session";

/** The name of a cookie, made unique for the console that a request reaches. */
export function cookieNameOf({ socket }: Pick<FastifyRequest, "socket">, name: string): string {
  return `${name}_${socket.localPort}`;
}

const sessionMs = 12 * hourMs;

/** Who has access. */
export type Access = {
  /**
   * Null for an unknown visitor. If no sign-in is required, throws `console_host` for a host name other than loopback's, and for a request
   * that a reverse proxy forwards.
   */
  readonly visitorOf: (request: FastifyRequest) => Visitor | null;
  /** Whose limit of requests a request counts against: a session's, a proxy user's, or an address's. */
  readonly countedFor: (request: FastifyRequest) => string;
  /** Whose forms a request may send: those of a session, of a proxy user, or of unknown visitors. */
  readonly formsOf: (request: FastifyRequest) => string;
  /** True if visitors can sign in with a password. */
  readonly hasPassword: boolean;
  /** The visitor with this password; null if it is wrong. */
  readonly known: (request: FastifyRequest, typed: { name: string; password: string }) => Visitor | null;
  /** Starts a session. */
  readonly signIn: (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => void;
  /** Ends the session, wherever a copy of its cookie is. */
  readonly signOut: (request: FastifyRequest, reply: FastifyReply) => void;
};

/** Headers that a reverse proxy adds; most do so by default. One that adds none of them cannot be distinguished from a browser. */
const forwarding = /^(forwarded|via|x-forwarded-.+|x-real-ip|x-client-ip|cf-connecting-ip|true-client-ip)$/;

function isForwarded({ headers }: FastifyRequest): boolean {
  return Object.keys(headers).some((name) => forwarding.test(name));
}

/** Throws `console_needs_password` if other machines would have access without one, `console_nobody_in` if there is no way to sign in. */
export function checkExposure({ environment, settings }: Config, host = settings.console.host): void {
  if (!isLoopback(host) && environment.STOREHOUSE_CONSOLE_PASSWORD === undefined)
    throw fail("console_needs_password", { host });
  const passwords = [environment.STOREHOUSE_CONSOLE_PASSWORD, environment.STOREHOUSE_CONSOLE_VIEWER_PASSWORD];
  const { proxy } = settings.console;
  if (proxy !== undefined && proxy.user_header === undefined && passwords.every((one) => one === undefined))
    throw fail("console_nobody_in");
}

/** The key with which cookies are signed: sessions end with the process. */
export function newCookieKey(): string {
  return randomBytes(32).toString("base64url");
}

type Session = { readonly id: string; readonly name: string; readonly role: Role; readonly until: number };

/** Makes the rules of access from the settings. */
export function createAccess({ environment, settings }: Config, clock: Clock): Access {
  const passwords = [
    { role: "operator", password: environment.STOREHOUSE_CONSOLE_PASSWORD },
    { role: "viewer", password: environment.STOREHOUSE_CONSOLE_VIEWER_PASSWORD },
  ] as const;
  const hasPassword = passwords.some(({ password }) => password !== undefined);
  const { proxy } = settings.console;
  /** Sessions that were signed out early, and when they would expire. */
  const ended = new Map<string, number>();

  function fromProxy(request: FastifyRequest): Visitor | null {
    if (proxy?.user_header === undefined || !proxy.addresses.includes(peerOf(request))) return null;
    const header = request.headers[proxy.user_header.toLowerCase()];
    const name = typeof header === "string" ? header.trim().slice(0, longestName) : "";
    if (name === "") return null;
    return { name, role: proxy.operators.includes(name) ? "operator" : "viewer", from: request.ip, by: "proxy" };
  }

  function validSession(request: FastifyRequest): Session | null {
    const session = hasPassword ? sessionIn(request) : null;
    return session === null || session.until <= clock.now() || ended.has(session.id) ? null : session;
  }

  /** The session, or the user of the proxy, that a request belongs to. */
  function ownerOf(request: FastifyRequest): string | null {
    const user = fromProxy(request)?.name;
    return user === undefined ? (validSession(request)?.id ?? null) : `user ${user}`;
  }

  function fromSession(request: FastifyRequest): Visitor | null {
    const session = validSession(request);
    return session && { name: session.name, role: session.role, from: request.ip, by: "password" };
  }

  return {
    hasPassword,
    visitorOf: (request) => {
      const known = fromProxy(request) ?? fromSession(request);
      if (known !== null || hasPassword || proxy !== undefined) return known;
      if (!isLoopback(request.hostname.replace(/:\d+$/, "")) || isForwarded(request)) throw fail("console_host");
      return { name: "local", role: "operator", from: request.ip, by: "loopback" };
    },
    countedFor: (request) => ownerOf(request) ?? request.ip,
    formsOf: (request) => ownerOf(request) ?? "nobody",
    known: (request, { name, password }) => {
      const found = passwords.find((one) => one.password !== undefined && isSame(one.password, password));
      return found === undefined
        ? null
        : { name: name || found.role, role: found.role, from: request.ip, by: "password" };
    },
    signIn: (request, reply, { name, role }) => {
      const id = randomBytes(12).toString("base64url");
      const session: Session = { id, name, role, until: clock.now() + sessionMs };
      const value = Buffer.from(JSON.stringify(session)).toString("base64url");
      reply.setCookie(cookieNameOf(request, sessionCookie), value, cookieOptions(request));
    },
    signOut: (request, reply) => {
      for (const [id, until] of ended) if (until <= clock.now()) ended.delete(id);
      const session = sessionIn(request);
      if (session !== null) ended.set(session.id, session.until);
      reply.clearCookie(cookieNameOf(request, sessionCookie), { path: "/" });
    },
  };
}

/** Names are for people: this is long enough. */
export const longestName = 80;

/** How cookies of the console are sent: to this site alone, to no script. */
export function cookieOptions(request: FastifyRequest) {
  return { path: "/", httpOnly: true, sameSite: "strict", signed: true, secure: request.protocol === "https" } as const;
}

function sessionIn(request: FastifyRequest): Session | null {
  const cookie = request.cookies[cookieNameOf(request, sessionCookie)];
  const unsigned = cookie === undefined ? null : request.unsignCookie(cookie);
  if (unsigned?.valid !== true || unsigned.value === null) return null;
  // signed by this process, which wrote it as a session
  return JSON.parse(Buffer.from(unsigned.value, "base64url").toString("utf8")) as Session;
}

function peerOf(request: FastifyRequest): string {
  return (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
}

/** Takes the same time regardless of where two texts differ. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
