/** Cases by the groups that they name. */
import { type CaseGroup, caseGroups } from '@tendril-sim/cases/groups';

export function byGroup<T extends { readonly group: CaseGroup }>(items: readonly T[]): { title: string; items: T[] }[] {
  return (Object.keys(caseGroups) as CaseGroup[])
    .map((group) => ({ title: caseGroups[group], items: items.filter((item) => item.group === group) }))
    .filter(({ items }) => items.length > 0);
}
