import type { Scope } from "./slice.ts";

/**
 * The partitions of one dataset that share store, app and country; null if the dataset is not about an app, or does not distinguish
 * countries.
 */
export type PartitionGroup = {
  readonly dataset: string;
  readonly store: string | null;
  readonly trackId: string | null;
  readonly country: string | null;
};

/** Apps (track ids or `store:trackId`) and countries that coverage is limited to; empty lists mean all. */
export type NamedScopes = { readonly apps: readonly string[]; readonly countries: readonly string[] };

/** The group to which a scope of a dataset belongs. */
export function groupOf(dataset: string, scope: Scope): PartitionGroup {
  return {
    dataset,
    store: scope["store"] ?? null,
    trackId: scope["app"] ?? null,
    country: scope["country"] ?? null,
  };
}

/** A group as one text: equal groups have equal keys. */
export function groupKey({ dataset, store, trackId, country }: PartitionGroup): string {
  return JSON.stringify([dataset, store, trackId, country]);
}

/** True for the scopes of a dataset that belong to one of the groups, and for all scopes if no group names the dataset. */
export function inGroups(dataset: string, groups: readonly PartitionGroup[]): (scope: Scope) => boolean {
  const own = new Set(groups.filter((group) => group.dataset === dataset).map(groupKey));
  return (scope) => own.size === 0 || own.has(groupKey(groupOf(dataset, scope)));
}
