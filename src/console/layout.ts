import type { FastifyReply } from "fastify";
import { accountWords } from "../config/config-of-account.ts";
import { programVersion } from "../config/program.ts";
import { html, type Html } from "./html.ts";
import { codeText } from "./parts/code-text.ts";
import type { Visitor } from "./visitor.ts";

/** The frame of a page. */
type Frame = {
  readonly title: string;
  readonly body: Html;
  /** Null on the sign-in page and for unknown visitors. */
  readonly visitor: Visitor | null;
  /** Whose warehouse it shows, by the name under `accounts`; empty for that of API_TOKEN, which is not named. */
  readonly account?: string;
  /** Entries of the navigation. */
  readonly navigation: readonly { readonly path: string; readonly title: string }[];
  /** Path and query of the page. */
  readonly address: string;
  /** What an action said, to be shown once. */
  readonly note?: string | null;
  /** For outdated figures: their time, as text. */
  readonly oldSince?: string | null;
  /** For a live page: the number of changes that were seen when it was shown. */
  readonly liveSince?: number | undefined;
  /** Token for the form that signs out. */
  readonly formToken?: string;
};

/** Sends a page. It is for this visitor only, so no cache may store it. */
export function sendPage(reply: FastifyReply, frame: Frame): FastifyReply {
  return reply.type("text/html; charset=utf-8").header("cache-control", "no-store").send(layout(frame).markup);
}

/**
 * A whole page. Its scripts are not deferred: htmx starts when the document is parsed, or just after htmx itself is loaded if that is
 * later, and its extension may not be loaded by then.
 */
function layout(frame: Frame): Html {
  const { title, body, visitor, address, liveSince } = frame;
  const version = programVersion();
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta
          name="htmx-config"
          content='{"includeIndicatorCSS":false,"defaultSwap":"outerMorph","morphIgnore":["data-htmx-powered","open"],"noSwap":[204,304,"4xx","5xx"]}'
        />
        <title>${title} · Storehouse</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css?v=${version}" />
        <script src="/assets/htmx/htmx.min.js?v=${version}"></script>
        <script src="/assets/htmx/ext/hx-sse.min.js?v=${version}"></script>
        ${liveSince !== undefined ? html`<script src="/assets/live.js?v=${version}"></script>` : null}
      </head>
      <body>
        <a class="skip" href="#page">Skip to content</a>
        <header class="top">
          <a class="brand" href="/"
            ><svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
              <path
                d="M3 9.5 12 4l9 5.5V20H3z"
                fill="none"
                stroke="currentColor"
                stroke-width="1.8"
                stroke-linejoin="round"
              />
              <path d="M7.5 12.5h9M7.5 16h9" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" /></svg
            ><span>Storehouse</span></a
          >
          ${visitor === null ? null : navigation(frame)} ${visitor === null ? null : account(visitor, frame)}
        </header>
        ${liveSince !== undefined ? html`<div id="live" hx-sse:connect="/live?since=${liveSince}" hx-swap="none"></div>` : null}
        ${frame.note == null ? null : html`<p class="notice good beside" role="status">${codeText(frame.note)}</p>`}
        ${liveSince !== undefined ? html`<p class="notice warn beside" id="live-notice" role="status" hidden></p>` : null}
        <main
          id="page"
          tabindex="-1"
          ${liveSince !== undefined ? html` hx-get="${address}" hx-trigger="ledger from:#live" hx-select="#page > *" hx-swap="innerMorph"` : null}
        >
          ${frame.oldSince == null ? null : html`<p class="notice warn" role="status">The database does not respond in time: these figures are from ${frame.oldSince}.</p>`}
          ${body}
        </main>
        <footer class="foot">
          <span>Storehouse ${version}</span
          ><span>Times and days are in UTC.</span
          >${visitor?.role === "operator" ? html`<a href="/audit">Actions</a>` : null}
        </footer>
      </body>
    </html>`;
}

function navigation({ navigation: entries, address }: Frame): Html {
  const here = address.split("?")[0] ?? "";
  const isHere = (path: string) => (path === "/" ? here === "/" : here === path || here.startsWith(`${path}/`));
  return html`<nav aria-label="Pages">
    <ul>
      ${entries.map(
        ({ path, title }) =>
          html`<li><a href="${path}" ${isHere(path) ? html` aria-current="page"` : null}>${title}</a></li>`,
      )}
    </ul>
  </nav>`;
}

function account({ name, role, by }: Visitor, { account: whose, formToken }: Frame): Html {
  const shown = whose === undefined || whose === "" ? null : html`<strong id="whose">${accountWords(whose)}</strong> `;
  if (by !== "password" || formToken === undefined)
    return html`<p class="account">${shown}<span>${name}</span> <span class="muted">${role}</span></p>`;
  return html`<form class="account" method="post" action="/sign-out">
    ${shown}<span>${name}</span> <span class="muted">${role}</span
    ><input type="hidden" name="_csrf" value="${formToken}" /><button class="quiet">Sign out</button>
  </form>`;
}
