import type { App } from "../app.ts";
import { fail } from "../core/errors.ts";
import { urlHere } from "../core/loopback.ts";
import { listenOrFail } from "../health/listen.ts";
import { checkBalance } from "../ingest/balance-check.ts";
import { keyHolders } from "./keys.ts";
import { createGatewayServer } from "./server.ts";
import { openSessions } from "./sessions.ts";

/** A running gateway. Disposing stops listening, lets calls under way end and loads their answers. */
export type Gateway = AsyncDisposable & {
  /** The API_BASE_URL for a caller on this machine. */
  readonly url: string;
  readonly port: number;
};

/** How to start one. `stop` cancels calls that are not sent yet. */
type GatewayOptions = { readonly host?: string; readonly port?: number; readonly stop: AbortSignal };

/**
 * Serves the API's contract to the callers of the configuration. Throws `gateway_no_callers` if none of them has a key, and
 * `gateway_not_listening` for a host or port that cannot be used.
 */
export async function startGateway(app: App, options: GatewayOptions): Promise<Gateway> {
  const { gateway } = app.config.settings;
  const { host = gateway.host, port = gateway.port, stop } = options;
  const holders = await keyHolders(app.warehouse.db);
  if (!holders.some((name) => Object.hasOwn(gateway.callers, name))) throw fail("gateway_no_callers");
  await using opened = new AsyncDisposableStack();
  const sessions = opened.use(await openSessions(app));
  // a wrong token or address is reported before anybody calls
  await checkBalance(sessions.parts.ingest, stop);
  const open = () => createGatewayServer(sessions.parts, sessions);
  const got = opened.use(await listenOrFail({ host, port, open, code: "gateway_not_listening" }));
  const stack = opened.move();
  return { url: urlHere(host, got.port), port: got.port, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
