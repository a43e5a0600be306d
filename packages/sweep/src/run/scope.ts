/**
 * What quantities of a study may refer to: the state of a world, computed only when it is asked for, since most studies keep few
 * numbers of each run.
 */
import type { Channel, Critical, EquilibriumReport, Modes, ProbeSeries, World } from '@tendril-sim/core';
import { type StepTotals, stretchMax } from '@tendril-sim/io';

export interface Findings {
  readonly world: World;
  readonly probes: readonly ProbeSeries[];
  readonly parameters: ReadonlyMap<string, unknown>;
  readonly equilibrium?: readonly EquilibriumReport[];
  readonly critical?: readonly Critical[];
  readonly modes?: readonly Modes[];
  readonly steps?: StepTotals;
}

/** Names that a reference may begin with, beside those of parameters. */
export const scopeRoots = [
  'time',
  'energy',
  'probe',
  'rod',
  'body',
  'momentum',
  'reaction',
  'contact',
  'link',
  'equilibrium',
  'critical',
  'mode',
  'modes',
  'steps',
] as const;

/** Fields appear as the command has found them: `mode` of modes, `equilibrium` of statics and modes, `steps` of run. */
export function createScope(findings: Findings): object {
  const { world, probes, parameters } = findings;
  return {
    ...Object.fromEntries(parameters),
    time: world.time,
    get energy() {
      return world.energies();
    },
    get probe() {
      return new Map(probes.map(({ name, value }) => [name, value.at(-1)]));
    },
    get rod() {
      return new Map(world.rods.map(({ id }, k) => [id, rodScope(world, k)]));
    },
    get body() {
      return new Map(world.bodies.map(({ id, pose }) => [id, pose]));
    },
    get momentum() {
      return world.momentum();
    },
    get reaction() {
      return world.reactions();
    },
    get contact() {
      return contactScope(world, findings.steps);
    },
    get link() {
      return world.linkForces().map((link) => ({ ...link, size: Math.hypot(...link.force) }));
    },
    ...(findings.equilibrium && { equilibrium: summariseEquilibrium(findings.equilibrium) }),
    ...(findings.critical && { critical: findings.critical.map(({ parameter }) => parameter) }),
    ...(findings.modes && modesScope(findings.modes)),
    ...(findings.steps && { steps: findings.steps }),
  };
}

function rodScope(world: World, k: number): object {
  const rod = world.rods[k];
  const samples = world.samples[k];
  const most = (channel: Channel): number =>
    world.channel(k, channel).reduce((max, value) => Math.max(max, Math.abs(value)), 0);
  const triples = (values: ArrayLike<number>): number[][] =>
    Array.from({ length: values.length / 3 }, (_, i) => [values[3 * i], values[3 * i + 1], values[3 * i + 2]]);
  const scope = {
    get length() {
      return rod.edgeLengthRest.reduce((sum: number, length: number) => sum + length, 0);
    },
    get node() {
      return triples(samples.nodePosition);
    },
    get velocity() {
      return triples(samples.nodeVelocity);
    },
    get curvatureMax() {
      return most('curvature');
    },
    get twistMax() {
      return most('twist');
    },
    get tensionMax() {
      return most('tension');
    },
    get stretchMax() {
      return stretchMax(samples.nodePosition, rod.edgeLengthRest);
    },
  };
  // the former name of `stretchMax` works, but messages do not list it
  return Object.defineProperty(scope, 'maxStretch', { get: () => scope.stretchMax });
}

function contactScope(world: World, steps: StepTotals | undefined): object {
  const forces = world.contactForces();
  const sizes = forces.map(({ force }) => Math.hypot(...force));
  return {
    count: forces.length,
    /** Sum and largest of the sizes [N]. */
    force: sizes.reduce((sum, size) => sum + size, 0),
    forceMax: Math.max(0, ...sizes),
    gap: forces.length === 0 ? Number.NaN : Math.min(...forces.map(({ gap }) => gap)),
    missed: steps?.contact?.missed ?? 0,
    error: steps?.contact?.error ?? 0,
    overlap: steps?.contact?.overlap ?? 0,
    at: forces,
  };
}

function summariseEquilibrium(reports: readonly EquilibriumReport[]): object {
  return {
    stable: reports.every(({ stable }) => stable),
    converged: reports.every(({ converged }) => converged),
    negativeModes: reports.reduce((sum, report) => sum + report.negativeModes, 0),
    iterations: reports.reduce((sum, report) => sum + report.iterations, 0),
    residual: Math.max(...reports.map(({ residual }) => residual)),
    saddlesLeft: reports.reduce((sum, report) => sum + report.saddlesLeft, 0),
    leftBranch: reports.some(({ leftBranch }) => leftBranch),
  };
}

function modesScope(modes: readonly Modes[]): object {
  const list = ({ omega }: Modes): object[] => Array.from(omega, (w) => ({ omega: w, frequency: w / (2 * Math.PI) }));
  return { mode: modes.flatMap(list), modes: new Map(modes.map((one) => [one.rod, list(one)])) };
}
