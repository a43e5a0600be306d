/**
 * Heads of hair for the GPU benchmark. `fallingHead`: hair sticks out and falls, every strand across others. `groomedHead`: hair lies combed over
 * the head in layers and hangs down, as hair does; no two strands overlap.
 */
import {
  type ContactCounts,
  capsuleObstacle,
  createGpuBatch,
  type Device,
  type GpuBatch,
  type HeadPose,
  type Obstacle,
  type Quaternion,
  type StrandDescription,
  sphereObstacle,
} from '@tendril-sim/core/batch';

/** Radius of the head, and contact radius of hair at this density [m]. */
export const HEAD = 0.1;
export const PAIR_RADIUS = 1e-4;
/** Area that each strand has in a cross-section [m²]: as dense as edges of 1 cm, which are chords of the head, lie without overlap. */
const AREA = 0.13e-6;
/**
 * Damping while hair settles [1/s], at first and at last: hair sinks by a hundredth of a contact radius per substep at first, so that contacts
 * take over its weight, layer by layer, before it passes through others.
 */
const FIRST_DAMPING = 40000;
const LAST_DAMPING = 20;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

function compose([a, b, c, d]: Quaternion, [x, y, z, w]: Quaternion): Quaternion {
  return [
    d * x + a * w + b * z - c * y,
    d * y - a * z + b * w + c * x,
    d * z + a * y - b * x + c * w,
    d * w - a * x - b * y - c * z,
  ];
}

/** Hair that grows straight out of the upper half of a head; roots by the golden angle. */
export function fallingHead(base: StrandDescription, count: number): StrandDescription[] {
  return Array.from({ length: count }, (_, k) => {
    const [z, angle] = [(k + 0.5) / count, k * GOLDEN];
    const r = Math.sqrt(1 - z * z);
    const n = [r * Math.cos(angle), r * Math.sin(angle), z] as const;
    // turns the x axis, along which the base lies, to n
    const [y2, z2, w] = [-n[2], n[1], 1 + n[0]];
    const size = Math.hypot(y2, z2, w) || 1;
    const frame = compose([0, y2 / size, z2 / size, w / size], base.frame);
    return { ...base, frame, place: [HEAD * n[0], HEAD * n[1], HEAD * n[2]] };
  });
}

/** Distance from the axis and height at the angle α from the top, or below the widest place. */
type Outline = (angle: number) => readonly [number, number];

/** Points of an outline one edge length apart; angles beyond π/2 stand for way down, one head radius per radian. */
function walk(outline: Outline, from: number, edges: number, length: number): (readonly [number, number])[] {
  const points = [outline(from)];
  let angle = from;
  for (let j = 0; j < edges; j++) {
    const [r, z] = points[j];
    const far = (a: number): number => Math.hypot(outline(a)[0] - r, outline(a)[1] - z);
    angle += length / HEAD;
    for (let k = 0; k < 6; k++) angle += (length - far(angle)) / HEAD;
    points.push(outline(angle));
  }
  return points;
}

/** Place along a curve on which strands that are near each other follow each other, mostly: bits of azimuth and height in turn. */
function placeOnCurve(around: number, height: number): number {
  const turns = around / (2 * Math.PI);
  // layers of hair are thin: the azimuth has five bits more
  const [a, h] = [Math.floor((turns - Math.floor(turns)) * 4096), Math.floor(height * 128)];
  let place = a >> 7;
  for (let bit = 6; bit >= 0; bit--) place = 4 * place + 2 * ((h >> bit) & 1) + ((a >> bit) & 1);
  return place;
}

/**
 * Hair combed down. At the angle α from the top lie all strands with roots above, later ones deeper; layers are as thick as their strands need:
 * the strand from θ is A (cos θ − cos α)/sin α above the skin. The golden angle keeps strands apart from each other in every cross-section.
 */
export function groomedHead(base: StrandDescription, count: number): StrandDescription[] {
  const thickness = (AREA * count) / (2 * Math.PI * HEAD);
  const edges = base.edgeLength.length;
  const length = base.edgeLength[0];
  const roots = Array.from({ length: count }, (_, k) => [(k + 0.5) / count, k * GOLDEN] as const);
  const places = new Map(roots.map((root) => [root, placeOnCurve(root[1], root[0])]));
  roots.sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0) || a[0] - b[0]);
  return roots.map(([cosine, around]) => {
    const outline: Outline = (angle) => {
      const a = Math.min(angle, 0.5 * Math.PI);
      const r = HEAD + 1.2 * PAIR_RADIUS + (thickness * (cosine - Math.cos(a))) / Math.sin(a);
      return [r * Math.sin(a), r * Math.cos(a) - HEAD * (angle - a)];
    };
    const points = walk(outline, Math.acos(cosine), edges, length);
    // in the plane of the strand: d1 across it, tangent (r, z)
    const slopes = points.slice(1).map(([r, z], j) => Math.atan2(z - points[j][1], r - points[j][0]));
    const relative = new Float64Array(3 * edges);
    const jointStrainRest = new Float64Array(3 * edges);
    for (let j = 1; j < edges; j++) {
      const bend = slopes[j - 1] - slopes[j];
      relative[3 * j] = Math.sin(0.5 * bend);
      jointStrainRest[3 * j] = bend;
    }
    // turns z to the first tangent about d1, after turning x to d1 = (−sin, cos, 0)
    const tilt = 0.5 * Math.PI - slopes[0];
    const turn = around + 0.5 * Math.PI;
    const frame = compose(
      [0, 0, Math.sin(0.5 * turn), Math.cos(0.5 * turn)],
      [Math.sin(0.5 * tilt), 0, 0, Math.cos(0.5 * tilt)],
    );
    const [r, z] = points[0];
    return { ...base, frame, place: [r * Math.cos(around), r * Math.sin(around), z], relative, jointStrainRest };
  });
}

/** Head and shoulders; `turn`: rotation of the head over the step. */
function obstaclesOf(turn: Quaternion, shoulders: number): Obstacle[] {
  return [
    { ...sphereObstacle(HEAD - 2 * PAIR_RADIUS, { friction: 0.3 }), turn },
    capsuleObstacle(0.12, 0.06, {
      position: [0, 0, shoulders],
      frame: [0, Math.SQRT1_2, 0, Math.SQRT1_2],
      friction: 0.3,
    }),
  ];
}

/** Hair that touches a head, shoulders and itself, and how it is moved on by a substep. */
export interface HairScene {
  readonly batch: GpuBatch;
  step(most: number): void;
  /** A substep with strong damping and the head at rest, in which groomed hair settles; `part` of the settling is over. */
  settle(part: number, most: number): void;
  /** Takes the step again in halves where strands would pass; how many steps it took. */
  advance(most: number): Promise<{ readonly steps: number; readonly isForced: boolean }>;
}

export interface HairOptions {
  readonly count: number;
  readonly kind: 'falling' | 'groomed';
  readonly dt: number;
  /** Edge of a cell of the search [m]. */
  readonly cell?: number;
  /** Substeps that a search serves. */
  readonly searchEvery?: number;
  /** How far it looks at most [m]. */
  readonly searchReach?: number;
  /** True for a fixed cost per step. */
  readonly realTime?: boolean;
}

export async function openHair(device: Device, base: StrandDescription, options: HairOptions): Promise<HairScene> {
  const { count, kind, dt, cell, searchEvery, searchReach, realTime = false } = options;
  const isGroomed = kind === 'groomed';
  const batch = await createGpuBatch(device, {
    nodes: base.edgeLength.length + 1,
    strands: isGroomed ? groomedHead(base, count) : fallingHead(base, count),
    gravity: [0, 0, -9.81],
    massDamping: 2,
    gains: 'f32',
    obstacles: 2,
    contactRadius: PAIR_RADIUS,
    pairs: {
      ...{ friction: 0.3, self: false, realTime },
      ...(searchEvery !== undefined && { searchEvery }),
      ...(cell !== undefined && { cell }),
      ...(searchReach !== undefined && { searchReach }),
    },
  });
  let n = 0;
  // groomed hair turns by 40° and back in a second
  const angleAt = (t: number): number => (isGroomed ? 0.35 * (1 - Math.cos(2 * Math.PI * t)) : 0);
  const about = (angle: number): Quaternion => [0, 0, Math.sin(0.5 * angle), Math.cos(0.5 * angle)];
  const next = (most: number): Parameters<GpuBatch['step']>[0] => {
    const t = n++ * dt;
    const head = (part: number): HeadPose => ({ rotation: about(angleAt(t + part * dt)), position: [0, 0, 0] });
    const obstacles = obstaclesOf(about(angleAt(t + dt) - angleAt(t)), isGroomed ? -0.37 : -0.25);
    return { dt, scheme: 'bdf2', obstacles, head, mostContactIterations: most, looksFurther: (searchEvery ?? 1) === 1 };
  };
  return {
    batch,
    step: (most) => batch.step(next(most)),
    settle(part, most) {
      const obstacles = obstaclesOf([0, 0, 0, 1], isGroomed ? -0.37 : -0.25);
      const massDamping = FIRST_DAMPING * (LAST_DAMPING / FIRST_DAMPING) ** part;
      batch.step({ dt, scheme: 'bdf2', obstacles, mostContactIterations: most, massDamping });
    },
    advance: (most) => batch.advance(next(most)),
  };
}

/** What a step left, in words. */
export function describeCounts(counts: ContactCounts, strands: number): string {
  const { passed, overflow, crowded, loaded, deep, unsettled, iterations, overlap, error } = counts;
  return (
    `${loaded} contacts carry force, ${((100 * deep) / Math.max(1, loaded)).toFixed(1)} % as many overlap by more than half a radius, ${(overlap / PAIR_RADIUS).toFixed(2)} radii at most, ${((100 * unsettled) / strands).toFixed(1)} % of strands not settled ` +
    `(${(error / PAIR_RADIUS).toFixed(2)} radii at most after ${iterations} iterations), ${passed} about to pass, ${overflow} too fast, ${crowded} crowded`
  );
}
