/** Warnings about rods that are valid but rarely intended, or that a rod model represents badly. */
import { hypot } from '../math/rounded/index.ts';
import type { Rod } from './compiled.ts';
import { gravityOf } from './loads.ts';
import type { RodSpec, Scene } from './types.ts';

/** Ratio of the stiffness of neighbouring half edges above which a taper is not resolved. */
const STEEPEST = 3;
/** Ratio of radius to length above which a body is not a rod. */
const THICKEST = 0.1;
/** Upper bound on the radius of real hair [m]. */
const THICKEST_HAIR = 2.5e-4;
const SHORTEST = 1e-6;
/** Strain under all loads above which a model without stretch is wrong by more than its documented error. */
const LARGEST_STRAIN = 0.01;

export function warnDoubtful(rod: Rod, spec: RodSpec, warnings: string[]): void {
  warnTaper(rod, warnings);
  warnThick(rod, spec, warnings);
  warnShort(rod, warnings);
}

/** Warns if the stiffness changes much within an edge: such an edge does not resolve it. */
function warnTaper({ id, halfEI1, halfGJ, closed }: Rod, warnings: string[]): void {
  let [worst, where] = [1, 0];
  for (const stiffness of [halfEI1, halfGJ])
    for (let k = closed ? 0 : 1; k < stiffness.length; k++) {
      const before = stiffness[(k + stiffness.length - 1) % stiffness.length];
      const ratio = Math.max(stiffness[k] / before, before / stiffness[k]);
      if (ratio > worst) [worst, where] = [ratio, k >> 1];
    }
  if (worst <= STEEPEST) return;
  warnings.push(
    `the stiffness of rod '${id}' changes by a factor of ${worst.toPrecision(3)} within half an edge (edge ${where}), as where it tapers to a point; displacements beyond can be off by tens of percent: use more edges, shorter ones there, or a tip that is less thin`,
  );
}

function warnThick({ id, edgeRadius, length }: Rod, { hair, section }: RodSpec, warnings: string[]): void {
  // a section that is given by its stiffness has a radius for contact and pictures alone
  if (typeof section === 'object' && section.type === 'stiffness') return;
  const radius = edgeRadius.reduce((a, b) => Math.max(a, b), 0);
  if (hair !== undefined && radius > THICKEST_HAIR)
    warnings.push(
      `rod '${id}' is hair of ${(2e3 * radius).toPrecision(3)} mm diameter; hair has 0.02 to 0.2 mm: check the unit of its section`,
    );
  else if (radius > THICKEST * length)
    warnings.push(
      `rod '${id}' is ${(2 * radius).toPrecision(3)} m thick and ${length.toPrecision(3)} m long; rods are at least five times as long as thick, or shear, which only cosserat has, matters: check the unit of its section`,
    );
}

/** Warns of rods whose initial shape is shorter than their rest length: they will buckle. One that is longer is under tension, like a string. */
function warnShort({ id, nodePosition: x, nodeCount, edgeCount, length }: Rod, warnings: string[]): void {
  let laid = 0;
  for (let j = 0; j < edgeCount; j++) {
    const [a, b] = [3 * j, 3 * ((j + 1) % nodeCount)];
    laid += hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
  }
  if (laid >= length * (1 - SHORTEST)) return;
  warnings.push(
    `rod '${id}' is laid ${(100 * (1 - laid / length)).toPrecision(3)} % shorter than its rest length of ${length.toPrecision(6)} m, so it starts compressed; make its shape longer, or change natural.length`,
  );
}

/** For models that do not stretch: warns if weight and constant forces, all pulling together, would stretch a rod noticeably. */
export function warnStretch(rods: readonly Rod[], scene: Scene, model: string, warnings: string[]): void {
  const [x, y, z] = gravityOf(scene);
  const g = hypot(x, y, z);
  for (const { id, nodeMass, edgeEA, length } of rods) {
    let pull = 0;
    for (const mass of nodeMass) pull += mass * g;
    for (const load of scene.loads ?? []) {
      if ((load.type !== 'force' && load.type !== 'distributed') || load.rod !== id) continue;
      const { force, factor = 1 } = load;
      if (typeof factor !== 'number') continue;
      const share = load.type === 'force' ? 1 : length * ((load.to ?? 1) - (load.from ?? 0));
      pull += Math.abs(factor) * share * hypot(...force);
    }
    const strain = pull / edgeEA.reduce((least, value) => Math.min(least, value), Infinity);
    if (strain > LARGEST_STRAIN)
      warnings.push(
        `rod '${id}' may stretch by up to ${(100 * strain).toPrecision(2)} % under its loads, and the model ${model} does not stretch; use der, or set inextensible: true`,
      );
  }
}
