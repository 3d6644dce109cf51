import type { ConfigurationNow } from "../configuration.ts";
import { html, type Html } from "../html.ts";

/** What a reader of the listed apps has to know: that they are not in the portfolio, or not yet, or that the file cannot be read. */
export function configurationNotices({ settings, isNewer, problem }: ConfigurationNow): Html {
  const { source, apps } = settings.portfolio;
  return html`${
    problem === null
      ? null
      : html`<p class="notice bad" role="status">
          The configuration file cannot be read: ${problem}. What is shown is what this console started with.
        </p>`
  }${
    source === "account" && apps.length > 0
      ? html`<p class="notice warn" role="status">
          portfolio.source is account: what the configuration lists is not in the portfolio. Set it to config or both.
        </p>`
      : null
  }${
    isNewer
      ? html`<p class="notice" role="status">
          The file has changed since this console started. Workers and the console go by it once they are started again.
        </p>`
      : null
  }`;
}
