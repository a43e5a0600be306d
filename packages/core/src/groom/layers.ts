/**
 * Layers of a hairstyle: operators on the hairs between the guides, applied in order whenever hairs are placed.
 *
 * They change neither guides nor roots, so a layer can be changed or removed at any time. `clump` pulls hairs together in groups, `curl` winds every hair
 * about its own path, `frizz` moves it off that path by smooth noise. Displacements are across the hair, in axes that turn with its root, and start at
 * zero there. They add length; a clump changes it a little.
 *
 * Input: hairs with their layers, and a function that places a hair without layers. Output: the points of a hair with all layers.
 */
import { SceneError } from '../errors.ts';
import { cos, hypot, pow, sin, square } from '../math/rounded/index.ts';
import { randomAt } from './random.ts';
import type { Roots } from './roots.ts';

/** Pulls hairs together in groups, more towards the tip. Give several, from few groups to many, for clumps within clumps. */
export interface ClumpLayer {
  readonly type: 'clump';
  /** Number of groups. */
  readonly count: number;
  /** How far tips are pulled to the middle hair of their group, 0 to 1. */
  readonly strength: number;
  /** Exponent of the fraction of length: how late along the hair it begins. Default 2. */
  readonly power?: number;
}

/** Winds every hair about its own path. */
export interface CurlLayer {
  readonly type: 'curl';
  /** Distance from the path, and rise per turn [m]; a negative pitch winds to the left. */
  readonly radius: number;
  /** Rise per turn [m]; negative winds to the left. */
  readonly pitch: number;
  /** Random phase of each hair, as a fraction of a turn: 0 (default) keeps neighbours in phase, 1 is no order. */
  readonly phase?: number;
}

/** Moves every hair off its path by smooth noise. */
export interface FrizzLayer {
  readonly type: 'frizz';
  /** Root mean square of the displacement, and the mean length of its waves [m]. */
  readonly amplitude: number;
  /** Mean length of the waves [m]. */
  readonly wavelength: number;
}

/** An operator on hairs. */
export type HairLayer = ClumpLayer | CurlLayer | FrizzLayer;

/** Layers, with the data of the hairs that they need. */
export interface CompiledLayers {
  /** Layers, in the order in which they act. */
  readonly layers: readonly HairLayer[];
  /** Middle hair of the group of each hair, for each clump layer; empty for others. */
  readonly center: readonly Uint32Array[];
  /** Seed of the random numbers of the layers. */
  readonly seed: number;
}

/** Checks the layers and divides the hairs into groups. Throws SceneError. */
export function compileLayers(layers: readonly HairLayer[], roots: Roots, seed: number): CompiledLayers {
  layers.forEach((layer, k) => {
    checkLayer(layer, ['layers', k]);
  });
  const center = layers.map((layer, k) =>
    layer.type === 'clump' ? findCenters(roots, layer.count, seed + 31 * k) : new Uint32Array(0),
  );
  return { layers, center, seed };
}

function checkLayer(layer: HairLayer, path: readonly (string | number)[]): void {
  const check = (name: string, value: number, isGood: boolean, what: string): void => {
    if (!(Number.isFinite(value) && isGood)) throw new SceneError([...path, name], `must be ${what}, got ${value}`);
  };
  if (layer.type === 'clump') {
    const { count, strength, power = 2 } = layer;
    check('count', count, Number.isInteger(count) && count > 0 && count <= 1e5, 'a whole number from 1 to 100000');
    check('strength', strength, strength >= 0 && strength <= 1, 'from 0 to 1');
    check('power', power, power >= 0, 'zero or more');
  } else if (layer.type === 'curl') {
    const { radius, pitch, phase = 0 } = layer;
    check('radius', radius, radius > 0, 'positive');
    check('pitch', pitch, pitch !== 0, 'other than zero');
    check('phase', phase, phase >= 0 && phase <= 1, 'from 0 to 1');
  } else if (layer.type === 'frizz') {
    check('amplitude', layer.amplitude, layer.amplitude >= 0, 'zero or more');
    check('wavelength', layer.wavelength, layer.wavelength > 0, 'positive');
  } else throw new SceneError([...path, 'type'], 'unknown layer; known: clump, curl, frizz');
}

/** The nearest of `count` random hairs, for each hair, among those of its section whose normals do not point apart; a middle hair has itself. */
function findCenters(
  { count: hairs, position: p, normal: n, section }: Roots,
  count: number,
  seed: number,
): Uint32Array {
  const out = new Uint32Array(hairs);
  const groups = Math.min(count, hairs);
  // a random hair of each stretch of the list: roots are listed in random order
  const middles = Array.from({ length: groups }, (_, k) =>
    Math.min(hairs - 1, Math.floor(((k + randomAt(seed, k)) * hairs) / groups)),
  );
  for (let h = 0; h < hairs; h++) {
    let least = Number.POSITIVE_INFINITY;
    out[h] = h;
    const o = 3 * h;
    for (const m of middles) {
      const a = 3 * m;
      const d = square(p[a] - p[o]) + square(p[a + 1] - p[o + 1]) + square(p[a + 2] - p[o + 2]);
      if (section && section[m] !== section[h]) continue;
      if (d >= least || n[a] * n[o] + n[a + 1] * n[o + 1] + n[a + 2] * n[o + 2] < 0) continue;
      least = d;
      out[h] = m;
    }
  }
  return out;
}

/** How to place a hair without layers. */
export interface HairPlacer {
  /** Points per hair. */
  readonly nodes: number;
  /** Writes the points of hair h, and the direction across it at its root, unit. */
  place(out: Float64Array, side: Float64Array, h: number): void;
}

/** Places hairs with their layers. */
export function createLayering(compiled: CompiledLayers, placer: HairPlacer): (out: Float64Array, h: number) => void {
  const { layers, center } = compiled;
  const { nodes } = placer;
  // middle hairs before each clump: many hairs ask for the same one
  const known = layers.map(() => new Map<number, Float64Array>());
  const side = new Float64Array(3);
  const placeUpTo = (out: Float64Array, h: number, count: number): void => {
    placer.place(out, side, h);
    const root = side.slice();
    for (let k = 0; k < count; k++) {
      const layer = layers[k];
      if (layer.type === 'clump') pull(out, middleOf(center[k][h], k), layer, nodes);
      else displace(out, root, nodes, displacementOf(layer, compiled.seed + 17 * k, h));
    }
  };
  const middleOf = (h: number, k: number): Float64Array => {
    const found = known[k].get(h);
    if (found) return found;
    const points = new Float64Array(3 * nodes);
    placeUpTo(points, h, k);
    known[k].set(h, points);
    return points;
  };
  return (out, h) => placeUpTo(out, h, layers.length);
}

function pull(out: Float64Array, middle: Float64Array, { strength, power = 2 }: ClumpLayer, nodes: number): void {
  for (let i = 1; i < nodes; i++) {
    const c = strength * pow(i / (nodes - 1), power);
    for (let k = 3 * i; k < 3 * i + 3; k++) out[k] += c * (middle[k] - out[k]);
  }
}

/** Displacement along both directions across the hair, at arc length s [m]. */
type Displacement = (s: number, out: Float64Array) => void;

function displacementOf(layer: CurlLayer | FrizzLayer, seed: number, h: number): Displacement {
  const random = (k: number): number => randomAt(seed + 101 * k, h);
  if (layer.type === 'curl') {
    const { radius, pitch, phase = 0 } = layer;
    const start = 2 * Math.PI * phase * random(0);
    return (s, out) => {
      const angle = (2 * Math.PI * s) / pitch + start;
      // the hair leaves its root within half a turn
      const share = Math.min(1, (2 * s) / Math.abs(pitch));
      const r = radius * share * share * (3 - 2 * share);
      out[0] = r * cos(angle);
      out[1] = r * sin(angle);
    };
  }
  const { amplitude, wavelength } = layer;
  const waves = Array.from({ length: 4 }, (_, k) => ({
    across: k % 2,
    number: ((0.6 + 0.8 * random(k)) * 2 * Math.PI) / wavelength,
    start: 2 * Math.PI * random(k + 4),
  }));
  return (s, out) => {
    out.fill(0);
    const share = Math.min(1, s / wavelength);
    // two waves in each of two directions: mean square amplitude² in all
    for (const { across, number, start } of waves)
      out[across] += share * amplitude * Math.SQRT1_2 * sin(number * s + start);
  };
}

const offset = new Float64Array(2);

/** Moves the points across the hair, in axes that are carried along it from `side` at the root. */
function displace(p: Float64Array, side: Float64Array, nodes: number, write: Displacement): void {
  let [ax, ay, az] = side;
  let s = 0;
  // of the path, which the points leave one by one
  let [px, py, pz] = p;
  for (let i = 1; i < nodes; i++) {
    const o = 3 * i;
    const [x, y, z] = [p[o], p[o + 1], p[o + 2]];
    const length = hypot(x - px, y - py, z - pz);
    if (length === 0) continue;
    const [tx, ty, tz] = [(x - px) / length, (y - py) / length, (z - pz) / length];
    s += length;
    const along = ax * tx + ay * ty + az * tz;
    [ax, ay, az] = [ax - along * tx, ay - along * ty, az - along * tz];
    const size = hypot(ax, ay, az);
    // a hair that turns by a right angle within a segment: any direction across will do
    if (size < 1e-6) [ax, ay, az] = Math.abs(tx) < 0.6 ? [0, tz, -ty] : [-tz, 0, tx];
    const scale = 1 / hypot(ax, ay, az);
    [ax, ay, az] = [ax * scale, ay * scale, az * scale];
    write(s, offset);
    const [u, v] = offset;
    p[o] = x + u * ax + v * (ty * az - tz * ay);
    p[o + 1] = y + u * ay + v * (tz * ax - tx * az);
    p[o + 2] = z + u * az + v * (tx * ay - ty * ax);
    [px, py, pz] = [x, y, z];
  }
}

/** Points per hair that show its layers: eight per turn or wave of a hair of this length, from `least` to 400. */
export function layerNodes(layers: readonly HairLayer[] | undefined, length: number, least: number): number {
  const waves = (layers ?? []).map((layer) =>
    layer.type === 'curl' ? length / Math.abs(layer.pitch) : layer.type === 'frizz' ? length / layer.wavelength : 0,
  );
  return Math.min(400, Math.max(least, 1 + Math.ceil(8 * Math.max(0, ...waves))));
}
