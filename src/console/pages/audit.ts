import { z } from "zod";
import type { Database } from "../../postgres/database.ts";
import { sql } from "../../postgres/sql.ts";
import { countOf } from "../../core/words.ts";
import { definePage } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { stateBadge } from "../parts/badge.ts";
import { dataTable } from "../parts/table.ts";
import { timeElement } from "../parts/times.ts";
import { pageHead } from "../parts/head.ts";
import { pageAddress } from "../parts/address.ts";
import { LedgerId } from "../parse-input.ts";

/** Who did what in the console, from where, and at which price. */
export const auditPage = definePage({
  path: "/audit",
  title: "Actions",
  role: "operator",
  live: true,
  input: z.object({ limit: z.coerce.number().int().min(1).max(1_000).default(100), before: LedgerId.optional() }),
  examples: ["/audit"],
  show: async ({ read, now }, { limit, before }) => {
    // one more than is shown: it says whether there are others
    const found = await read(`audit ${limit} ${before}`, (db) => readAudit(db, { most: limit + 1, before }));
    const actions = found.slice(0, limit);
    return html`${pageHead("Actions", html`Who did what here, from where, and at which agreed price. See also <code>ops.audit_log</code>.`)}
      <section class="card" id="actions">
        ${
          actions.length === 0
            ? html`<p class="muted">No actions yet.</p>`
            : dataTable(
                "Actions, newest first",
                [
                  { heading: "When", cell: (one) => timeElement(one.at, now) },
                  {
                    heading: "Who",
                    cell: (one) =>
                      html`${one.name}<br /><span class="muted small"
                          >${one.role ?? ""} by ${one.by}, ${one.from}</span
                        >`,
                  },
                  { heading: "What", cell: (one) => one.action },
                  { heading: "About", cell: (one) => wrapped(aboutText(one.subject)) },
                  { heading: "Outcome", cell: (one) => stateBadge(one.outcome) },
                  { heading: "Credits", isNumber: true, cell: (one) => one.credits },
                  {
                    heading: "Result",
                    cell: (one) => wrapped(one.note, one.endedAt === null ? null : timeElement(one.endedAt, now)),
                  },
                ],
                actions,
              )
        }${found.length > limit ? olderLink(actions, limit) : null}
      </section>`;
  },
});

function olderLink(actions: readonly AuditLine[], limit: number): Html {
  const address = pageAddress("/audit", { limit: String(limit), before: actions.at(-1)?.id ?? "" });
  return html`<p>${countOf(actions.length, "action")} shown. <a href="${address}">Older ones</a></p>`;
}

const longestAbout = 120;
/** A change of keywords may name thousands. */
const mostRead = 500;

/** The fields of a form that were filled in, as text. */
function aboutText(subject: string): string {
  let fields: unknown;
  try {
    fields = JSON.parse(subject);
  } catch {
    // a long one is cut off
    return subject.slice(0, longestAbout);
  }
  const filled = Object.entries(fields as object).filter(([, value]) => value !== null && String(value) !== "");
  return filled
    .map(([name, value]) => `${name} ${[value].flat().join(", ")}`)
    .join(", ")
    .slice(0, longestAbout);
}

/** A text that takes several lines of its cell. */
function wrapped(text: string, when: Html | null = null): Html | null {
  if (text === "" && when === null) return null;
  return html`<span class="wrap"
    >${text}${when === null ? null : html` <span class="muted small">${when}</span>`}</span
  >`;
}

type AuditLine = {
  readonly id: string;
  readonly at: Date;
  readonly name: string;
  readonly role: string | null;
  readonly by: string;
  readonly from: string;
  readonly action: string;
  readonly subject: string;
  readonly credits: number;
  readonly outcome: string;
  readonly note: string;
  readonly endedAt: Date | null;
};

async function readAudit(
  db: Database,
  { most, before }: { readonly most: number; readonly before: string | undefined },
): Promise<readonly AuditLine[]> {
  const { rows } = await sql<AuditLine>`
    select audit_id::text as id, acted_at as at, user_name as name, user_role as role, signed_in_by as by, from_address as "from", action, left(subject, ${mostRead}) as subject, credits, outcome,
           note,
           ended_at as "endedAt"
    from   ops.audit_log
    where  audit_id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order  by audit_id desc
    limit  ${most}`.execute(db);
  return rows;
}
