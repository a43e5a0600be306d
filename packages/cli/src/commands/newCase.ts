/** `tendril new <id> --case`: writes the files of a new case into a clone of Tendril. The template measures a cantilever. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export function createCase(id: string | undefined, terminal: Terminal): number {
  if (id === undefined || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id))
    throw new UsageError(
      'the name of a case consists of lower-case letters, digits and hyphens: tendril new my-buckling --case',
    );
  if (!existsSync(join('cases', 'src', 'case.ts')))
    throw new UsageError('cases are part of the repository: run this in the root of a clone of Tendril');
  const folder = join('cases', id);
  if (existsSync(folder)) throw new UsageError(`'${folder}' exists and will not be overwritten; choose another name`);
  mkdirSync(folder);
  const name = id.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  writeFileAtomic(join(folder, 'case.ts'), code(id, name));
  writeFileAtomic(join(folder, 'README.md'), page(id));
  terminal.err(`wrote ${join(folder, 'case.ts')} and ${join(folder, 'README.md')}
next:
  add ${name} to cases/src/index.ts and cases/src/catalog.ts
  link cases/${id}/README.md in docs/validation.md
  npm run build && npx tendril check ${id}
  npm run results -- ${id}
`);
  return exitCode.done;
}

const code = (id: string, name: string): string => `import type { ModelId } from '@tendril-sim/core';
import type { SceneInput } from '@tendril-sim/io';
import { type Case, defineCase, equilibrium, nodeAt, worldOf } from '../src/case.ts';

/** A cantilever of length and bending stiffness 1 with a small force at its tip. */
const FORCE = 1e-3;

function scene(edges: number, model: ModelId = 'der'): SceneInput {
  return {
    tendril: 1,
    title: 'Cantilever with a force at its tip',
    rods: [
      {
        id: 'beam',
        model,
        shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
        edges,
        section: { type: 'stiffness', EI1: 1, GJ: 2 / 3, mass: 1, radius: 0.01 },
      },
    ],
    pins: [{ rod: 'beam', at: 'start' }],
    loads: [{ type: 'force', rod: 'beam', at: 'end', force: [0, 0, -FORCE] }],
    time: { duration: 2, step: 0.01 },
  };
}

export const ${name}: Case = defineCase({
  id: '${id}',
  title: 'Cantilever with a force at its tip',
  claim: 'A cantilever under a small force at its tip goes down by FL³/3EI.',
  group: 'classics',
  source: 'beam theory: the tip goes down by FL³/3EI',
  models: ['der'],
  quick: [20, 40],
  full: [20, 40, 80],
  scene: () => scene(40),
  measure(n, model) {
    const world = worldOf(scene(n, model));
    equilibrium(world);
    return { 'tip goes down by FL³/3EI times': -nodeAt(world, 0, -1)[2] / (FORCE / 3) };
  },
  expect: {
    'tip goes down by FL³/3EI times': { value: 1, tolerance: (n) => 1 / (n * n), order: 1.8 },
  },
});
`;

const page = (id: string): string => `# ${id}

**Claim.** A cantilever under a small force at its tip goes down by FL³/3EI.

**Source.** Beam theory.

**Parameters.** Lengths in units of the rod's length, stiffness EI = 1.

**Result.**

<!-- results -->
<!-- end of results -->
`;
