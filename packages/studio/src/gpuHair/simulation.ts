/** The hair of the page on the GPU: it grows on a bust that turns, in wind, and moves by four substeps per frame. */
import {
  createGpuBatch,
  describeCurve,
  type Field,
  type GpuBatch,
  type HeadPose,
  type Obstacle,
  openField,
  type Quaternion,
  type StrandDescription,
} from '@tendril-sim/core/batch';
import type { Bust } from './bust.ts';
import { CONTACT_RADIUS, type HairShapes, NODES } from './style.ts';

const EDGES = NODES - 1;
/** Length of a frame [s], and substeps in it. */
export const FRAME: number = 1 / 60;
const SUBSTEPS = 4;
/** Human hair: moduli [Pa] and density [kg/m³]. A strand stands for a lock, and bends like one hair. */
const KERATIN = { youngModulus: 3.58e9, shearModulus: 1.07e9, density: 1300 };
const RADIUS = 4e-5;
/** Drag of air per length, across and along [N s/m²]: a tenth of that of a lone hair, since the hairs of a lock shelter each other. */
const DRAG = { normal: 2.4e-5, tangential: 1.2e-5 };
/** Frames in which hair that was just grown sinks into place, and damping meanwhile [1/s]. */
export const SETTLING = 40;
const SETTLING_DAMPING = 60;

export interface HairOptions {
  readonly shapes: HairShapes;
  readonly bust: Bust;
  /** True if strands touch each other, at a fixed cost per frame. */
  readonly touches: boolean;
  /** Iterations of contact at most; 4 if strands touch. */
  readonly iterations: 4 | 8 | 16 | 32;
}

/** What a frame depends on. */
export interface Surroundings {
  /** Turn of the bust about the vertical at the end of the frame [rad]. */
  readonly turn: number;
  /** [m/s] */
  readonly wind: readonly [number, number, number];
}

export interface Hair {
  readonly batch: GpuBatch;
  /** Pose of the bust now. */
  readonly pose: HeadPose;
  /** Moves on by a frame; returns before the device has finished. */
  advance(surroundings: Surroundings): void;
  destroy(): void;
}

export const turnAbout = (angle: number): Quaternion => [0, 0, Math.sin(0.5 * angle), Math.cos(0.5 * angle)];

/** The strands for the device: those of one length share what does not depend on their shape. */
function describeStrands({ count, points, clearances, edgeLengths }: HairShapes): StrandDescription[] {
  type Shared = Pick<StrandDescription, 'edgeLength' | 'nodeMass' | 'jointStiffness' | 'air'>;
  const classes = new Map<number, Shared>();
  const section = { ...KERATIN, a: RADIUS, b: RADIUS };
  const spared = [2];
  return Array.from({ length: count }, (_, s) => {
    const length = edgeLengths[s];
    const curve = describeCurve(points.subarray(3 * NODES * s, 3 * NODES * (s + 1)), section);
    const shared = classes.get(length) ?? shareOf(length, section);
    classes.set(length, shared);
    return {
      ...curve,
      ...shared,
      contact: {
        radius: clearances.subarray(EDGES * s, EDGES * (s + 1)),
        pairRadius: pairRadii,
        spared,
      },
    };
  });
}

const pairRadii = new Float32Array(EDGES).fill(1e-4);

function shareOf(
  length: number,
  section: Parameters<typeof describeCurve>[1],
): Pick<StrandDescription, 'edgeLength' | 'nodeMass' | 'jointStiffness' | 'air'> {
  const straight = Array.from({ length: 3 * NODES }, (_, k) => (k % 3 === 2 ? -length * Math.floor(k / 3) : 0));
  const { edgeLength, nodeMass, jointStiffness } = describeCurve(straight, section, [1, 0, 0]);
  const half = 0.5 * length;
  const air = Float64Array.from({ length: 4 * EDGES }, (_, k) =>
    k % 4 === 0 ? half * DRAG.normal : k % 4 === 1 ? half * DRAG.tangential : 0,
  );
  return { edgeLength, nodeMass, jointStiffness, air };
}

/** Puts hair on a device. */
export async function openHair(device: GPUDevice, options: HairOptions): Promise<Hair> {
  const { shapes, bust, touches, iterations } = options;
  const field = openField(bust.table);
  const batch = await createGpuBatch(device, {
    nodes: NODES,
    strands: describeStrands(shapes),
    hasAir: true,
    stiffnessDamping: 0.002,
    obstacles: 1,
    fields: field.rows,
    contactRadius: CONTACT_RADIUS,
    ...(touches && { pairs: { friction: 0.3, self: false, realTime: true } }),
  });
  let [angle, frames] = [0, 0];
  let pose: HeadPose = { rotation: turnAbout(0), position: [0, 0, 0] };
  return {
    batch,
    get pose() {
      return pose;
    },
    advance({ turn, wind }) {
      const settles = frames < SETTLING;
      for (let k = 0; k < SUBSTEPS; k++) {
        const from = angle;
        angle += (turn - angle) / (SUBSTEPS - k);
        const to = angle;
        batch.step({
          dt: FRAME / SUBSTEPS,
          head: (part) => ({ rotation: turnAbout(from + part * (to - from)), position: [0, 0, 0] }),
          obstacles: [bustObstacle(field, from, to)],
          air: [...wind, 1],
          mostContactIterations: touches ? 4 : iterations,
          looksFurther: false,
          ...(settles && { massDamping: SETTLING_DAMPING }),
        });
      }
      pose = { rotation: turnAbout(angle), position: [0, 0, 0] };
      frames++;
    },
    destroy: () => batch.destroy(),
  };
}

/** The bust at the start of a step that turns it. The table's middle is not on the axis, so it moves, too. */
function bustObstacle(field: Field, from: number, to: number): Obstacle {
  const frame = turnAbout(from);
  const obstacle = field.place({ frame, friction: 0.2, turn: turnAbout(to - from) });
  const end = field.place({ frame: turnAbout(to) });
  const shift = [0, 1, 2].map((k) => end.position[k] - obstacle.position[k]) as [number, number, number];
  return { ...obstacle, shift };
}
