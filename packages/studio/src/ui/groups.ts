/** Cases by the paper they come from. */

interface Group {
  readonly title: string;
  readonly test: RegExp;
}

const groups: readonly Group[] = [
  { title: 'Discrete elastic rods · Bergou 2008', test: /bergou/i },
  { title: 'Super-helices · Bertails 2006', test: /bertails|super-?heli/i },
  { title: 'Oriented strands · Hadap 2006', test: /hadap|oriented strand/i },
  { title: 'Stiff fibers', test: /fiber|fibre/i },
  { title: 'Cosserat rods', test: /cosserat|pyelastica|gazzola|spillmann/i },
  { title: 'Hair and mass-springs', test: /selle|mass-?spring|plante|choe/i },
  { title: 'Contact and knots', test: /capstan|knot|plectoneme|friction|contact/i },
  { title: 'Laws that must hold', test: /conservation|definition of order|rigid motions|invariant/i },
];

const classics = 'Classical theory';
const order = [classics, ...groups.map(({ title }) => title)];

export function groupOf(source: string): string {
  return groups.find(({ test }) => test.test(source))?.title ?? classics;
}

export function byGroup<T extends { readonly source: string }>(items: readonly T[]): { title: string; items: T[] }[] {
  return order
    .map((title) => ({ title, items: items.filter((item) => groupOf(item.source) === title) }))
    .filter((group) => group.items.length > 0);
}
