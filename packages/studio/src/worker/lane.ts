/** A lane: one variant of the scene as it runs, or the reason why it does not. */
import {
  type Collider,
  type ModelId,
  type Rod,
  type Scene,
  SceneError,
  type SectionSpec,
  SimulationError,
  type World,
} from '@tendril-sim/core';
import { layoutOfLane, poseSize } from '../frameLayout.ts';
import type { BodyInfo, ContactFacts, Failure, LaneFrame, LaneInfo, RodInfo, Solid, Variant } from '../protocol.ts';
import { statNames } from '../protocol.ts';
import { createDoubts } from './doubts.ts';
import { createForceReader } from './forces.ts';
import { createWorld } from './models.ts';
import { createModePlayer } from './modePlayer.ts';

export interface Lane {
  readonly info: LaneInfo;
  readonly world: World | undefined;
  readonly time: number;
  readonly duration: number;
  readonly stepSize: number;
  readonly note: string | undefined;
  failure: Failure | undefined;
  step(): void;
  frame(): LaneFrame;
  /** Where hairs are drawn in place of guides: the guide that a hair follows most. */
  guideAt?(hair: number, node: number): { readonly rod: number; readonly node: number };
  /** The data of a frame with all hairs, of the guides that a frame keeps. */
  hairsOf?(guides: Float32Array): Float32Array;
}

/** Creates a lane. `given`: a world that already runs, instead of the scene's start. */
export function createLane(scene: Scene, variant: Variant, index: number, given?: World): Lane {
  let world: World;
  try {
    world = given ?? createWorld(applyVariant(scene, variant));
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return refusedLane(variant, error.message);
  }
  const info = describeWorld(world, scene, variant);
  if (!scene.time) {
    const player = createModePlayer(world, info, writeFrame);
    if (player) return player;
  }
  const { duration, step: stepSize } = scene.time ?? { duration: 5, step: 0.01 };
  const readForces = createForceReader(world);
  const doubts = createDoubts();
  let cost = 0;
  let simulated = 0;
  let [steps, missed] = [0, 0];
  return {
    info,
    world,
    duration,
    stepSize,
    note: scene.time ? undefined : 'The scene has no time; five seconds are shown.',
    failure: undefined,
    get time() {
      return world.time;
    },
    step() {
      if (this.failure) return;
      const before = performance.now();
      const from = world.time;
      try {
        doubts.add(world.step(stepSize));
        steps++;
        if (world.contactReport?.converged === false) missed++;
      } catch (error) {
        this.failure = describeFailure(error, index);
      }
      cost += performance.now() - before;
      simulated += world.time - from;
    },
    frame() {
      const each = simulated > 0 ? cost / simulated : 0;
      cost = 0;
      simulated = 0;
      const contact = world.contactReport && describeContact(world, steps, missed);
      const found = doubts.list();
      return {
        ...writeFrame(world, info),
        forces: readForces(),
        ...(contact && { contact }),
        ...(found.length > 0 && { doubts: found }),
        cost: each,
      };
    },
  };
}

function describeWorld(world: World, scene: Scene, variant: Variant): LaneInfo {
  return {
    variant,
    refused: undefined,
    rods: world.rods.map((rod, k) => describeRod(rod, world.scene, k)),
    bodies: world.bodies.map(({ id }) => {
      const spec = scene.bodies?.find((body) => body.id === id);
      // colliders that touch nothing are drawn in place of the body that carries them
      const hasPicture = scene.colliders?.some((collider) => collider.body === id && collider.rods?.length === 0);
      const solid = hasPicture ? undefined : solidOf(spec?.solid, spec?.mass, spec?.inertia);
      return { id, solid, assumed: spec?.solid === undefined };
    }),
    pins: world.grips.map(({ rod, node, orientation }) => ({ rod, node, clamps: orientation === 'frame' })),
    moving: world.colliders.flatMap(({ moves }, k) => (moves ? [k] : [])),
    warnings: world.warnings,
  };
}

function describeContact(world: World, steps: number, missed: number): ContactFacts {
  const forces = world.contactForces();
  const overlap = forces.reduce((most, { gap }) => Math.max(most, -gap), 0);
  return { touching: forces.length, overlap, iterations: world.contactReport?.iterations ?? 0, missed, steps };
}

function refusedLane(variant: Variant, refused: string): Lane {
  return {
    info: { variant, refused, rods: [], bodies: [], pins: [], moving: [], warnings: [] },
    world: undefined,
    time: 0,
    duration: 0,
    stepSize: 0,
    note: undefined,
    failure: undefined,
    step: () => {},
    frame: () => ({ data: new Float32Array(0), stats: new Float64Array(statNames.length), cost: 0 }),
  };
}

/** All rods on the variant's model; `der/implicit-euler` also sets the integrator. An empty id leaves the scene as it is. */
export function applyVariant(scene: Scene, { id }: Variant): Scene {
  if (id === '') return scene;
  const [model, integrator] = id.split('/') as [ModelId, string | undefined];
  const rods = scene.rods.map((rod) => ({ ...rod, model }));
  if (!integrator) return { ...scene, rods };
  const options = { ...(scene.solver as Record<string, object> | undefined)?.[model], integrator };
  return { ...scene, rods, solver: { ...scene.solver, [model]: options } as Scene['solver'] };
}

export function describeFailure(error: unknown, lane: number): Failure {
  if (error instanceof SimulationError) {
    return {
      title: 'The simulation could not go on',
      message: error.message,
      remedy: error.remedy,
      rod: error.rod,
      lane,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { title: 'The simulation stopped', message, remedy: 'restart it, or change the scene', rod: undefined, lane };
}

function describeRod(rod: Rod, scene: Scene, k: number): RodInfo {
  const named = scene.rods[k]?.section;
  const section: SectionSpec | undefined = typeof named === 'string' ? scene.sections?.[named] : named;
  return {
    id: rod.id,
    model: rod.model,
    closed: rod.closed,
    nodeCount: rod.nodeCount,
    edgeCount: rod.edgeCount,
    length: rod.length,
    square: section?.type === 'rectangle',
    nodeArc: Float32Array.from(rod.nodeArc),
    edgeRadius: Float32Array.from(rod.edgeRadius),
    halfEI1: Float32Array.from(rod.halfEI1),
    halfEI2: Float32Array.from(rod.halfEI2),
    nodePosition: Float32Array.from(rod.nodePosition),
    ...(scene.rods[k]?.color && { color: scene.rods[k].color }),
  };
}

/** What to draw of a body: its solid, else the box that has its inertia. */
function solidOf(
  solid: NonNullable<Scene['bodies']>[number]['solid'],
  mass = 0,
  inertia: readonly number[] | undefined = undefined,
): BodyInfo['solid'] {
  if (solid?.type === 'sphere') return { type: 'sphere', radius: solid.radius };
  if (solid?.type === 'box') return { type: 'box', size: [...solid.size] as [number, number, number] };
  if (solid?.type === 'cylinder') return { type: 'cylinder', radius: solid.radius, height: solid.height };
  if (!(mass > 0) || !inertia) return undefined;
  const [x, y, z] = inertia;
  const edge = (own: number, a: number, b: number): number => Math.sqrt(Math.max(0, (6 * (a + b - own)) / mass));
  const size: Solid = { type: 'box', size: [edge(x, y, z), edge(y, z, x), edge(z, x, y)] };
  const radii = [...size.size].sort((a, b) => a - b);
  // equal inertia all around is a ball, a very flat one a disc
  if (radii[0] > 0.9 * radii[2]) return { type: 'sphere', radius: Math.sqrt((2.5 * x) / mass) };
  return size;
}

/** Everything that is drawn or plotted, as it is now. */
export function writeFrame(world: World, info: LaneInfo): Omit<LaneFrame, 'cost'> {
  const layout = layoutOfLane(info);
  const data = new Float32Array(layout.length);
  const stats = new Float64Array(statNames.length);
  const energies = world.energies();
  stats.set([
    energies.kinetic,
    energies.bending,
    energies.twisting,
    energies.stretching,
    energies.potential,
    energies.total,
  ]);
  world.samples.forEach(({ nodePosition, edgeDirector }, k) => {
    const at = layout.rods[k];
    data.set(nodePosition, at.position);
    data.set(edgeDirector, at.director);
    (['curvature', 'twist', 'tension'] as const).forEach((name, c) => {
      const values = world.channel(k, name);
      data.set(values, at[name]);
      stats[6 + c] = Math.max(stats[6 + c], largest(values));
    });
  });
  for (const { rod, edge, weight, force } of world.contactForces()) {
    const k = world.rods.findIndex(({ id }) => id === rod);
    if (k < 0) continue;
    const size = Math.hypot(...force);
    data[layout.rods[k].contact + edge] += (1 - weight) * size;
    data[layout.rods[k].contact + ((edge + 1) % world.rods[k].nodeCount)] += weight * size;
  }
  world.bodies.forEach(({ pose: { position, orientation } }, k) => {
    data.set(position, layout.bodies + poseSize * k);
    data.set(orientation, layout.bodies + poseSize * k + 3);
  });
  writeColliders(data, layout.colliders, world.colliders, info.moving, world.time);
  return { data, stats };
}

const pose = { position: new Float64Array(3), rotation: new Float64Array(9) };

/** Position and orientation of the colliders that move, from `o` on. */
export function writeColliders(
  data: Float32Array,
  o: number,
  colliders: readonly Collider[],
  moving: readonly number[],
  time: number,
): void {
  moving.forEach((k, at) => {
    colliders[k].evaluate(pose, time);
    data.set(pose.position, o + poseSize * at);
    writeQuaternion(data, o + poseSize * at + 3, pose.rotation);
  });
}

/** Of a rotation matrix, by its largest component. */
function writeQuaternion(out: Float32Array, o: number, m: ArrayLike<number>): void {
  const squares = [1 + m[0] + m[4] + m[8], 1 + m[0] - m[4] - m[8], 1 - m[0] + m[4] - m[8], 1 - m[0] - m[4] + m[8]];
  const most = squares.indexOf(Math.max(...squares));
  const rows = [
    [squares[0], m[7] - m[5], m[2] - m[6], m[3] - m[1]],
    [m[7] - m[5], squares[1], m[1] + m[3], m[2] + m[6]],
    [m[2] - m[6], m[1] + m[3], squares[2], m[5] + m[7]],
    [m[3] - m[1], m[2] + m[6], m[5] + m[7], squares[3]],
  ];
  const size = 2 * Math.sqrt(squares[most]);
  for (let k = 0; k < 4; k++) out[o + k] = rows[most][k] / size;
}

function largest(values: Float64Array): number {
  let most = 0;
  for (let k = 0; k < values.length; k++) most = Math.max(most, Math.abs(values[k]));
  return most;
}
