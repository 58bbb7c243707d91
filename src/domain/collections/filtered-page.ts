import type { Members, Page, PageRequest, Records } from './records.ts';

interface Indexes<Index extends string> {
  /** The index for each member that can lead. The first one with a wanted value is used. */
  readonly leading: Readonly<Record<string, Index>>;
  readonly otherwise: Index;
}

/** A page of the records with certain members. @param wanted null and undefined match any value. */
export async function filteredPage<Item extends object, Index extends string>(
  records: Pick<Records<Item, Index>, 'page'>,
  { leading, otherwise }: Indexes<Index>,
  wanted: Members,
  request: Omit<PageRequest, 'where'>,
): Promise<Page<Item>> {
  const asked = Object.entries(wanted).filter(([, value]) => (value ?? null) !== null);
  const first = Object.entries(leading).find(([member]) => asked.some(([name]) => name === member));
  if (!first) return await records.page(otherwise, [], { ...request, where: Object.fromEntries(asked) });
  const [member, index] = first;
  const where = Object.fromEntries(asked.filter(([name]) => name !== member));
  return await records.page(index, [wanted[member] ?? null], { ...request, where });
}
