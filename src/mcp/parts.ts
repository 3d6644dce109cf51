import type { Pool } from "pg";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";

/** What the tools read: the ledger as the loader, statements as the reader. Nothing in it can request or spend. */
export type ServerParts = {
  readonly db: Database;
  readonly reader: Pool;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly version: string;
  /** Removes secrets from an unexpected text. */
  readonly hide: (text: string) => string;
};
