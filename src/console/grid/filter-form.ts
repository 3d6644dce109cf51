import type { PartitionGroup } from "../../core/partition-group.ts";
import { html, type Html } from "../html.ts";
import { choice } from "../parts/form-fields.ts";
import { columnWidths } from "./columns.ts";
import type { GridInput } from "./filters.ts";

/** The numbers of days that the form offers. */
const spans = [30, 60, 90, 182, 365];

/** The form that chooses whose cells the grid shows, and which days. `all`: every existing row. */
export function filterForm(input: GridInput, all: readonly PartitionGroup[], names: ReadonlyMap<string, string>): Html {
  const each = (of: (group: PartitionGroup) => string | null) => [...new Set(all.flatMap((group) => of(group) ?? []))];
  const plain = (values: readonly string[]) => values.map((value) => [value, value] as const);
  return html`<form class="filters" method="get" action="/coverage">
    ${choice({ name: "dataset", label: "Dataset", value: input.dataset, all: "all" }, plain(each(({ dataset }) => dataset)))}
    ${choice({ name: "app", label: "App", value: input.app, all: "all" }, appOptions(all, names))}
    ${choice({ name: "country", label: "Country", value: input.country, all: "all" }, plain(each(({ country }) => country).sort()))}
    ${choice(
      { name: "days", label: "Days", value: String(input.days) },
      spans.map((days) => [String(days), `${days} days`]),
    )}
    <label>Up to<input type="date" name="to" value="${input.to}" /></label>
    ${choice(
      { name: "by", label: "Columns", value: input.by, all: "automatic" },
      columnWidths.map((one) => [one, `${one}s`]),
    )}
    <button class="button">Show</button>
  </form>`;
}

function appName(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} (${id.split(":")[0]})`;
}

function appOptions(all: readonly PartitionGroup[], names: ReadonlyMap<string, string>) {
  const ids = [...new Set(all.flatMap(({ store, trackId }) => (trackId === null ? [] : `${store}:${trackId}`)))];
  return ids.map((id) => [id, appName(id, names)] as const).sort(([, a], [, b]) => (a < b ? -1 : 1));
}
