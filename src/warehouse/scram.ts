import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";

/** As many as Postgres itself takes by default. */
const iterations = 4096;

/**
 * The verifier that Postgres stores for a password (SCRAM-SHA-256, RFC 5802): with it in a statement the password itself is in no log of
 * the server and not in pg_stat_activity. The password must be plain ASCII: of other characters clients disagree how to write them.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const stored = createHash("sha256").update(keyed(salted, "Client Key")).digest("base64");
  const server = keyed(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${stored}:${server}`;
}

function keyed(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
