import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An authority that signs certificates for servers, in a folder of the test's own. */
export type Authority = {
  readonly rootFile: string;
  readonly sign: (host: string) => Promise<{ key: string; certificate: string }>;
};

/** Makes an authority with openssl; null where that is missing. */
export async function ownAuthority(folder: string, name: string): Promise<Authority | null> {
  const at = (file: string) => path.join(folder, `${name}-${file}`);
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const openssl = (...args: string[]) => run("openssl", args);
  try {
    await openssl("version");
  } catch {
    return null;
  }
  await openssl(
    "req",
    "-x509",
    ...ec,
    "-days",
    "2",
    "-subj",
    `/CN=${name}`,
    "-keyout",
    at("root.key"),
    "-out",
    at("root.crt"),
  );
  return {
    rootFile: at("root.crt"),
    sign: async (host) => {
      const extensions = at("server.ext");
      await writeFile(extensions, `subjectAltName=${/^[\d.]+$/.test(host) ? "IP" : "DNS"}:${host}\n`);
      await openssl("req", ...ec, "-subj", `/CN=${host}`, "-keyout", at("server.key"), "-out", at("server.csr"));
      const signed = [
        "-CA",
        at("root.crt"),
        "-CAkey",
        at("root.key"),
        "-CAcreateserial",
        "-days",
        "2",
        "-extfile",
        extensions,
      ];
      await openssl("x509", "-req", "-in", at("server.csr"), ...signed, "-out", at("server.crt"));
      return { key: await readFile(at("server.key"), "utf8"), certificate: await readFile(at("server.crt"), "utf8") };
    },
  };
}
