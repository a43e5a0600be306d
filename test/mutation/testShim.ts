/**
 * Stands in for `vitest` in the bundles of mutation testing: collects tests, runs the quickest first and stops at the first failure.
 *
 * MUTATION_TIMES names a file with the CPU time of each test [ms]; tests beyond MUTATION_SECONDS of such time are left out. With MUTATION_OUT the
 * run is one without a mutant: it goes on after a failure, and that file gets times and failures. Exit code 1: a test failed.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
  setState,
} from '@vitest/expect';
import * as chai from 'chai';

chai.use(JestExtend);
chai.use(JestChaiExpect);
chai.use(JestAsymmetricMatchers);

type Expect = (value: unknown, message?: string) => unknown;
const plain: Expect = (value, message) => chai.expect(value, message);
export const expect: Expect = Object.assign(
  plain,
  chai.expect,
  (globalThis as Record<symbol, object>)[ASYMMETRIC_MATCHERS_OBJECT],
);
setState({ assertionCalls: 0 }, expect as Parameters<typeof setState>[1]);

type Body = (...values: never[]) => unknown;
interface Group {
  readonly name: string;
  readonly before: (() => unknown)[];
  readonly parent?: Group;
  ready: boolean;
}
interface Test {
  readonly name: string;
  readonly group: Group;
  readonly body: () => unknown;
}

let group: Group = { name: '', before: [], ready: false };
const tests: Test[] = [];

/** Adds `each`, `runIf` and the like to a function that takes a name and a body. */
function withForms<T extends (name: string, body: () => unknown) => void>(add: T) {
  const each =
    (table: readonly unknown[]) =>
    (name: string, body: Body): void => {
      table.forEach((row, k) => {
        add(`${name} #${k}`, () => body(...((Array.isArray(row) ? row : [row]) as never[])));
      });
    };
  const nothing = Object.assign((): void => {}, { each: () => (): void => {} });
  const forms = Object.assign(add, { each, skip: nothing });
  return Object.assign(forms, {
    runIf: (condition: unknown) => (condition ? forms : nothing),
    skipIf: (condition: unknown) => (condition ? nothing : forms),
  });
}

export const describe = withForms((name: string, body: () => unknown): void => {
  const outer = group;
  group = { name: `${outer.name}/${name}`, before: [], parent: outer, ready: false };
  body();
  group = outer;
});
export const it = withForms((name: string, body: () => unknown): void => {
  tests.push({ name: `${group.name}/${name}`, group, body });
});
export const test: typeof it = it;
export const beforeAll = (body: () => unknown): void => void group.before.push(body);
export const afterAll = (): void => {};

async function prepare(one: Group | undefined): Promise<void> {
  if (!one || one.ready) return;
  await prepare(one.parent);
  for (const body of one.before) await body();
  one.ready = true;
}

interface Times {
  readonly [name: string]: number;
}

/** Runs what was collected; the bundle calls it after its last test file. */
export async function runCollected(): Promise<void> {
  const { MUTATION_TIMES: known = '', MUTATION_SECONDS: most = 'Infinity', MUTATION_OUT: out } = process.env;
  const times: Times = existsSync(known) ? (JSON.parse(readFileSync(known, 'utf8')) as { times: Times }).times : {};
  const measured: Record<string, number> = { ...times };
  const failures: string[] = [];
  let expected = 0;
  for (const one of [...tests].sort((a, b) => (times[a.name] ?? 0) - (times[b.name] ?? 0))) {
    expected += times[one.name] ?? 0;
    if (expected > 1000 * Number(most)) break;
    const start = process.cpuUsage();
    try {
      await prepare(one.group);
      await one.body();
    } catch (error) {
      if (!out) process.exit(1);
      failures.push(`${one.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
    const { user, system } = process.cpuUsage(start);
    measured[one.name] = (user + system) / 1000;
  }
  if (out) writeFileSync(out, JSON.stringify({ times: measured, failures }));
  process.exit(failures.length > 0 ? 1 : 0);
}
