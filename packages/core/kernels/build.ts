/**
 * Builds the kernels: formulas of the reference → AssemblyScript → WebAssembly → a module that holds it as text, which
 * works the same in Node, in a browser and in a bundle.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MixingNumbers, writeLaneKernels } from './laneKernels.ts';
import type { LaneDescription, LaneVariant, SweepLayout } from './laneLayout.ts';
import { readContext } from './laneTranslate.ts';
import { type Constants, type Description, runModule, writeShared } from './shared.ts';
import { type Flat, type Source, translate } from './translate.ts';
import { sweepSources, translateToWgsl } from './wgsl.ts';

const core = join(process.cwd(), 'packages/core');
const read = (file: string): string => readFileSync(join(core, file), 'utf8');
const source = (file: string, functions: string[], within: string[] = []): Source => ({
  file,
  text: read(file),
  functions,
  within,
});

/** Lines of a file that stand in the middle of a loop there, because a call would cost too much, as a function. */
const region = (file: string, name: string, parameters: string, value: string): Source => {
  const found = new RegExp(`// #region ${name}\\b.*\\n([\\s\\S]*?)// #endregion`).exec(read(file));
  if (!found) throw new Error(`${file} has no region ${name}`);
  return { file, text: `function ${name}(${parameters}): number {\n${found[1]}return ${value};\n}`, functions: [name] };
};

/** A joint inside the rod, with and without its matrix and its damping: its work space is in variables. */
const joint = (name: string, matrix: number, viscous: number): Flat => ({
  name,
  from: 'addJoint',
  given: { matrix, viscous },
  scalars: ['strainIn', 'strainOut', 'D', 'H', 'P', 'gradient8', 'rate'],
});

/** A formula of fibers, arrays given from the cuboid or ring on that is meant, for the matrix of a step. */
const spring = (from: string): Flat => ({
  name: from,
  from,
  given: { b: 0, r: 0, n: 0, at: 0, place: 0, exact: 0, pulling: 0, matrix: 1 },
  scalars: ['ringRate', 'axes'],
});
const springs = ['addFace', 'addRingSpring', 'turnOf', 'predictFace', 'predictRingSpring', 'subtractInertia'];
const ringMatrix = ['addRingMass', 'addRingCoupling', 'addRingDrag'];

const formulas = translate(
  [
    source('src/math/vec3.ts', ['dot3', 'transport3', 'angleAbout3']),
    region(
      'src/linalg/band.ts',
      'reduceRow',
      'lower: Float64Array, row: number, band: Float64Array, source: number',
      'loss',
    ),
    source('src/models/der/strain.ts', ['rotationStrain']),
    source('src/models/der/joint.ts', ['writeJoint', 'addCongruence', 'addCurvatureOfPrimitives']),
    source('src/models/der/damping.ts', ['addViscous']),
    source('src/models/der/energy.ts', ['addNodeBlock', 'writeGradient']),
    source('src/models/der/stage.ts', ['addEdgeBlock']),
    source('src/models/der/kinematics.ts', ['turnFrame']),
    source('kernels/assembly/recipes.ts', ['addJoint', 'turnBetween', 'multiplyRow', 'subtractColumn', 'invertRow']),
    source(
      'src/models/fiber/springs.ts',
      [...springs, ...ringMatrix],
      [
        'writeAxes',
        'pullTogether',
        'addParts',
        'addSpring',
        'tensionOf',
        'pullOf',
        'addShear',
        'addShearMatrix',
        'stretchOf',
      ],
    ),
  ],
  [
    joint('addJointGradient', 0, 0),
    joint('addJointMatrix', 1, 0),
    joint('addViscousGradient', 0, 1),
    joint('addViscousMatrix', 1, 1),
    { name: 'turnBetween', from: 'turnBetween', scalars: ['scratch'] },
    { name: 'carryDirector', from: 'transport3', given: { o: 0, i: 0, j: 0, k: 0 }, scalars: [] },
    { name: 'turnFrame', from: 'turnFrame', given: { o: 0 }, scalars: [] },
    { name: 'addEdgeBlock', from: 'addEdgeBlock', given: { d: 0 }, scalars: [] },
    { name: 'multiplyRow', from: 'multiplyRow', scalars: [] },
    { name: 'subtractColumn', from: 'subtractColumn', scalars: [] },
    ...[...springs, ...ringMatrix].map(spring),
    { name: 'invertRow', from: 'invertRow', scalars: [] },
  ],
);
const note = '// Made by kernels/build.ts from the sources of the model: do not edit.\n';
const laneImports = "import { add, angle, cos, div, mul, sin, sub, writeAngleRatio } from './lanes';\n\n";
writeFileSync(join(core, 'kernels/assembly/generated.ts'), `${note}${laneImports}${formulas}`);

const constants = (await runModule(read('src/constants.ts'))) as Constants;
const description = (await runModule(read('src/kernels/description.ts'))) as Description;
writeFileSync(join(core, 'kernels/assembly/shared.ts'), `${note}\n${writeShared(constants, description)}`);

const made = join(core, 'kernels/dist');
mkdirSync(made, { recursive: true });
const options = [
  '--enable',
  'simd',
  '--runtime',
  'stub',
  '--importMemory',
  '--noAssert',
  '-O3',
  ...(process.env.NAMES ? ['--debug'] : []),
];
const limits = ['--initialMemory', '1', '--uncheckedBehavior', 'always', '--use', 'abort=', '--disableWarning', '112'];
const compiler = join(process.cwd(), 'node_modules/assemblyscript/bin/asc.js');
/** Digest of everything that a module of kernels is made from. */
const digestOf = (folder: string): string => {
  const hash = createHash('sha256').update(JSON.stringify([options, limits]));
  hash.update(readFileSync(join(process.cwd(), 'node_modules/assemblyscript/package.json')));
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex');
};
/** Compiles a folder of kernels and writes the module that holds them, unless the last build made it from the same sources. */
const compile = (from: string, name: string, folder: string, file: string): void => {
  const [wasm, stamp] = [join(made, `${name}.wasm`), join(made, `${name}.digest`)];
  const target = join(core, folder, file);
  const digest = digestOf(join(core, from));
  if (existsSync(target) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  rmSync(stamp, { force: true });
  const entry = join(core, from, 'index.ts');
  execFileSync(process.execPath, [compiler, entry, '-o', wasm, ...options, ...limits], { stdio: 'inherit' });
  mkdirSync(join(core, folder), { recursive: true });
  const text = readFileSync(wasm).toString('base64');
  writeFileSync(target, `${note}export const ${name}Wasm: string =\n  '${text}';\n`);
  writeFileSync(stamp, digest);
};
compile('kernels/assembly', 'der', 'src/kernels/generated', 'der.ts');

const batch = (file: string): { file: string; text: string } => ({ file, text: read(`src/batch/${file}`) });
const wgsl = translateToWgsl(sweepSources.map(batch), {
  strand: batch('strand.ts'),
  layout: batch('layout.ts'),
});
mkdirSync(join(core, 'src/batch/generated'), { recursive: true });
writeFileSync(
  join(core, 'src/batch/generated/sweeps.ts'),
  `${note}export const sweepsWgsl: string = ${JSON.stringify(wgsl)};\n`,
);

const laneSources = [...sweepSources, 'pairList.ts', 'layout.ts'];
const laneVariants = [false, true].flatMap((damped): LaneVariant[] => {
  const suffix = damped ? 'Damped' : 'Plain';
  const common = { type: 'f32x4', damped, exact: false, contact: false } as const;
  return [
    { ...common, suffix },
    { ...common, suffix: `${suffix}Exact`, exact: true },
    { ...common, suffix: `${suffix}Contact`, contact: true },
  ];
});
const laneKernels = writeLaneKernels(
  readContext(laneSources.map(batch)),
  laneVariants,
  (await runModule(read('src/batch/simd/description.ts'))) as LaneDescription,
  (await runModule(read('src/batch/layout.ts'))) as SweepLayout,
  (await runModule(read('src/batch/mixingNumbers.ts'))) as MixingNumbers,
);
writeFileSync(join(core, 'kernels/batch/generated.ts'), `${note}\n${laneKernels}`);
compile('kernels/batch', 'batch', 'src/batch/generated', 'kernels.ts');
