/**
 * Mutation testing of the physics: changes one operator, sign, factor or comparison at a time and runs the nearest tests.
 *
 *   npm run mutate [-- --sample 10 --seed 1 --file models/der/energy.ts]
 *
 * Takes `sample` random mutants per file (all with 0) of models/<id>/energy.ts, models/<id>/kinematics.ts and contact/solve. Works in a copy of the
 * repository in node_modules/.cache, so a run that is interrupted leaves the sources alone. Prints survivors and the share killed.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMutants, type Mutant } from './mutants.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string' },
  },
});

const src = 'packages/core/src';
const models = ['cosserat', 'der', 'fiber', 'helix', 'massspring', 'strand'];
const contactFiles = readdirSync(join(src, 'contact/solve')).filter((name) => name.endsWith('.ts'));
const files = [
  ...models.flatMap((model) => ['energy.ts', 'kinematics.ts'].map((name) => `models/${model}/${name}`)),
  ...contactFiles.map((name) => `contact/solve/${name}`),
].filter((file) => file.includes(values.file ?? ''));

/** Tests nearest to a file: those of its folder, and the conservation laws that hold for every model. */
function testsFor(file: string): string[] {
  const [, name] = file.split('/');
  const folder = file.startsWith('contact') ? 'packages/core/test/contact' : `packages/core/test/${name}`;
  const shared = file.startsWith('contact') ? [] : ['test/repro/order.test.ts', 'packages/core/test/world.test.ts'];
  return [folder, ...shared].filter((path) => existsSync(path));
}

const copy = join(process.cwd(), 'node_modules/.cache/mutation');
rmSync(copy, { recursive: true, force: true });
mkdirSync(copy, { recursive: true });
for (const path of ['packages', 'cases', 'test', 'vitest.config.ts', 'package.json', 'tsconfig.base.json'])
  cpSync(path, join(copy, path), { recursive: true, filter: (from) => !/node_modules$/.test(from) });
symlinkSync(join(process.cwd(), 'node_modules'), join(copy, 'node_modules'));

/** Whether the tests notice it; a mutant that hangs is noticed. */
function isKilled(mutant: Mutant, text: string): boolean {
  const path = join(copy, src, mutant.file);
  writeFileSync(path, text.slice(0, mutant.start) + mutant.after + text.slice(mutant.end));
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--reporter=dot', ...testsFor(mutant.file)],
    { cwd: copy, timeout: 120_000, killSignal: 'SIGKILL' },
  );
  writeFileSync(path, text);
  return status !== 0;
}

let state = Number(values.seed) >>> 0;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};
const sample = Number(values.sample);
const survivors: Mutant[] = [];
let tried = 0;
for (const file of files) {
  const text = readFileSync(join(src, file), 'utf8');
  const mutants = findMutants(file, text);
  if (mutants.length === 0) continue;
  const chosen = sample > 0 ? mutants.sort(() => random() - 0.5).slice(0, sample) : mutants;
  const alive = chosen.filter((mutant) => !isKilled(mutant, text));
  tried += chosen.length;
  survivors.push(...alive);
  console.log(`${file}: ${chosen.length - alive.length} of ${chosen.length} killed, ${mutants.length} mutants in all`);
  for (const { line, before, after } of alive) console.log(`  survived: line ${line}: ${before} → ${after}`);
}
const share = ((100 * (tried - survivors.length)) / tried).toFixed(0);
console.log(`\n${tried - survivors.length} of ${tried} killed: ${share} %`);
