import { isIP } from "node:net";
import pg from "pg";
import { fail, causeCode } from "../core/errors.ts";

/** Modes with the same meaning as in libpq. `prefer` and `allow` would fall back to plain text unnoticed. */
const modes = ["disable", "require", "verify-ca", "verify-full"];

const unreadable =
  "is not a readable address: write it as postgres://user:password@host:5432/database, and in the password write / as %2F, ? as %3F, # as %23 and @ as %40";
const example =
  "add ?sslmode=verify-full, with &sslrootcert=FILE if you have your own certificate authority, or ?sslmode=disable in a network that you trust";

/**
 * The address for the driver; sslmode has the same meaning as in libpq. Throws a UsageError if the server is neither this machine nor a
 * socket and the address has no sslmode, and for an invalid mode or certificate.
 */
export function connectionString(url: string): string {
  const [server = "", ...rest] = url.split("?");
  const query = new URLSearchParams(rest.join("?"));
  const sslmode = query.get("sslmode");
  if (query.getAll("sslmode").length > 1) throw refused("names more than one sslmode");
  if (query.has("ssl") || query.has("uselibpqcompat"))
    throw refused("must set the security of the connection only with sslmode");
  if (sslmode !== null && !modes.includes(sslmode))
    throw refused(`names an unknown sslmode: use one of ${modes.join(", ")}`);
  // libpq's word for the authorities that the machine trusts
  const ofSystem = query.get("sslrootcert") === "system";
  if (ofSystem && sslmode !== "verify-full")
    throw refused("names sslrootcert=system, which requires sslmode=verify-full");
  if (ofSystem) query.delete("sslrootcert");
  if (sslmode === "verify-ca" && !query.has("sslrootcert"))
    throw refused("names sslmode=verify-ca, which requires sslrootcert=FILE");
  if (sslmode === null && query.has("sslrootcert"))
    throw refused("names sslrootcert without sslmode: add sslmode=verify-full");
  query.set("sslmode", sslmode ?? "disable");
  query.set("uselibpqcompat", "true");
  const whole = `${withPlainPath(server)}?${query.toString()}`;
  const host = hostOf(whole);
  if (sslmode !== null || isHere(host)) return whole;
  // then the host is a part of the password, which the message must not repeat
  if (/^\w+:\/\/.*(#|[/?].*@)/.test(url)) throw refused(`${unreadable}. If that is so, ${example}`);
  throw refused(`names another machine (${host}) without sslmode: ${example}`);
}

/** The driver leaves these characters encoded in a database name; an address may contain them unencoded. */
const leftEncoded = /%(?:3b|3a|40|26|3d|2b|24|2c)/gi;

function withPlainPath(server: string): string {
  const [, start = server, path = ""] = /^(\w+:\/\/[^/]*)(\/.*)$/.exec(server) ?? [];
  // the password contains such a character unencoded: the text after it would be read as host and database
  if (/[/#]/.test(path.slice(1))) throw refused(unreadable);
  if (/%(?:2f|3f|23)/i.test(path)) throw refused("names a database with /, ? or # in its name, which cannot be opened");
  return start + path.replaceAll(leftEncoded, decodeURIComponent);
}

/** Parsed by the driver, which knows sockets, `?host=` and PGHOST; it also reads the certificates. */
function hostOf(url: string): string {
  try {
    return new pg.Client({ connectionString: url }).host.toLowerCase();
  } catch (error) {
    const code = causeCode(error);
    if (code === "ERR_INVALID_URL" || code === "unknown") throw refused(unreadable);
    throw refused(`names a certificate or key that cannot be read (${code})`);
  }
}

/** True for a socket and for this machine. */
function isHere(host: string): boolean {
  if (host.startsWith("/") || host.startsWith("@") || host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

function refused(problem: string): Error {
  return fail("bad_setting", { variable: "DATABASE_URL", problem });
}
