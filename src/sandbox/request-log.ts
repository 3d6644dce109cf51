import { hiderOf } from "../core/secret.ts";

/** One request as the sandbox saw it: the independent record of what was requested and what it cost. Never contains a token. */
export type SandboxRequest = {
  /** Epoch-ms of receipt. */
  at: number;
  /** The operation's id; null if no route fits. */
  operation: string | null;
  method: string;
  /** Decoded, without query; as sent if no route fits. */
  path: string;
  /** Decoded and checked values by name; plain text if the request was refused before or during the check. */
  params: Record<string, unknown>;
  /** 0 if the connection was cut before a status. */
  status: number;
  /** Credits taken. */
  charged: number;
  /** Credits left after it; 0 if the token is unknown. */
  remaining: number;
  token: "known" | "unknown" | "missing";
  /** Why it was refused. */
  reason?: string;
  /** The kind of fault that was applied to it. */
  fault?: string;
};

/** The requests so far, oldest first. Tokens are removed wherever they appear. */
export class RequestLog {
  readonly #hide: (text: string) => string;
  #entries: SandboxRequest[] = [];

  constructor(secrets: readonly string[]) {
    this.#hide = hiderOf(secrets);
  }

  add(entry: SandboxRequest): void {
    this.#entries.push(this.#clean(entry));
  }

  entries(): readonly SandboxRequest[] {
    return [...this.#entries];
  }

  clear(): void {
    this.#entries = [];
  }

  #clean<T>(value: T): T;
  #clean(value: unknown): unknown {
    if (typeof value === "string") return this.#hide(value);
    if (Array.isArray(value)) return value.map((item) => this.#clean(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [this.#clean(key), this.#clean(inner)]));
  }
}
