/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP. A second one ends the process at once, as the person means it; but not a second SIGHUP:
 * a terminal that closes sends it, the shell once more, and what is under way is paid for.
 */
export function stopSignal(): { readonly signal: AbortSignal; readonly dispose: () => void } {
  const controller = new AbortController();
  const stop = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(name === "SIGINT" ? 130 : 143);
    controller.abort();
  };
  const hangUp = () => controller.abort();
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", hangUp);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
      process.off("SIGHUP", hangUp);
    },
  };
}
