import { appendFile, chown, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import type { OwnPostgres } from "./own-postgres.ts";

/** Has a server speak TLS with a certificate, and let nobody in over TCP without it. */
export async function speakTls(
  server: OwnPostgres,
  { key, certificate }: { key: string; certificate: string },
): Promise<void> {
  const { uid, gid } = await stat(server.data);
  for (const [file, text] of [
    ["server.key", key],
    ["server.crt", certificate],
  ] as const) {
    const place = path.join(server.data, file);
    await writeFile(place, text, { mode: 0o600 });
    await chown(place, uid, gid);
  }
  await appendFile(path.join(server.data, "postgresql.conf"), "\nssl = on\n");
  await server.restart("fast");
}
