/** Errors of the console; see error-codes.ts for what the fields mean. */
export const consoleErrors = {
  console_needs_password: {
    recovery: "usage",
    says: "the console would listen on {host}, which other machines can reach, without a password",
    next: "set STOREHOUSE_CONSOLE_PASSWORD (or _FILE), or set console.host to 127.0.0.1",
  },
  console_nobody_in: {
    recovery: "usage",
    says: "console.proxy is set without user_header, and no password is set: nobody could sign in",
    next: "set console.proxy.user_header, or STOREHOUSE_CONSOLE_PASSWORD (or _FILE)",
  },
  console_reader_missing: {
    recovery: "usage",
    says: "a password for viewers is set, but the role in DATABASE_URL may not act as storehouse_reader, the role that viewers use",
    next: "run `storehouse grants`, or unset STOREHOUSE_CONSOLE_VIEWER_PASSWORD",
  },
  console_not_listening: {
    recovery: "usage",
    says: "the console cannot listen on {host} port {port}: {cause}",
    next: "set console.host to an address of this machine, and console.port to a free port that this user may open",
  },
  console_bad_input: {
    recovery: "usage",
    says: "the address or the form is invalid: {problem}",
    next: "go back and correct it",
  },
  console_unknown: { recovery: "usage", says: "there is no {what}", next: "choose a page above" },
  console_sign_in: { recovery: "usage", says: "the name or the password is wrong", next: "try again" },
  console_signed_out: {
    recovery: "usage",
    says: "nobody is signed in",
    next: "sign in and fill in the form again; the Back button of the browser shows what was typed",
  },
  console_not_allowed: {
    recovery: "usage",
    says: "a viewer may not do this",
    next: "sign in as an operator",
  },
  console_forged: {
    recovery: "usage",
    says: "this console did not make the form for this visitor, or the form is too old",
    next: "open the page again and repeat it",
  },
  console_host: {
    recovery: "usage",
    says: "without a password the console serves only localhost, and no reverse proxy",
    next: "open it as http://127.0.0.1, or set STOREHOUSE_CONSOLE_PASSWORD",
  },
  console_too_often: { recovery: "usage", says: "too many requests", next: "wait a minute and try again" },
  console_busy: {
    recovery: "usage",
    says: "the console is running something else: {what}",
    next: "wait until it has finished, or stop it on the page Runs",
  },
  console_sent_already: {
    recovery: "usage",
    says: "this form was sent already",
    next: "see its result on the page Actions, or open the page again and repeat it",
  },
  console_nothing_runs: {
    recovery: "usage",
    says: "the console is running nothing that can be stopped",
    next: "open the page Runs",
  },
  console_keywords_left: {
    recovery: "usage",
    says: "not all changes of keywords were confirmed: {added} of {add} added, {removed} of {remove} removed, then it failed with {problem}",
    next: "send the same list again: finished changes are not repeated",
  },
  console_slow: {
    recovery: "usage",
    says: "the database did not respond within {seconds} s",
    next: "open the page again, narrow its filters, or raise console.timeout_seconds",
  },
} as const;
