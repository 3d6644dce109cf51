import type { z } from "zod";
import type { App } from "../app.ts";
import type { Database } from "../postgres/database.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import type { Html } from "./html.ts";
import type { Visitor } from "./visitor.ts";

/*
 * How to add a page:
 *
 *   1. A file in src/console/pages/ exports one value, made by `definePage`, and pages/all.ts lists it.
 *   2. `path` is the address, with `:name` for a part that varies; `input` is a zod object of those parts and of the query. Invalid
 *      input gives a page with status 400. A page shows the same for the same address, so that a link can be sent to a colleague.
 *   3. `show` returns markup made by `html` (which escapes everything), or a `Download`. Everything from the database is read by
 *      `context.read(key, work)`: as storehouse_reader if that role exists, read-only, at most console.timeout_seconds long, and
 *      shared by all viewers of the same key. So a page reads views of ops, core and mart, and no table of ops or raw.
 *   4. Anything that changes something is a form that posts to an action (see define-action.ts): `actionForm`.
 *   5. `live: true` reads the page again when the ledger changes; the parts that change are in elements with an id.
 *   6. The content security policy allows scripts and styles from /assets only: no <style>, no style="...", no onclick="...". Attributes of
 *      SVG (fill, stroke, width) are fine. A drawing of src/charts is shown by `picture`, which adds its colours.
 *   7. It works without JavaScript for reading, at 390 pixels, by keyboard, in light and dark: test/console visits every page of
 *      pages/all.ts with a browser and axe.
 *
 * Classes of console.css: card, facts, table-wrap, badge, button, notice, muted, number ... A page adds rules to the style sheet, not
 * styles.
 */

/** Reads a value under a key, which all viewers of the same key share. */
type ReadShared = <T>(key: string, work: (db: Database) => Promise<T>) => Promise<T>;

/** What a page is shown with. */
export type PageContext = {
  readonly app: App;
  /** Epoch-ms. */
  readonly now: number;
  /** For a page whose own script listens to `/live?since=`: earlier changes are in the page. */
  readonly liveSince: number;
  readonly visitor: Visitor;
  /** Reads by a key that names what is read and its input; the value may be some seconds old, or older if the database is slow. */
  readonly read: ReadShared;
  /** The token that a form sends back. */
  readonly formToken: () => string;
  /** Path and query of this page. */
  readonly address: string;
  /** The console's own runs. */
  readonly runs: BackgroundRuns;
};

/** A page that is not markup. `name`: its file name, if it is saved as a file. */
type Download = { readonly type: string; readonly body: string | Buffer; readonly name?: string };

/** A page of the console. */
export type Page<I extends z.ZodObject = z.ZodObject> = {
  readonly path: string;
  /** The title, also of its entry in the navigation. */
  readonly title: string;
  /** The title of the page about an input, if there are many of this kind. */
  readonly titleOf?: (input: z.output<I>) => string;
  /** True for one of the pages that the navigation lists. */
  readonly inNavigation?: true;
  /** Who may see it; every visitor when left out. */
  readonly role?: "operator";
  readonly live?: true;
  /** Its load beyond a few statements: fewer of these pages are served per minute. */
  readonly effort?: "some" | "much";
  readonly input: I;
  /** Examples of its address, for the tests that walk over every page; an empty list if it needs something that only a run makes. */
  readonly examples: readonly string[];
  readonly show: (context: PageContext, input: z.output<I>) => Promise<Html | Download>;
};

/** A page, with any input. */
export type AnyPage = Omit<Page, "show" | "titleOf"> & {
  readonly titleOf?: (input: never) => string;
  readonly show: (context: PageContext, input: never) => Promise<Html | Download>;
};

/** Makes a page. */
export function definePage<I extends z.ZodObject>(page: Page<I>): AnyPage {
  return page;
}
