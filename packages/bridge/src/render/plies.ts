/** Strands of ropes and yarns: helices around the centreline that follow its twist, and loose fibers of a yarn. */
import { cos, hypotOf, sin } from '@tendril-sim/core/math';
import type { Centreline } from './centreline.ts';
import { mixBits } from './sampler.ts';

interface Ply {
  readonly strands: number;
  /** Length of a turn, in radii of the rod. */
  readonly pitch: number;
}

const plies: Readonly<Record<'rope' | 'yarn', Ply>> = {
  rope: { strands: 3, pitch: 7.5 },
  yarn: { strands: 2, pitch: 6 },
};

/** Points per turn of a strand. */
const perTurn = 14;
/** Most points of a strand: a rope of thousands of turns is drawn with fewer points per turn. */
const pointLimit = 20_000;

/** The strands of a rope or yarn that fill the rod's section: balls of strands touch each other and the rod's surface. */
export function plyStrands(line: Centreline, kind: 'rope' | 'yarn'): Centreline[] {
  const { strands, pitch } = plies[kind];
  // n equal circles in a ring within a unit circle
  const s = sin(Math.PI / strands);
  const share = s / (1 + s);
  const length = line.arc[line.count - 1];
  const count = Math.min(pointLimit, Math.max(line.count, Math.ceil((perTurn * length) / pitch) + 1));
  return Array.from({ length: strands }, (_, k) =>
    wind(line, count, {
      share,
      turns: length / pitch,
      phase: (2 * Math.PI * k) / strands,
    }),
  );
}

interface Winding {
  /** Radius of the strand over that of the rod. */
  readonly share: number;
  readonly turns: number;
  readonly phase: number;
}

function wind(line: Centreline, count: number, { share, turns, phase }: Winding): Centreline {
  const out = emptyLine(count);
  const here = createPoint();
  for (let k = 0; k < count; k++) {
    const u = k / (count - 1);
    readPoint(line, u * line.arc[line.count - 1], here);
    const angle = phase + 2 * Math.PI * turns * u;
    const [c, s] = [cos(angle), sin(angle)];
    for (let m = 0; m < 3; m++) {
      const outward = c * here.d1[m] + s * here.d2[m];
      out.position[3 * k + m] = here.x[m] + (1 - share) * here.radius * outward;
      out.director[3 * k + m] = outward;
    }
    // seen from outside, a strand is somewhat flattened by its neighbours: it fills its share
    out.radius[k] = 1.06 * share * here.radius;
  }
  finish(out);
  return out;
}

/** Short fibers that stand off a yarn. */
export function createFuzz(line: Centreline): Centreline[] {
  const length = line.arc[line.count - 1];
  const count = Math.min(30_000, Math.round(5 * length));
  const here = createPoint();
  return Array.from({ length: count }, (_, k) => {
    const random = (n: number): number => mixBits(8 * k + n) / 4294967296;
    const [start, reach, angle] = [random(0) * length, 0.5 + 1.6 * random(1), 2 * Math.PI * random(2)];
    const [lean, curl] = [2.6 * (random(3) - 0.5), 3 * (random(4) - 0.5)];
    const fiber = emptyLine(5);
    for (let i = 0; i < 5; i++) {
      const u = i / 4;
      readPoint(line, Math.min(length, Math.max(0, start + lean * u)), here);
      const turn = angle + curl * u * u * 0.5;
      const off = 0.9 + 0.42 * reach * u * (1.5 - u);
      for (let m = 0; m < 3; m++) {
        const outward = cos(turn) * here.d1[m] + sin(turn) * here.d2[m];
        fiber.position[3 * i + m] = here.x[m] + off * here.radius * outward;
        fiber.director[3 * i + m] = outward;
      }
      fiber.radius[i] = (0.016 - 0.009 * u) * here.radius;
    }
    finish(fiber);
    return fiber;
  });
}

function emptyLine(count: number): Centreline {
  return {
    count,
    position: new Float64Array(3 * count),
    tangent: new Float64Array(3 * count),
    director: new Float64Array(3 * count),
    radius: new Float64Array(count),
    arc: new Float64Array(count),
    node: new Float64Array(count),
  };
}

interface Point {
  readonly x: number[];
  readonly d1: number[];
  readonly d2: number[];
  radius: number;
  /** Where the last search ended. */
  piece: number;
}

const createPoint = (): Point => ({ x: [0, 0, 0], d1: [0, 0, 0], d2: [0, 0, 0], radius: 0, piece: 0 });

/** The frame of a curve at an arc length. */
function readPoint(line: Centreline, arc: number, out: Point): void {
  let k = Math.min(out.piece, line.count - 2);
  while (k > 0 && line.arc[k] > arc) k--;
  while (k + 2 < line.count && line.arc[k + 1] < arc) k++;
  out.piece = k;
  const span = line.arc[k + 1] - line.arc[k];
  const u = span > 0 ? (arc - line.arc[k]) / span : 0;
  const mix = (values: Float64Array, m: number): number =>
    values[3 * k + m] + u * (values[3 * k + 3 + m] - values[3 * k + m]);
  const t = [0, 1, 2].map((m) => mix(line.tangent, m));
  for (let m = 0; m < 3; m++) {
    out.x[m] = mix(line.position, m);
    out.d1[m] = mix(line.director, m);
  }
  const norm = hypotOf(out.d1) || 1;
  for (let m = 0; m < 3; m++) out.d1[m] /= norm;
  for (let m = 0; m < 3; m++) {
    const [a, b] = [(m + 1) % 3, (m + 2) % 3];
    out.d2[m] = t[a] * out.d1[b] - t[b] * out.d1[a];
  }
  out.radius = line.radius[k] + u * (line.radius[k + 1] - line.radius[k]);
}

/** Tangents and arc lengths from positions, and directors normal to the tangents. */
function finish({ count, position: x, tangent: t, director: d, radius, arc }: Centreline): void {
  const mean = radius.reduce((sum, r) => sum + r, 0) / count || 1;
  for (let k = 0; k < count; k++) {
    const [a, b] = [3 * Math.max(0, k - 1), 3 * Math.min(count - 1, k + 1)];
    const v = [0, 1, 2].map((m) => x[b + m] - x[a + m]);
    const norm = hypotOf(v) || 1;
    for (let m = 0; m < 3; m++) t[3 * k + m] = v[m] / norm;
    const along = [0, 1, 2].reduce((sum, m) => sum + d[3 * k + m] * t[3 * k + m], 0);
    for (let m = 0; m < 3; m++) d[3 * k + m] -= along * t[3 * k + m];
    const size = hypotOf(d.subarray(3 * k, 3 * k + 3)) || 1;
    for (let m = 0; m < 3; m++) d[3 * k + m] /= size;
    if (k === 0) continue;
    const step = [0, 1, 2].map((m) => x[3 * k + m] - x[3 * k - 3 + m]);
    arc[k] = arc[k - 1] + hypotOf(step) / mean;
  }
}
