import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { ServerParts } from "./parts.ts";
import { createMcpServer } from "./server.ts";

/** Serves one client over stdin and stdout, until it closes stdin or `stop` is aborted. */
export async function serveStdio(parts: ServerParts, stop: AbortSignal): Promise<void> {
  const server = createMcpServer(parts);
  const ended = new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
}
