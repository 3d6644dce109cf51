/** Errors of the gateway; see error-codes.ts. */
export const gatewayErrors = {
  gateway_no_callers: {
    recovery: "usage",
    says: "no caller of the gateway has a key",
    next: "name one in gateway.callers and run `storehouse gateway --new-key NAME`",
  },
  gateway_not_listening: {
    recovery: "usage",
    says: "the gateway cannot listen on {host} port {port}: {cause}",
    next: "set gateway.host to an address of this machine and gateway.port to a port that may be used",
  },
} as const;
