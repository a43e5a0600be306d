/**
 * Cuts and pins in a run: another scene whose world goes on from the present state.
 *
 * A pin leaves the state of most models as it is, and it is carried over bit for bit. A cut, or a model in which pins are part of
 * the unknowns, goes by positions, velocities and frames of nodes and edges, which every model can start from.
 */
import {
  compileScene,
  type ModelId,
  nearestNode,
  type Piece,
  type Rod,
  type Scene,
  SceneError,
  splitRod,
  startOf,
  type Vec3,
  type World,
  wholeOf,
} from '@tendril-sim/core';
import { createWorld } from './models.ts';

export type Operation =
  | { readonly kind: 'cut'; readonly rod: string; readonly node: number; readonly loose?: ModelId }
  | {
      readonly kind: 'pin';
      readonly rod: string;
      readonly node: number;
      readonly position: Vec3;
      /** Pins that were let go at this place, by number. */
      readonly dropped: readonly number[];
    };

interface Operated {
  readonly scene: Scene;
  readonly pieces: readonly Piece[];
}

function operate(scene: Scene, rods: readonly Rod[], operation: Operation): Operated {
  const index = rods.findIndex(({ id }) => id === operation.rod);
  if (index < 0) throw new SceneError(['rods'], `there is no rod '${operation.rod}' any more`);
  if (operation.kind === 'pin') {
    const { rod, node, position, dropped } = operation;
    const pins = scene.pins?.filter((_, k) => !dropped.includes(k)) ?? [];
    return {
      scene: { ...scene, pins: [...pins, { rod, at: { node }, hold: 'position', position }] },
      pieces: rods.map(wholeOf),
    };
  }
  const split = splitRod(scene, rods, index, operation.node);
  const { loose } = operation;
  if (loose === undefined || split.scene.rods.length === scene.rods.length) return split;
  const changed = split.scene.rods.map((rod, k) => (k === index + 1 ? { ...rod, model: loose } : rod));
  return { ...split, scene: { ...split.scene, rods: changed } };
}

/** The scene after what was done to a run; its text knows nothing of it. */
export function operateScene(scene: Scene, operations: readonly Operation[]): Scene {
  return operations.reduce((now, operation) => operate(now, compileScene(now).rods, operation).scene, scene);
}

export interface Done {
  readonly world: World;
  readonly operation: Operation;
  readonly pieces: readonly Piece[];
}

export function cutWorld(world: World, rod: number, node: number): Done {
  const { id, model } = world.rods[rod];
  const operation: Operation = { kind: 'cut', rod: id, node };
  try {
    return go(world, operation);
  } catch (error) {
    // a super-helix has a clamped root, and what is cut off has none: it falls as a discrete elastic rod
    if (!(error instanceof SceneError) || model === 'der') throw error;
    return go(world, { ...operation, loose: 'der' });
  }
}

export function pinWorld(world: World, rod: number, node: number): Done {
  const x = world.samples[rod].nodePosition;
  const { id } = world.rods[rod];
  const free = world.grips.some((grip) => grip.released && grip.rod === rod && grip.node === node);
  const dropped = (world.scene.pins ?? []).flatMap((pin, k) =>
    free && pin.rod === id && nearestNode(world.rods[rod], pin.at) === node ? [k] : [],
  );
  const position: Vec3 = [x[3 * node], x[3 * node + 1], x[3 * node + 2]];
  const operation: Operation = { kind: 'pin', rod: id, node, position, dropped };
  const { scene, pieces } = operate(world.scene, world.rods, operation);
  const same = createWorld(scene);
  try {
    same.restore(world.save());
    return { world: same, operation, pieces };
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return go(world, operation);
  }
}

function go(world: World, operation: Operation): Done {
  const { scene, pieces } = operate(world.scene, world.rods, operation);
  if (world.bodies.some(({ id }) => scene.welds?.some(({ body }) => body === id)))
    throw new SceneError(['welds'], 'rods that carry bodies cannot be cut, or pinned elsewhere, while they run');
  const rods = pieces.map((piece) =>
    startOf(world.rods[piece.rod], world.samples[piece.rod], world.channel(piece.rod, 'twist'), piece),
  );
  return { world: createWorld(scene, { start: { time: world.time, rods } }), operation, pieces };
}
