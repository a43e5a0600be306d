/**
 * Width and mass of the scaffold.
 *
 * Four particles are at the corners of a rectangle a1 × a2 about each node. Four longitudinal springs k a cuboid of length l
 * make EI1 = k l a2² and EI2 = k l a1², so a1/a2 = √(EI2/EI1) and k = EI1/(l a2²): both bending stiffnesses are exact for any
 * width. What depends on the width is EA = 4 EI/a² and the rotary inertia. The width of the section itself, a = 2√(EI/EA) (half
 * the diameter of a round rod), makes EA exact, but a hair then has frequencies of 1e8 rad/s and a condition number of 4e15.
 * `inflated` takes the largest width that keeps the strain under the loads below 1e-3, and no more than a quarter of a cuboid,
 * because beyond that shear costs more accuracy than the mesh; for a curl it takes at most a tenth of the radius. If the initial shape
 * or the pins give a rod another length than its rest length, the scaffold has the width of the section, because EA decides the tension.
 */

import { SceneError } from '../../errors.ts';
import { hypot, pow } from '../../math/rounded/index.ts';
import type { Drive } from '../../model.ts';
import { createLoads, createSamples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { isStretched } from '../../scene/stretched.ts';
import type { Scene } from '../../scene/types.ts';
import type { FiberOptions } from './options.ts';

/** Strain that the inflated scaffold may have under its loads. */
const STRAIN = 1e-3;

/**
 * Distance of two pins relative to the rod between them from which EA matters: the strain of an inflated scaffold adds to the slack, and the tension depends on its
 * root. At a slack of 1e-2 tensions are off by 0.5 %, at 2e-3 by 5 %, without slack by half.
 */
const TAUT = 0.99;

/** Stiffness of an edge: its two halves in series. */
export function edgeStiffness(half: Float64Array, edge: number): number {
  return 2 / (1 / half[2 * edge] + 1 / half[2 * edge + 1]);
}

/** Largest sum of load magnitudes [N] over the run, on the rod in its initial shape. */
function largestLoad(rod: Rod, drive: Drive, scene: Scene): number {
  const samples = createSamples(rod);
  samples.nodePosition.set(rod.nodePosition);
  samples.edgeDirector.set(rod.edgeDirector);
  for (let j = 0; j < rod.edgeCount; j++) {
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const d = rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k];
      samples.edgeTangent[3 * j + k] = d;
      square += d * d;
    }
    for (let k = 0; k < 3; k++) samples.edgeTangent[3 * j + k] /= Math.sqrt(square);
  }
  const end = Math.max(scene.time?.duration ?? 0, scene.statics?.to ?? 0);
  let largest = 0;
  for (let k = 0; k <= 32; k++) {
    const loads = createLoads(rod);
    for (const source of drive.sources) source.addLoads(loads, samples, (end * k) / 32);
    let sum = 0;
    for (let i = 0; i < rod.nodeCount; i++)
      sum += hypot(loads.nodeForce[3 * i], loads.nodeForce[3 * i + 1], loads.nodeForce[3 * i + 2]);
    largest = Math.max(largest, sum);
  }
  return largest;
}

/** Least radius of natural curvature [m]. */
function naturalRadius({ edgeCount, edgeLengthRest, halfStrainRest: h }: Rod): number {
  let largest = 0;
  for (let j = 0; j < edgeCount; j++)
    largest = Math.max(largest, hypot(h[6 * j] + h[6 * j + 3], h[6 * j + 1] + h[6 * j + 4]) / edgeLengthRest[j]);
  return 1 / largest;
}

export interface Widths {
  /** Along d1 and d2 [m]. */
  readonly width1: number;
  readonly width2: number;
}

/** Requirements of a rod's sections on its scaffold. */
interface Sections {
  /** EI2/EI1, the same along the rod. */
  readonly ratio: number;
  /** Least √(EI1 EI2) [N m²]. */
  readonly softest: number;
  /** Square of the width that matches EA [m²], 0 for an inextensible rod; and whether it changes along the rod. */
  readonly square: number;
  readonly varies: boolean;
}

function readSections(rod: Rod): Sections {
  const { edgeCount, id } = rod;
  const ratio = edgeStiffness(rod.halfEI2, 0) / edgeStiffness(rod.halfEI1, 0);
  let softest = Infinity;
  let sectionSquare = 0;
  let varies = false;
  for (let j = 0; j < edgeCount; j++) {
    const EI1 = edgeStiffness(rod.halfEI1, j);
    const EI2 = edgeStiffness(rod.halfEI2, j);
    if (Math.abs(EI2 / EI1 / ratio - 1) > 1e-6) {
      throw new SceneError(
        ['rods'],
        `rod '${id}': EI2/EI1 changes along the rod, which a scaffold of one shape cannot follow; keep the ratio, or use model: der`,
      );
    }
    softest = Math.min(softest, Math.sqrt(EI1 * EI2));
    const square = (4 * Math.sqrt(EI1 * EI2)) / rod.edgeEA[j];
    if (j > 0 && Math.abs(square - sectionSquare) > 1e-6 * sectionSquare) varies = true;
    sectionSquare = j === 0 ? square : Math.min(square, sectionSquare);
  }
  if (ratio > 1e4 || ratio < 1e-4) {
    throw new SceneError(
      ['rods'],
      `rod '${id}': EI2/EI1 = ${ratio.toPrecision(3)} needs a scaffold more than a hundred times as wide as high; use model: der`,
    );
  }
  return { ratio, softest, square: sectionSquare, varies };
}

/** The width that matches EA. Throws SceneError for rods that have no such width. */
function matchSection({ id }: Rod, { square, varies }: Sections): number {
  const place = ['solver', 'fiber', 'scaffold'];
  if (square === 0)
    throw new SceneError(place, `rod '${id}' is inextensible and has no EA for its scaffold to match; use 'inflated'`);
  if (varies)
    throw new SceneError(
      place,
      `rod '${id}': EI/EA changes along the rod, so no single width matches it; use 'inflated'`,
    );
  return Math.sqrt(square);
}

/** As wide as the largest load allows: a wide scaffold stretches less under it. */
function inflate(rod: Rod, drive: Drive, scene: Scene, sections: Sections): number {
  const { ratio, softest, square } = sections;
  const cap = (0.25 * shortestEdge(rod)) / pow(Math.sqrt(Math.max(ratio, 1 / ratio)), 0.5);
  // at least the Euler load: a rod without loads is bent by its pins
  const least = (4 * (Math.PI * Math.PI) * softest) / (rod.length * rod.length);
  const force = Math.max(largestLoad(rod, drive, scene), least);
  const wanted = Math.min(2 * Math.sqrt((softest * STRAIN) / force), cap, 0.1 * naturalRadius(rod));
  return Math.max(wanted, Math.sqrt(square));
}

function shortestEdge({ edgeLengthRest }: Rod): number {
  return edgeLengthRest.reduce((a, b) => Math.min(a, b), Infinity);
}

/** Throws, or warns, if cuboids of this width are badly shaped. */
function checkWidth(rod: Rod, width: number, isInflated: boolean, warnings: string[]): void {
  const shortest = shortestEdge(rod);
  if (width > 2 * shortest) {
    throw new SceneError(
      isInflated ? ['rods'] : ['solver', 'fiber', 'scaffold'],
      `rod '${rod.id}': the scaffold is ${width.toPrecision(3)} m wide and its shortest cuboid ${shortest.toPrecision(3)} m long; use fewer edges, or a narrower scaffold`,
    );
  }
  if (width > 0.5 * shortest) {
    warnings.push(
      `rod '${rod.id}': the scaffold is more than half as wide as its cuboids are long; it shears where the rod bends: use fewer edges, or a narrower solver.fiber.scaffold`,
    );
  }
  if (shortest / width > 100) {
    warnings.push(
      `rod '${rod.id}': cuboids are ${(shortest / width).toFixed(0)} times as long as wide; the matrix is ill-conditioned and steps need more iterations; use more edges, or a wider solver.fiber.scaffold`,
    );
  }
}

/** Warns of a rod that is stretched, or held nearly straight, on a scaffold with another EA. */
function warnSoft({ id }: Rod, width: number, square: number, warnings: string[]): void {
  if (width * width < 1.05 * square) return;
  const EA =
    square === 0
      ? 'a finite one while the rod does not stretch'
      : `${(square / (width * width)).toPrecision(2)} of the EA of the rod`;
  warnings.push(
    `rod '${id}': pins hold it at more than ${TAUT} of its length, where the tension depends on EA, and its scaffold has ${EA}: reactions may be off by more than half; ${square === 0 ? 'give the rod EA, more slack, or model: der' : 'use solver.fiber.scaffold: section'}`,
  );
}

interface ScaffoldInput {
  readonly rod: Rod;
  readonly drive: Drive;
  readonly scene: Scene;
  readonly options: FiberOptions;
}

export function chooseWidths({ rod, drive, scene, options }: ScaffoldInput, warnings: string[]): Widths {
  const { scaffold = 'inflated' } = options;
  const sections = readSections(rod);
  const { ratio, square } = sections;
  const isTaut = isStretched(rod, drive.pins, scene, TAUT);
  let width: number;
  if (scaffold === 'section') width = matchSection(rod, sections);
  else if (scaffold === 'inflated' && square > 0 && isTaut) {
    // EA decides the tension of a rod that its pins hold straight
    width = Math.sqrt(square);
    if (sections.varies)
      warnings.push(
        `rod '${rod.id}' is stretched and EI/EA changes along it, so no single scaffold matches its EA: tensions are off; use model: der`,
      );
  } else if (scaffold === 'inflated') width = inflate(rod, drive, scene, sections);
  else width = scaffold;
  checkWidth(rod, width, scaffold === 'inflated', warnings);
  if (isTaut) warnSoft(rod, width, square, warnings);
  // geometric mean `width`, a1/a2 = √(EI2/EI1)
  return { width1: width * pow(ratio, 0.25), width2: width / pow(ratio, 0.25) };
}
