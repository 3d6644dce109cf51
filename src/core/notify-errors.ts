/** Errors of messages about incidents and alerts; see error-codes.ts for what the fields mean. */
export const notifyErrors = {
  webhook_failed: {
    recovery: "retry",
    says: "the webhook did not accept the message",
    next: "check NOTIFY_URL and notify.format with `storehouse doctor --notify`; the message is sent again automatically, at growing intervals",
  },
  ping_failed: {
    recovery: "retry",
    says: "the address in NOTIFY_PING_URL did not accept the ping",
    next: "check NOTIFY_PING_URL with `storehouse doctor --notify`; it is requested again after a minute",
  },
  alert_too_broad: {
    recovery: "usage",
    says: "{most} or more rows of mart.{mart} match the alert {alert} in one check, so none of them is sent",
    next: "name apps, countries or keywords under for, or set a stricter condition",
  },
} as const;
