/** Imports point one way, models do not know each other, and core depends on nothing. */
import { describe, expect, it } from 'vitest';
import { filesBelow, importsOf, read, resolveImport, sources } from './files.ts';

const core = 'packages/core/src/';

/** Layers of core, lowest first; a file may import from its own layer's folder and from those that are named. */
const layers: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  // numbers that solvers share with kernels
  constants: [],
  // quantities along a rod: names, places, units
  channels: [],
  math: [],
  linalg: ['constants', 'math'],
  curve: ['math', 'linalg'],
  // triangle meshes by themselves: repaired, closed
  surface: ['math', 'errors'],
  // rigid bodies by themselves: poses, rotations, inertia
  bodies: ['math', 'linalg', 'errors'],
  // observers know the world, as a type
  observe: ['channels', 'math', 'errors', 'port', 'model', 'scene', 'world', 'balance'],
  // the port and what a model is: types alone, and the scene's types with them
  port: ['scene'],
  model: [
    'channels',
    'readings',
    'port',
    'contactPort',
    'restPort',
    'stepPort',
    'breakPort',
    'scene',
    'bodies',
    'models/capabilities.ts',
  ],
  contactPort: ['port', 'model'],
  restPort: ['model', 'port'],
  stepPort: [],
  breakPort: [],
  // energy balance of rods, from samples and loads
  balance: ['port', 'scene'],
  fields: ['math', 'errors', 'port', 'scene'],
  // of threads, the interface that contact calls and nothing else; of models, their table and copies of whole states
  contact: [
    'constants',
    'statics',
    'models/registry.ts',
    'models/stateParts.ts',
    'math',
    'linalg',
    'curve',
    'errors',
    'port',
    'breakPort',
    'model',
    'scene',
    'bodies',
    'surface',
    'threads/contactThreads.ts',
  ],
  // of models, the table of their ids, options and capabilities
  scene: ['channels', 'math', 'linalg', 'curve', 'errors', 'fields', 'bodies', 'port', 'model', 'models/registry.ts'],
  // grooming stands on the models' tools, and nothing stands on it
  groom: ['surface', 'contact/shapes/mesh.ts', 'math', 'curve', 'errors', 'scene', 'models'],
  // policy of equilibrium searches, shared by the models
  statics: ['math', 'linalg', 'port', 'model'],
  // constitutive laws of sections
  materials: ['math', 'errors', 'scene'],
  models: [
    'materials',
    'channels',
    'constants',
    'math',
    'linalg',
    'curve',
    'errors',
    'port',
    'model',
    'scene',
    'bodies',
    'balance',
    'statics',
  ],
};

/** The first folder below src, or the file's own name. */
function layerOf(path: string): string {
  return path.slice(core.length).split('/')[0].replace(/\.ts$/, '');
}

/** Files that import each other, directly or through others: strongly connected components (Tarjan), each sorted. */
function findCycles(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    let low = order.size;
    order.set(file, low);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!imports.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) as number);
    }
    if (low !== order.get(file)) return low;
    const members = stack.splice(stack.indexOf(file));
    if (members.length > 1) cycles.push(members.sort());
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

describe('core', () => {
  const files = filesBelow('packages/core/src', /\.ts$/);

  it('imports nothing from outside', () => {
    const outside = files.flatMap((path) =>
      importsOf(path)
        .filter((name) => !name.startsWith('.') || !resolveImport(path, name).startsWith(core))
        .map((name) => `${path} imports ${name}`),
    );
    expect(outside).toEqual([]);
  });

  it('has no dependency', () => {
    const manifest = JSON.parse(read('packages/core/package.json'));
    expect({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }).toEqual({});
  });

  it('imports from lower layers only', () => {
    const wrong = files.flatMap((path) => {
      const from = layerOf(path);
      const allowed = layers[from];
      // what is not named here stands above all layers: world.ts, index.ts and other entries
      if (!allowed) return [];
      return importsOf(path)
        .map((name) => resolveImport(path, name))
        .filter((target) => layerOf(target) !== from && !allowed.includes(layerOf(target)))
        .filter((target) => !allowed.includes(target.slice(core.length)))
        .map((target) => `${path} imports ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no import cycle of more than three files, types included', () => {
    const cycles = findCycles(
      new Map(files.map((path) => [path, importsOf(path).map((name) => resolveImport(path, name))])),
    );
    expect(cycles.filter(({ length }) => length > 3)).toEqual([]);
    expect(
      findCycles(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a', 'd']],
          ['d', []],
        ]),
      ),
    ).toEqual([['a', 'b', 'c']]);
  });

  it('has no circle but of types', () => {
    const above: Readonly<Record<string, RegExp>> = {
      port: /scene\//,
      model: /scene\//,
      fields: /scene\//,
      observe: /world/,
    };
    const wrong = files.flatMap((path) =>
      [...read(path).matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']*)'/gm)]
        .filter(([, name]) => above[layerOf(path)]?.test(name))
        .map(([line]) => `${path}: ${line}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has models that do not import each other', () => {
    const modelOf = (path: string): string | undefined => /models\/([^/]+)\//.exec(path)?.[1];
    const wrong = files
      .filter((path) => modelOf(path))
      .flatMap((path) =>
        importsOf(path)
          .map((name) => resolveImport(path, name))
          .filter((target) => modelOf(target) !== undefined && modelOf(target) !== modelOf(path))
          .map((target) => `${path} imports ${target}`),
      );
    expect(wrong).toEqual([]);
  });
});

describe('packages', () => {
  /** Which package may use which; the order is the direction. */
  const uses: Readonly<Record<string, readonly string[]>> = {
    'packages/core': [],
    'packages/io': ['@tendril-sim/core'],
    'packages/bridge': ['@tendril-sim/core'],
    cases: ['@tendril-sim/core', '@tendril-sim/io'],
    'packages/sweep': ['@tendril-sim/core', '@tendril-sim/io', '@tendril-sim/cases', '@tendril-sim/bridge'],
    'packages/cli': [
      '@tendril-sim/core',
      '@tendril-sim/io',
      '@tendril-sim/cases',
      '@tendril-sim/bridge',
      '@tendril-sim/sweep',
    ],
    'packages/studio': ['@tendril-sim/core', '@tendril-sim/io', '@tendril-sim/cases', '@tendril-sim/bridge'],
    benchmarks: ['@tendril-sim/core', '@tendril-sim/io', '@tendril-sim/cases'],
  };

  it('import each other in one direction', () => {
    const wrong = sources().flatMap((path) => {
      const owner = Object.keys(uses).find((name) => path.startsWith(`${name}/`)) as string;
      return importsOf(path)
        .filter((name) => /^@tendril-sim\//.test(name))
        .filter((name) => !uses[owner].some((allowed) => name === allowed || name.startsWith(`${allowed}/`)))
        .map((name) => `${path} imports ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  it('do not reach into each other by relative paths', () => {
    const wrong = sources().flatMap((path) => {
      const owner = Object.keys(uses).find((name) => path.startsWith(`${name}/`)) as string;
      return (
        importsOf(path)
          .filter((name) => name.startsWith('.') && !resolveImport(path, name).startsWith(`${owner}/`))
          // inner loops that core does not export, for the benchmarks alone
          .filter((name) => !(owner === 'benchmarks' && name.endsWith('core/dist/benchmark.d.ts')))
          .map((name) => `${path} imports ${name}`)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('keep Node out of what @tendril-sim/io gives to browsers', () => {
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const name of importsOf(path)) if (name.startsWith('.')) visit(resolveImport(path, name));
    };
    visit('packages/io/src/index.ts');
    expect(reached.size).toBeGreaterThan(5);
    const wrong = [...reached].flatMap((path) =>
      importsOf(path)
        .filter((name) => name.startsWith('node:'))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});
