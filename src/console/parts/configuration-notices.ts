import type { ConfigurationNow } from "../configuration.ts";
import { html, type Html } from "../html.ts";

/** Notices next to the listed apps: that they are not in the portfolio, or not yet, or that the file cannot be read. */
export function configurationNotices({ settings, isNewer, problem }: ConfigurationNow): Html {
  const { source, apps } = settings.portfolio;
  return html`${
    problem === null
      ? null
      : html`<p class="notice bad" role="status">
          The configuration file cannot be read: ${problem}. This page shows the configuration with which this console
          started.
        </p>`
  }${
    source === "account" && apps.length > 0
      ? html`<p class="notice warn" role="status">
          portfolio.source is account: apps in the configuration are not part of the portfolio. Set it to config or
          both.
        </p>`
      : null
  }${
    isNewer
      ? html`<p class="notice" role="status">
          The file has changed since this console started. Restart the workers and the console to apply it.
        </p>`
      : null
  }`;
}
