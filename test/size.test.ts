/**
 * Functions and files that are too long to read at once, and functions with so many parameters that a call cannot be read: there are some, and
 * their number, and the largest, may only fall. If this test fails, split what you have added to; if you have shortened something,
 * lower the limit. Inner kernels are exempt by name, with a reason. A longer list: `SIZES=1 npx vitest run test/size.test.ts`.
 */
import { expect, it } from 'vitest';
import { read, sources } from './files.ts';
import { listFunctions } from './size.ts';

// AssemblyScript, in the folders of kernels/, is written for the inner loop
const files = sources().filter(
  (file) => /^packages\/(\w+\/src\/|core\/kernels\/\w+\.ts$)/.test(file) && !file.includes('/generated/'),
);
const functions = files.flatMap((file) => listFunctions(file));

/** Functions of inner loops that may be longer than 60 lines, and why: by file and name. */
const longKernels: Readonly<Record<string, string>> = {
  'core/src/linalg/band.ts factorPiece':
    'the ten columns of a row are written out; a call per row costs a tenth of the solve',
  'core/src/linalg/bandRows.ts forwardBandTriple': 'three rows written out, so that the factor is read once',
  'core/src/models/der/joint.ts writeJoint': 'one formula, in registers: split, it and the next take a fifth longer',
  'core/src/models/der/joint.ts addCurvatureOfPrimitives': 'the same',
  'core/src/models/der/strain.ts rotationStrain': 'the same',
  'core/src/models/fiber/springs.ts addParts':
    'kernels/translate.ts makes lane code of it, which has no arrays of its own',
};

/**
 * Functions of inner loops that may take more than six parameters: arrays with an offset each, or coordinates one by one. An object per call would be
 * allocated up to a million times per step.
 */
const wideKernels: Readonly<Record<string, readonly string[]>> = {
  'core/src/contact/detect/edgePairs.ts': ['measureMoving'],
  'core/src/contact/detect/hashGrid.ts': ['meetHere'],
  'core/src/contact/detect/rodSweep.ts': ['findMeeting'],
  'core/src/contact/detect/sweptTree.ts': ['writePathBox', 'widenPathBox', 'holdsSegment', 'areSegmentsApart'],
  'core/src/contact/shapes/meshEdges.ts': ['pierces'],
  'core/src/contact/shapes/shape.ts': ['closestOfSegments'],
  'core/src/surface/triangle.ts': ['findNearest'],
  'core/src/contact/solve/contactsAtNodes.ts': ['countAtSide'],
  'core/src/contact/solve/gaussSeidel.ts': ['project'],
  'core/src/groom/wisps.ts': ['mixRotations', 'addTurned'],
  'core/src/kernels/copy.ts': ['interleave'],
  'core/src/linalg/band.ts': ['factorPiece'],
  'core/src/linalg/tridiagonal.ts': ['solveCyclicTridiagonal'],
  'core/src/math/rotationRates.ts': ['writeAngularAcceleration'],
  'core/src/math/vec3.ts': ['transport3'],
  'core/src/models/cosserat/joint.ts': ['measureRotation', 'writeRotationRate'],
  'core/src/models/cosserat/stage.ts': ['applyRightJacobian'],
  'core/src/models/der/contactSides.ts': ['readSides'],
  'core/src/models/der/elimination.ts': ['subtractRows'],
  'core/src/models/der/held.ts': ['addMixed'],
  'core/src/models/der/joint.ts': ['writeJoint'],
  'core/src/models/der/stage.ts': ['addEdgeStiffness', 'addEdgeBlock'],
  // lane code is made of these
  'core/src/models/fiber/springs.ts': [
    'pullTogether',
    'addParts',
    'addSpring',
    'addShear',
    'addFace',
    'addRingSpring',
    'predictFace',
    'predictRingSpring',
    'subtractInertia',
  ],
  'core/src/models/helix/blocks.ts': ['joinPoint'],
  'core/src/models/helix/gamma.ts': ['addSecondDerivative'],
  'core/src/models/helix/kinematics.ts': ['posePoint', 'writePointJacobians'],
  'core/src/models/helix/matrix3.ts': ['addTransposed33'],
  'core/src/models/massspring/step.ts': ['addDrag'],
  'core/src/models/strand/newton.ts': ['addToParent', 'addCarried'],
  'core/src/models/strand/places.ts': ['passOn'],
  'core/src/models/strand/sideMaps.ts': ['addWrench', 'readSide'],
  'core/src/models/strand/spatial.ts': ['bringMotion', 'addForce'],
  'core/src/models/strand/terms.ts': ['addGyroscopic'],
};
const fileOf = (file: string): string => file.replace(/^packages\//, '');
const isLongKernel = ({ file, name }: (typeof functions)[number]): boolean => `${fileOf(file)} ${name}` in longKernels;
const isWideKernel = ({ file, name }: (typeof functions)[number]): boolean =>
  wideKernels[fileOf(file)]?.includes(name) === true;

interface Limit {
  readonly what: string;
  readonly list: readonly (readonly [size: number, where: string])[];
  /** More than this is too much. */
  readonly above: number;
  /** How many there may be, and how large. */
  readonly count: number;
  readonly largest: number;
}

const at = ({ file, line, name }: (typeof functions)[number]): string => `${file}:${line} ${name}`;
const limits: readonly Limit[] = [
  {
    what: 'lines of a function',
    list: functions.filter((one) => !isLongKernel(one)).map((one) => [one.lines, at(one)]),
    above: 60,
    count: 0,
    largest: 60,
  },
  {
    what: 'parameters of a function',
    list: functions.filter((one) => !isWideKernel(one)).map((one) => [one.parameters, at(one)]),
    above: 6,
    count: 0,
    largest: 6,
  },
  {
    what: 'lines of a file',
    list: files.map((file) => [read(file).split('\n').length - 1, file]),
    above: 400,
    count: 0,
    largest: 400,
  },
];

it.each(limits)('$what', ({ what, list, above, count, largest }) => {
  const large = list.filter(([size]) => size > above).sort(([a], [b]) => b - a);
  const shown = large.slice(0, process.env.SIZES ? large.length : 10).map(([size, where]) => `${size} ${where}`);
  if (process.env.SIZES) console.log(`${large.length} with more than ${above} ${what}\n${shown.join('\n')}`);
  expect(large.length, shown.join('\n')).toBeLessThanOrEqual(count);
  expect(large[0]?.[0] ?? 0, shown.join('\n')).toBeLessThanOrEqual(largest);
});

it('exempts only kernels that need it', () => {
  const named = [
    ...Object.keys(longKernels),
    ...Object.entries(wideKernels).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
  ];
  const needed = functions
    .filter((one) => (isLongKernel(one) && one.lines > 60) || (isWideKernel(one) && one.parameters > 6))
    .map(({ file, name }) => `${fileOf(file)} ${name}`);
  expect(named.filter((one) => !needed.includes(one))).toEqual([]);
});

it('counts what it says', () => {
  const text = 'const f = (a: number, b: number): number =>\n  a + b;\nexport function g(): void {\n  // nothing\n}\n';
  expect(listFunctions('x.ts', text)).toEqual([
    { file: 'x.ts', line: 1, name: 'f', lines: 2, parameters: 2 },
    { file: 'x.ts', line: 3, name: 'g', lines: 3, parameters: 0 },
  ]);
});
