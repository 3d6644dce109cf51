import type { App } from "../app.ts";
import type { Database } from "../postgres/database.ts";
import type { Access } from "./access.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import type { LiveStreams } from "./live-streams.ts";
import type { OpenActions } from "./open-actions.ts";
import type { SharedReads } from "./shared-reads.ts";

/** What the routes of a console share. */
export type ConsoleParts = {
  /** Acts as the role in DATABASE_URL, with connections of the console's own. */
  readonly app: App;
  /** The connections that pages and prices use. */
  readonly reader: Database;
  readonly access: Access;
  readonly reads: SharedReads;
  readonly runs: BackgroundRuns;
  readonly streams: LiveStreams;
  readonly openActions: OpenActions;
};
