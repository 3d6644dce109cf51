import path from "node:path";
import cookie from "@fastify/cookie";
import csrf from "@fastify/csrf-protection";
import formbody from "@fastify/formbody";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import files from "@fastify/static";
import fastify, { type FastifyInstance } from "fastify";
import type { App } from "../app.ts";
import { projectRoot } from "../config/config.ts";
import { urlHere } from "../core/loopback.ts";
import { listenOrFail } from "../health/listen.ts";
import { openWarehouse } from "../postgres/database.ts";
import { checkExposure, createAccess, newCookieKey } from "./access.ts";
import { addActions } from "./action-routes.ts";
import { settleAudit } from "./audit.ts";
import { createBackgroundRuns } from "./background-runs.ts";
import type { ConsoleParts } from "./console-parts.ts";
import { createLimits } from "./limits.ts";
import { addLive } from "./live.ts";
import { addPages } from "./page-routes.ts";
import { addProblems } from "./problem-page.ts";
import { createLiveStreams } from "./live-streams.ts";
import { createOpenActions } from "./open-actions.ts";
import { openReader } from "./reader.ts";
import { createSharedReads } from "./shared-reads.ts";
import { addSignIn } from "./sign-in.ts";

/** A running console. Disposing stops what it runs, ends its streams and closes its connections. */
export type Console = AsyncDisposable & {
  /** The URL for a browser on this machine. */
  readonly url: string;
  readonly port: number;
};

/** Connections for the writes and runs of actions. */
export const actingConnections = 12;

/**
 * Serves the console over the app's database. Throws `console_needs_password` for a host that others reach without a password,
 * `console_nobody_in` if nobody could sign in, `console_reader_missing` if viewers could not read as storehouse_reader,
 * `console_not_listening` for a host or port that cannot be used.
 */
export async function startConsole(
  app: App,
  { host = app.config.settings.console.host, port = app.config.settings.console.port } = {},
): Promise<Console> {
  const { config, clock } = app;
  checkExposure(config, host);
  await using opened = new AsyncDisposableStack();
  const { timeout_seconds: seconds } = config.settings.console;
  const reader = opened.use(await openReader(app, seconds * 1000));
  // separate from the pool of a worker in the same process, so that neither waits for the other
  const warehouse = opened.use(await openWarehouse(app.databaseUrl, actingConnections));
  const acting = { ...app, warehouse };
  await settleAudit(warehouse.db, clock.now());
  const runs = opened.use(createBackgroundRuns(app));
  const patienceMs = seconds * 1000;
  const reads = createSharedReads({ db: reader.db, clock, patienceMs });
  const parts: ConsoleParts = {
    app: acting,
    reader: reader.db,
    access: createAccess(config, clock),
    reads,
    runs,
    streams: opened.use(
      createLiveStreams({
        db: reader.db,
        clock,
        runs,
        changed: reads.forget,
        isDueAgain: reads.isDueAgain,
        patienceMs,
      }),
    ),
    openActions: opened.use(createOpenActions()),
  };
  const open = (one: number) => serverOf(parts, one);
  const got = opened.use(await listenOrFail({ host, port, open, code: "console_not_listening" }));
  const stack = opened.move();
  return {
    url: urlHere(host, got.port),
    port: got.port,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Forms are short; the longest is a list of keywords. */
const longestForm = 2 ** 20;

/** What a page may load: its own scripts and styles, and nothing inline. */
const directives = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** An address without a page, for requests whose address cannot be parsed: fastify would answer them with JSON. */
const nowhere = "/unreadable";

function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}

async function serverOf(parts: ConsoleParts, port: number): Promise<FastifyInstance> {
  const { proxy } = parts.app.config.settings.console;
  // only a configured proxy is trusted to report the client and the use of https
  const trustProxy = proxy === undefined ? false : [...proxy.addresses];
  const options = { logger: false, forceCloseConnections: true, bodyLimit: longestForm, trustProxy };
  const server = fastify({ ...options, rewriteUrl: ({ url = "/" }) => (isReadable(url) ? url : nowhere) });
  // whether https is used, and enforced, is up to the reverse proxy
  await server.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: false,
    referrerPolicy: { policy: "same-origin" },
  });
  await server.register(cookie, { secret: newCookieKey() });
  await server.register(formbody);
  await server.register(rateLimit, { global: false });
  await server.register(csrf, {
    // cookies of one machine are sent to all of its ports
    cookieKey: `storehouse_form_${port === 0 ? newCookieKey().slice(0, 8) : port}`,
    // only the visitor for whom a form was made can send it: not after signing out, nor as another visitor
    csrfOpts: { hmacKey: newCookieKey() },
    getUserInfo: parts.access.formsOf,
    cookieOpts: { path: "/", httpOnly: true, sameSite: "strict", signed: true, secure: "auto" },
    getToken: (request) => (request.body as { _csrf?: string } | undefined)?._csrf,
  });
  await server.register(files, { root: path.join(import.meta.dirname, "assets"), prefix: "/assets/" });
  await server.register(files, {
    root: path.join(projectRoot, "node_modules", "htmx.org", "dist"),
    prefix: "/assets/htmx/",
    decorateReply: false,
  });
  addProblems(server, parts);
  addSignIn(server, parts);
  const limits = createLimits(server, parts.access);
  addPages(server, parts, limits);
  addActions(server, parts, limits);
  addLive(server, parts, limits);
  return server;
}
