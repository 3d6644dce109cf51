import type { App } from "../app.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { createRunLimit } from "../credits/run-limit.ts";
import { openIngest, type Watchers } from "../open-ingest.ts";
import { createCallAnswerer, type CallAnswerer } from "./answer-calls.ts";
import { deleteExpiredClaims } from "./claimed-calls.ts";
import { createTableFeeder } from "./feed-tables.ts";
import type { GatewayParts } from "./gateway-parts.ts";

/*
 * Some events stop all requests of a process for good: an expired lease, a full database disk, and a refusal that another process of the
 * account received. A gateway continues: the next call opens another session, with its own number in the ledger. Calls that were already
 * sent end in the session in which they began. If no session can be opened, stored answers are still served.
 */

/** The present session: its parts, which are replaced after a stop, and its call answerer. */
export type Sessions = CallAnswerer & { readonly parts: GatewayParts };

/** After a failed attempt, no session is opened for this long. */
const triedForMs = 10_000;

/** Opens the first session. Throws what `openIngest` does. */
export async function openSessions(app: App): Promise<Sessions> {
  const { clock, log } = app;
  let present = await openSession(app);
  let opening: Promise<void> | null = null;
  let failedAt: number | null = null;
  const ending = new Set<Promise<void>>();

  function end(session: Session): void {
    // if this fails, the next process that reaps dead workers cleans up
    const ended = Promise.resolve(session[Symbol.asyncDispose]())
      .catch(() => undefined)
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function openNext(): Promise<void> {
    const { code } = present.stoppedBy() ?? {};
    try {
      const next = await openSession(app, { again: true });
      end(present);
      present = next;
      failedAt = null;
      log.warn({ code }, "gateway.re_registered");
    } catch (error) {
      failedAt = clock.now();
      log.warn({ code, problem: app.hide(nameOf(error)) }, "gateway.not_registered");
    }
  }

  async function current(): Promise<Session> {
    const isTried = failedAt !== null && Math.abs(clock.now() - failedAt) < triedForMs;
    if (present.stoppedBy() !== null && !isTried) await (opening ??= openNext().finally(() => (opening = null)));
    return present;
  }

  /** Answers a call; one that was not sent yet when its session stopped goes to the next session. */
  const answer: CallAnswerer["answer"] = async (call, caller) => {
    const session = await current();
    try {
      return await session.answer(call, caller);
    } catch (error) {
      // found out before the heartbeat did: nothing else ends this session until then
      if (isExpired(error)) session.parts.ingest.abort(error);
      else if (!isUnsent(error)) throw error;
      const next = await current();
      if (next === session) throw session.stoppedBy() ?? fail("stopped");
      return next.answer(call, caller);
    }
  };

  return {
    parts: {
      app,
      get ingest() {
        return present.parts.ingest;
      },
    },
    answer,
    [Symbol.asyncDispose]: async () => {
      await opening;
      end(present);
      await Promise.all(ending);
    },
  };
}

type Session = CallAnswerer & { readonly parts: GatewayParts; readonly stoppedBy: () => StorehouseError | null };

async function openSession(app: App, watchers: Watchers = {}): Promise<Session> {
  await using opened = new AsyncDisposableStack();
  const ingest = opened.use(await openIngest(app, "gateway", createRunLimit(null), watchers));
  const parts = { app, ingest: ingest.parts };
  await deleteExpiredClaims(ingest.parts);
  const { answer } = opened.use(createCallAnswerer(parts, createTableFeeder(parts)));
  const stack = opened.move();
  return { parts, answer, stoppedBy: ingest.stoppedBy, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** True for a call that a stop ended while it waited. A call that was sent ends with its reply. */
function isUnsent(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError" && !(error instanceof StorehouseError);
}

/** True where the lease of the session has expired: its call was not granted, or not sent. */
function isExpired(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && error.code === "lease_expired";
}

function nameOf(error: unknown): string {
  if (error instanceof StorehouseError) return error.message;
  return error instanceof Error ? error.name : "unknown";
}
