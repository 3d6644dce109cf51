import { setTimeout as wait } from "node:timers/promises";
import { addDays } from "../../src/core/day.ts";
import type { Environment } from "../../src/config/env.ts";
import { startConsole, type Console } from "../../src/console/server.ts";
import { openGrantedAfter, type GrantedStage } from "./granted-stage.ts";
import { openStage, today, type RunOptions, type Stage } from "./ingest-stage.ts";
import { charged } from "./ingest-witness.ts";

/** Passwords of the console. */
export const operatorPassword = "operator of the house";
export const viewerPassword = "viewer of the house";

/** Text that a browser would run if a page took it for markup. */
export const scriptName = `<script>document.title = "run"</script><img src=x onerror="document.title='run'">`;

/** A warehouse that the sandbox filled, whose roles are in place, with a slice that failed; the console acts as the loader. */
export type ConsoleStage = AsyncDisposable & {
  readonly granted: GrantedStage;
  readonly stage: Stage;
  /** Starts a console with these settings and variables, on any free port. */
  readonly start: (options?: RunOptions & { readonly host?: string }) => Promise<Console>;
  /** The number of a slice that failed. */
  readonly failedSlice: () => Promise<string>;
  /** The last action of a name, as it stands on record. */
  readonly lastDeed: (action: string) => Promise<AuditEntry | undefined>;
};

/** An action on record: who did it, and what came of it. */
type AuditEntry = {
  readonly user_name: string;
  readonly outcome: string;
  readonly note: string;
  readonly credits: number;
  readonly subject: string;
  readonly has_ended: boolean;
};

const market = { apps: 2, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 } as const;

/** Syncs while the ranks of one day fail, in all of their attempts; afterwards they would not. */
export async function syncWithFailedDay(stage: Stage): Promise<void> {
  const failing = {
    operation: "ios.keyword-ranking",
    contains: addDays(today, -2),
    times: 100,
    kind: "status",
  } as const;
  stage.sandbox.set({ faults: [failing] });
  await stage.sync();
  stage.sandbox.set({ faults: [] });
}

async function spendOnFirstSync(granted: GrantedStage): Promise<number> {
  await using stage = await openStage({ market, database: granted.urlOf("loader") });
  await syncWithFailedDay(stage);
  return charged(stage.requested());
}

/** Opens one, whose account has paid for the sync; disposing closes what it started. */
export async function openConsoleStage(): Promise<ConsoleStage> {
  await using opened = new AsyncDisposableStack();
  const { granted, left: spent } = await openGrantedAfter("console", spendOnFirstSync);
  opened.use(granted);
  const stage = opened.use(await openStage({ market, database: granted.urlOf("loader") }));
  stage.sandbox.spend(spent);
  const stack = opened.move();
  return {
    granted,
    stage,
    start: async ({ host, ...options } = {}) => {
      const app = stack.use(await stage.open(options));
      return stack.use(await startConsole(app, { port: 0, ...(host === undefined ? {} : { host }) }));
    },
    failedSlice: async () => {
      const rows = await stage.query<{ slice_id: string }>("select slice_id from ops.failed_slice order by 1");
      return rows[0]?.slice_id ?? "";
    },
    lastDeed: async (action) => {
      const [deed] = await stage.query<AuditEntry>(
        `select user_name, outcome, note, credits, subject, ended_at is not null as has_ended
         from ops.audit where action = $1 order by audit_id desc limit 1`,
        [action],
      );
      return deed;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Variables of a console that wants a password. */
export const withPasswords: { readonly environment: Partial<Environment> } = {
  environment: {
    STOREHOUSE_CONSOLE_PASSWORD: operatorPassword,
    STOREHOUSE_CONSOLE_VIEWER_PASSWORD: viewerPassword,
  },
};

/** What a server answered: status, headers, body as text, and the address that it answered at. */
type Answered = { readonly status: number; readonly headers: Headers; readonly text: string; readonly url: string };

/** A browser without a screen: it keeps cookies, and follows no redirect but that to the form that wants an agreement. */
export type Client = {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answered>;
  /** Posts a form with the token of the last page, unless another one is given. */
  readonly post: (path: string, fields: Readonly<Record<string, string>>) => Promise<Answered>;
  readonly signIn: (password: string, name?: string) => Promise<Answered>;
  readonly cookie: () => string;
};

/** Makes a client of a console. */
export function clientOf({ url }: Pick<Console, "url">): Client {
  const cookies = new Map<string, string>();
  let token = "";
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  async function send(path: string, init: RequestInit): Promise<Answered> {
    const headers = { ...(init.headers as Record<string, string>), cookie: cookie() };
    const response = await fetch(new URL(path, url), { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = set.split(";");
      const [name = "", ...value] = pair.split("=");
      if (rest.some((part) => /Expires=Thu, 01 Jan 1970/.test(part))) cookies.delete(name);
      else cookies.set(name, value.join("="));
    }
    const text = await response.text();
    token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? token;
    const form = response.headers.get("location");
    if (form?.startsWith("/actions/")) return send(form, {});
    return { status: response.status, headers: response.headers, text, url: response.url };
  }
  const post: Client["post"] = (path, fields) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ _csrf: token, ...fields }).toString(),
    });
  return {
    cookie,
    get: (path, headers = {}) => send(path, { headers }),
    post,
    signIn: async (password, name = "Ann") => {
      await send("/sign-in", {});
      return post("/sign-in", { name, password });
    },
  };
}

/** Between two reads of a page, each of which costs as much as what it waits for. */
const readMs = 100;

/** Waits until a page shows what is expected of it. The test's own time limit is the only one. */
export async function untilShown(read: () => Promise<string>, expected: RegExp): Promise<string> {
  for (;;) {
    const text = await read();
    if (expected.test(text)) return text;
    await wait(readMs);
  }
}
