/** Names of solver options are frozen: what means the same has the same name and form in every model. */
import { expect, it } from 'vitest';
import type { OptionField, Words } from '../../src/models/optionFields.ts';
import { modelOptions } from '../../src/models/registry.ts';

const options = Object.entries(modelOptions).flatMap(([model, fields]) =>
  Object.entries(fields as Readonly<Record<string, OptionField>>).map(([name, field]) => ({ model, name, field })),
);
const named = (wanted: string): typeof options => options.filter(({ name }) => name === wanted);

it('options of the same name have the same form', () => {
  for (const { name, field, model } of options)
    expect(
      named(name).map((one) => one.field.kind),
      `${model}.${name}`,
    ).toEqual(named(name).map(() => field.kind));
});

it('every model has iterations, and a tolerance unless it balances energy instead', () => {
  expect(named('iterations').map(({ model }) => model)).toEqual(Object.keys(modelOptions));
  expect(named('tolerance').map(({ model }) => model)).toEqual(
    Object.keys(modelOptions).filter((model) => model !== 'massspring'),
  );
});

it('one word per integrator: words that only one model has are schemes that only it has', () => {
  const counts = new Map<string, number>();
  for (const { field } of named('integrator'))
    for (const word of (field as Words).words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 1).map(([word]) => word);
  expect(shared.sort()).toEqual(['bdf2', 'implicit-euler', 'midpoint', 'tr-bdf2']);
  const own = [...counts].filter(([, count]) => count === 1).map(([word]) => word);
  expect(own.sort()).toEqual([
    'deti',
    'deti-r',
    'energy-momentum',
    'fast-projection',
    'semi-implicit',
    'shake',
    'verlet',
  ]);
});

it('no former name is a current one', () => {
  for (const { field, name } of options) {
    const former = 'former' in field ? Object.keys(field.former ?? {}) : [];
    for (const { field: other } of named(name))
      if (other.kind === 'words') expect(other.words.filter((word) => former.includes(word))).toEqual([]);
    if (field.formerName !== undefined) expect(named(field.formerName)).toEqual([]);
  }
});
