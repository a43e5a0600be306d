/**
 * result.json: results of a command, for people and other programs. Its version changes when a field changes its meaning or is removed, not when one is
 * added. All numbers are SI, and finite: a NaN throws and is not written as null.
 */

import {
  type Break,
  defaultContactIterations,
  type EnergyGain,
  type EquilibriumReport,
  type LinkForce,
  type Modes,
  type ProbeSeries,
  type Reaction,
  type Scene,
  type StepReport,
  type World,
} from '@tendril-sim/core';
import { hypot, hypotOf } from '@tendril-sim/core/math';

import {
  type BodyResult,
  type ContactResult,
  type ContactTotals,
  type EnergyTotals,
  type ModesResult,
  type Result,
  type RodResult,
  resultVersion,
  type StepTotals,
  type Stop,
  type Triple,
} from './resultTypes.ts';

export type * from './resultTypes.ts';
export { resultVersion };

/** Adds up step reports. */
export function createStepTotals(): { add(report: StepReport): void; fail(): void; totals(): StepTotals } {
  const sum = { count: 0, substeps: 0, iterations: 0, iterationsMax: 0, shifts: 0, failures: 0 };
  const breaks: Break[] = [];
  let contact: ContactTotals | undefined;
  let energyGain: EnergyTotals | undefined;
  let energyLoss: StepTotals['energyLoss'];
  let momentumGain: StepTotals['momentumGain'];
  return {
    add(report) {
      sum.count++;
      sum.substeps += report.substeps;
      sum.iterations += report.iterations;
      sum.iterationsMax = Math.max(sum.iterationsMax, report.iterationsMax);
      sum.shifts += report.shifts;
      // a step is also split where something breaks
      if (report.substeps > 1 + (report.breaks?.length ?? 0)) sum.failures++;
      if (report.breaks) breaks.push(...report.breaks);
      if (report.contact) contact = addContact(contact, report.contact);
      if (report.energyGain) energyGain = addGain(energyGain, report.energyGain, report.time);
      const lost = report.energyLoss;
      if (lost && lost.loss / lost.scale > (energyLoss ? energyLoss.loss / energyLoss.scale : 0))
        energyLoss = { ...lost, time: energyLoss?.time ?? report.time };
      if (report.momentumGain && report.momentumGain.impulse > (momentumGain?.impulse ?? 0))
        momentumGain = { ...report.momentumGain, time: momentumGain?.time ?? report.time };
    },
    fail() {
      sum.failures++;
    },
    totals: () => ({
      ...sum,
      ...(breaks.length > 0 && { breaks }),
      ...(contact && { contact }),
      ...(energyGain && { energyGain }),
      ...(energyLoss && { energyLoss }),
      ...(momentumGain && { momentumGain }),
    }),
  };
}

function addContact(
  { missed, error, iterationsMax, overlap, worst }: ContactTotals = {
    missed: 0,
    error: 0,
    iterationsMax: 0,
    overlap: 0,
  },
  step: NonNullable<StepReport['contact']>,
): ContactTotals {
  const place = step.worst && (!worst || step.error > error) ? step.worst : worst;
  return {
    missed: missed + (step.converged ? 0 : 1),
    error: Math.max(error, step.error),
    iterationsMax: Math.max(iterationsMax, step.iterations),
    overlap: Math.max(overlap, step.overlap),
    ...(place && { worst: place }),
  };
}

function addGain(sum: EnergyTotals | undefined, step: EnergyGain, time: number): EnergyTotals {
  const isLarger = sum === undefined || step.gain / step.scale > sum.gain / sum.scale;
  const isWorse = sum === undefined || step.step > sum.worstStep;
  return {
    steps: (sum?.steps ?? 0) + 1,
    gain: isLarger ? step.gain : sum.gain,
    scale: isLarger ? step.scale : sum.scale,
    worstTime: isWorse ? time : sum.worstTime,
    worstStep: isWorse ? step.step : sum.worstStep,
  };
}

/** The warning of a run that created energy, or momentum; undefined if both were in balance. */
export function describeGain({
  energyGain,
  momentumGain,
}: Pick<StepTotals, 'energyGain' | 'momentumGain'>): string | undefined {
  if (!energyGain && momentumGain) {
    const { rod, impulse, time } = momentumGain;
    return `rod '${rod}', which nothing holds, got ${impulse.toPrecision(2)} N s that no load explains, from t = ${time.toPrecision(6)} s on; try a smaller time.step`;
  }
  if (!energyGain) return undefined;
  const { steps, gain, scale, worstTime, worstStep } = energyGain;
  const share = ((100 * gain) / scale).toPrecision(2);
  return `energy was created: ${gain.toPrecision(2)} J that no load, pin or obstacle explains, ${share} % of the largest energy, reported in ${steps} steps; most of it in the step to t = ${worstTime.toPrecision(6)} s (${worstStep.toPrecision(2)} J); try a smaller time.step or some damping`;
}

/** Warning of a run that lost energy to its integrator; undefined if it did not. */
export function describeLoss({ energyLoss }: Pick<StepTotals, 'energyLoss'>): string | undefined {
  if (!energyLoss) return undefined;
  const { loss, scale, damped, time } = energyLoss;
  const share = ((100 * loss) / scale).toPrecision(2);
  return `the integrator dissipated ${loss.toPrecision(2)} J, ${share} % of the largest energy (10 % at t = ${time.toPrecision(6)} s), ${damped === undefined ? 'and nothing in the scene damps' : `besides the ${damped.toPrecision(2)} J of the damping`}: motion dies down too early; use a smaller time.step or another integrator${damped === undefined ? ', or give the rods the damping that they have' : ''}`;
}

/** Warning of a run whose contacts did not all converge, with a remedy; undefined if they did. */
export function describeMissed({ count, contact }: StepTotals, scene: Scene): string | undefined {
  if (!contact || contact.missed === 0) return undefined;
  const touching = scene.contact !== undefined || (scene.colliders?.length ?? 0) > 0;
  const linked = (scene.links?.length ?? 0) > 0;
  const what = !linked ? 'contact' : touching ? 'contact and links' : 'links';
  const { missed, error, overlap, worst } = contact;
  const place = !worst
    ? ''
    : worst.rod === worst.other
      ? ` (rod '${worst.rod}' with itself)`
      : ` ('${worst.rod}' and '${worst.other}')`;
  const deep = overlap > 0 ? `, deepest overlap ${overlap.toPrecision(2)} m` : '';
  const remedy = `try a smaller time.step or more contact.iterations than ${scene.contact?.iterations ?? defaultContactIterations}`;
  return `${what} not solved to its tolerance in ${missed} of ${count} steps; largest error ${error.toPrecision(2)} m/s${place}${deep}; ${remedy}`;
}

/** Warning of reactions at the end of a run that are not those of the motion; undefined if all are. */
export function describeUnsettled(reactions: readonly Reaction[]): string | undefined {
  const first = reactions.find(({ unsettled }) => unsettled !== undefined);
  if (!first) return undefined;
  const count = reactions.filter(({ unsettled }) => unsettled !== undefined).length;
  return `${count} of ${reactions.length} reactions at the end of the run are not settled, first that of node ${first.node} of rod '${first.rod}': ${first.unsettled}; do not use them, or let the run end later`;
}

/** Inputs of `buildResult`. */
export interface ResultInput {
  /** The world at the end of the run. */
  readonly world: World;
  /** Version of Tendril. */
  readonly version: string;
  /** Command that wrote the result. */
  readonly command: Result['command'];
  /** Name of the scene file. */
  readonly file?: string;
  /** Default: all zero, for statics and modes. */
  readonly steps?: StepTotals;
  /** Wall-clock time of the run [s]. */
  readonly wallSeconds: number;
  /** Reports of equilibria, one per rod. */
  readonly equilibrium?: readonly EquilibriumReport[];
  /** Natural modes, one entry per rod. */
  readonly modes?: readonly Modes[];
  /** Recorded probes. */
  readonly probes?: readonly ProbeSeries[];
  /** Warnings beyond those of the world. */
  readonly warnings?: readonly string[];
  /** Why the run ended early. */
  readonly stopped?: Stop;
}

/** Collects the result of a command from a world. */
export function buildResult(input: ResultInput): Result {
  const { world } = input;
  const { kinetic, bending, twisting, stretching, potential, total, dissipated } = world.energies();
  const momentum = world.momentum();
  const { title } = world.scene;
  const found = input.steps
    ? [describeMissed(input.steps, world.scene), describeGain(input.steps), describeLoss(input.steps)]
    : [];
  const reactions = world.reactions();
  return {
    tendril: { result: resultVersion, version: input.version },
    command: input.command,
    scene: { ...(title !== undefined && { title }), ...(input.file !== undefined && { file: input.file }) },
    time: world.time,
    steps: input.steps ?? createStepTotals().totals(),
    rods: world.rods.map((_, k) => rodResult(world, k)),
    bodies: world.bodies.map(({ id, pose, energies }) => ({
      id,
      position: triple(pose.position, 0),
      orientation: [...pose.orientation] as BodyResult['orientation'],
      velocity: triple(pose.velocity, 0),
      angularVelocity: triple(pose.angularVelocity, 0),
      energies: energies(),
    })),
    energies: {
      kinetic,
      bending,
      twisting,
      stretching,
      potential,
      total,
      ...(dissipated !== undefined && { dissipated }),
    },
    momentum: {
      linear: triple(momentum.linear, 0),
      angular: triple(momentum.angular, 0),
      center: triple(momentum.center, 0),
      mass: momentum.mass,
    },
    ...(input.equilibrium && { equilibrium: input.equilibrium }),
    ...(input.modes && { modes: input.modes.map(modesResult) }),
    ...(input.probes && { probes: input.probes }),
    reactions,
    ...(world.contactReport && { contacts: sumContacts(world) }),
    ...((world.scene.links?.length ?? 0) > 0 && { links: strongestLinks(world) }),
    stateHash: world.hash(),
    wallSeconds: input.wallSeconds,
    warnings: [
      ...world.warnings,
      ...(input.warnings ?? []),
      ...[...found, describeUnsettled(reactions)].filter((text) => text !== undefined),
    ],
    ...(input.stopped && { stopped: input.stopped }),
  };
}

function triple(values: ArrayLike<number>, k: number): Triple {
  return [values[3 * k], values[3 * k + 1], values[3 * k + 2]];
}

function triples(values: ArrayLike<number>): Triple[] {
  return Array.from({ length: values.length / 3 }, (_, k) => triple(values, k));
}

function rodResult(world: World, index: number): RodResult {
  const rod = world.rods[index];
  const samples = world.samples[index];
  const tangents = triples(samples.edgeTangent);
  const directors = triples(samples.edgeDirector);
  return {
    id: rod.id,
    model: rod.model,
    closed: rod.closed,
    length: rod.length,
    nodePosition: triples(samples.nodePosition),
    nodeVelocity: triples(samples.nodeVelocity),
    edgeFrame: tangents.map((tangent, k) => ({ tangent, d1: directors[k], d2: cross(tangent, directors[k]) })),
    stretchMax: stretchMax(samples.nodePosition, rod.edgeLengthRest),
    curvatureMax: largest(world.channel(index, 'curvature')),
    twistMax: largest(world.channel(index, 'twist')),
    tensionMax: world.channel(index, 'tension').reduce((max, value) => Math.max(max, value), Number.NEGATIVE_INFINITY),
  };
}

function cross(a: Triple, b: Triple): Triple {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function largest(values: Float64Array): number {
  return values.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
}

/** Largest |edge| / rest length − 1; edge j ends at node j+1, or at node 0 if the rod closes. */
export function stretchMax(nodePosition: ArrayLike<number>, edgeLengthRest: ArrayLike<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < edgeLengthRest.length; j++) {
    const a = 3 * j;
    const b = (3 * (j + 1)) % nodePosition.length;
    const length = hypot(
      nodePosition[b] - nodePosition[a],
      nodePosition[b + 1] - nodePosition[a + 1],
      nodePosition[b + 2] - nodePosition[a + 2],
    );
    most = Math.max(most, length / edgeLengthRest[j] - 1);
  }
  return most;
}

function modesResult(modes: Modes): ModesResult {
  const omega = [...modes.omega];
  return {
    rod: modes.rod,
    omega,
    frequency: omega.map((value) => value / (2 * Math.PI)),
    ...(modes.growth && { growth: [...modes.growth] }),
    shapes: modes.shapes.map(({ nodeDisplacement, edgeTwist }) => ({
      nodeDisplacement: triples(nodeDisplacement),
      edgeTwist: [...edgeTwist],
    })),
  };
}

/** JSON with lists of numbers on one line; throws, naming the field, if a number is not finite. */
export function formatResult(result: Result): string {
  return `${formatJson(result, 'result', '')}\n`;
}

function formatJson(value: unknown, path: string, indent: string): string {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RangeError(`${path} is ${value}: a result holds finite numbers only`);
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (ArrayBuffer.isView(value)) return formatJson(Array.from(value as Float64Array), path, indent);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((item, k) => formatJson(item, `${path}[${k}]`, inner));
    if (value.every((item) => typeof item === 'number')) return `[${items.join(', ')}]`;
    return `[\n${items.map((item) => inner + item).join(',\n')}\n${indent}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return '{}';
    const lines = entries.map(
      ([key, item]) => `${inner}${JSON.stringify(key)}: ${formatJson(item, `${path}.${key}`, inner)}`,
    );
    return `{\n${lines.join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** Forces of the contacts, summed for each pair that touches, in the order in which they were found. */
function sumContacts(world: World): ContactResult[] {
  const pairs = new Map<string, { -readonly [K in keyof ContactResult]: ContactResult[K] }>();
  for (const { rod, other, kind, force, gap } of world.contactForces()) {
    const key = `${kind} ${rod} ${other}`;
    const sum = pairs.get(key) ?? { rod, other, kind, count: 0, force: [0, 0, 0], gap };
    pairs.set(key, sum);
    sum.count++;
    sum.gap = Math.min(sum.gap, gap);
    for (let k = 0; k < 3; k++) sum.force[k] += force[k];
  }
  return [...pairs.values()];
}

const MOST_LINKS = 1000;

/** All links in the scene's order, or of very many those with the largest forces, the largest first. */
function strongestLinks(world: World): LinkForce[] {
  const all = world.linkForces();
  if (all.length <= MOST_LINKS) return all;
  return all.sort((a, b) => hypotOf(b.force) - hypotOf(a.force)).slice(0, MOST_LINKS);
}
