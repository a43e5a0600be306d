/**
 * Hairstyles of the GPU page: strands that grow from the scalp of the bust, are combed over it and hang down. Their shape is where they begin and what
 * they return to.
 */
import type { Field } from '@tendril-sim/core/batch';
import { leanAt } from '../worker/groom/heads.ts';
import { along, cross, dot, scaleTo, type Vector } from './vectors.ts';

/** Nodes of a strand. */
export const NODES = 32;
const EDGES = NODES - 1;

/** What distinguishes hairstyles. */
interface Style {
  /** Length from the crown [m]. */
  readonly length: number;
  /** Height at which all hair is cut [m], if it is. */
  readonly cut?: number;
  /** Radius of curls [m], and how long one is along the strand [m]. */
  readonly curl: number;
  readonly pitch: number;
  /** How far hair stands off the skin at most, beside its curls [m]. */
  readonly volume: number;
  /** Turns that neighbours differ by: 0 for waves in step. */
  readonly disorder: number;
}

export type StyleId = 'long' | 'waves' | 'curls' | 'bob';

const styles: Readonly<Record<StyleId, Style>> = {
  long: { length: 0.42, curl: 0, pitch: 0.1, volume: 0.012, disorder: 1 },
  waves: { length: 0.36, curl: 0.0045, pitch: 0.055, volume: 0.016, disorder: 0.12 },
  curls: { length: 0.3, curl: 0.0065, pitch: 0.042, volume: 0.022, disorder: 0.2 },
  bob: { length: 0.3, cut: -0.1, curl: 0.0015, pitch: 0.08, volume: 0.014, disorder: 0.4 },
};

export const styleIds: readonly StyleId[] = Object.keys(styles) as StyleId[];

/** Strands with lengths in a few classes: those of a class share everything but their shape. */
export interface HairShapes {
  readonly count: number;
  /** Nodes [m], 3 per node, strand by strand. */
  readonly points: Float32Array;
  /** Distance that each edge keeps from the skin [m]. */
  readonly clearances: Float32Array;
  /** Length of all edges of a strand [m]. */
  readonly edgeLengths: Float32Array;
}

const CLASSES = 12;
/** Middle of the skull, from which roots are cast onto the skin [m]. */
const MIDDLE: Vector = [0, 0.014, 0.02];
/** Steps along a strand per edge while it is combed. */
const FINENESS = 3;
/** Radius of hair in contact with the skin [m]: that of a small lock. */
export const CONTACT_RADIUS = 2.5e-4;

const fraction = (x: number): number => x - Math.floor(x);
/** The same number for the same two, between 0 and 1. */
const noise = (k: number, seed: number): number => fraction(Math.sin(12.9898 * k + 78.233 * seed) * 43758.5453);

/** The skin: distance from it and its normal, as the simulation knows them. */
type Skin = Pick<Field, 'sample'>;
const found = new Float64Array(4);

function distanceFrom(skin: Skin, [x, y, z]: Vector): number {
  skin.sample(found, x, y, z);
  return found[0];
}

/** Whether hair grows at a place: above a plane from the forehead to the nape, behind the ears. */
const isScalp = ([x, y, z]: Vector): boolean => 0.634 * y + 0.775 * z > 0.011 && Math.hypot(x, y) + z > 0.02;

/** Roots in an even sequence: the first of them alone are even, too. */
function castRoots(skin: Skin, count: number): Vector[] {
  const roots: Vector[] = [];
  for (let k = 1; roots.length < count; k++) {
    // the plastic number's sequence, on the sphere
    const z = 2 * fraction(0.7548776662466927 * k) - 1;
    const around = 2 * Math.PI * fraction(0.5698402909980532 * k);
    const r = Math.sqrt(1 - z * z);
    const direction: Vector = [r * Math.cos(around), r * Math.sin(around), z];
    let distance = 0.05;
    for (let step = 0; step < 12; step++) distance -= distanceFrom(skin, along(MIDDLE, direction, distance));
    const root = along(MIDDLE, direction, distance);
    if (isScalp(root)) roots.push(root);
  }
  return roots;
}

/** A fine line from the root: out of the skin, then as it is combed, and down where nothing holds it. */
function combStrand(skin: Skin, root: Vector, length: number, float: number): Vector[] {
  const steps = EDGES * FINENESS;
  const step = length / steps;
  const line: Vector[] = [root];
  let p = root;
  skin.sample(found, ...root);
  let d = scaleTo(along([found[1], found[2], found[3]], leanAt('head', 1.2, root), 0.9), 1);
  for (let k = 0; k < steps; k++) {
    skin.sample(found, ...p);
    const [distance, nx, ny, nz] = found;
    const n: Vector = [nx, ny, nz];
    const s = k * step;
    // combed near the root, by its weight beyond
    const weight = Math.min(1, s / 0.12);
    const combed = scaleTo(leanAt('head', 1, p), 1 - weight);
    const wish = scaleTo([combed[0], combed[1], combed[2] - 0.25 - weight], 1);
    const turn = Math.min(1, 45 * step);
    d = scaleTo(along(scaleTo(d, 1 - turn), wish, turn), 1);
    // hair that comes nearer to the skin than it shall turns along it, and away from it where it is nearer
    const target = float * Math.min(1, s / 0.05) + 2 * CONTACT_RADIUS;
    const into = dot(d, n);
    const excess = (target - distance) / 0.006;
    const least = Math.max(-1, Math.min(0.7, excess));
    if (into < least) d = scaleTo(along(d, n, least - into), 1);
    p = along(p, d, step);
    line.push(p);
  }
  return line;
}

/** Winds a line about itself, more and more from the root on. */
function curlLine(line: readonly Vector[], { curl, pitch }: Style, length: number, phase: number): Vector[] {
  if (curl === 0) return [...line];
  let side: Vector = [1, 0, 0];
  return line.map((p, k) => {
    const [a, b] = [line[Math.max(0, k - 1)], line[Math.min(line.length - 1, k + 1)]];
    const t = scaleTo([b[0] - a[0], b[1] - a[1], b[2] - a[2]], 1);
    side = scaleTo(along(side, t, -dot(side, t)), 1);
    const across = cross(t, side);
    const s = (k / (line.length - 1)) * length;
    const size = curl * Math.min(1, s / 0.07) ** 1.5;
    const angle = (2 * Math.PI * s) / pitch + phase;
    return along(along(p, side, size * Math.cos(angle)), across, size * Math.sin(angle));
  });
}

/** Places along a line that are all one chord apart, `length` being the sum of the chords. */
function divideLine(line: readonly Vector[], length: number): Vector[] {
  const chord = length / EDGES;
  const nodes: Vector[] = [line[0]];
  let [k, p] = [0, line[0]];
  while (nodes.length < NODES) {
    while (k < line.length - 1 && Math.hypot(...along(line[k + 1], p, -1)) < chord) k++;
    if (k < line.length - 1) {
      // the place between k and k + 1 that is one chord away
      let [low, high] = [0, 1];
      const between = (t: number): Vector => along(line[k], along(line[k + 1], line[k], -1), t);
      for (let i = 0; i < 30; i++) {
        const t = 0.5 * (low + high);
        if (Math.hypot(...along(between(t), p, -1)) < chord) low = t;
        else high = t;
      }
      p = between(high);
    } else {
      // a line that bends has shorter chords than it is long: it goes on straight
      const last = along(line[k], line[k - 1], -1);
      p = along(p, scaleTo(last, chord), 1);
    }
    nodes.push(p);
  }
  return nodes;
}

/** Length of a strand, one of a few. */
function lengthOf({ length, cut }: Style, root: Vector, k: number): number {
  const free = cut === undefined ? length : Math.min(length, 0.05 + 1.12 * (root[2] - cut));
  const varied = free * (0.86 + 0.14 * noise(k, 2));
  const size = length / CLASSES;
  return Math.max(3, Math.round(varied / size)) * size;
}

/** The strands of a hairstyle. */
export function growStyle(id: StyleId, count: number, skin: Skin): HairShapes {
  const style: Style = styles[id];
  const points = new Float32Array(3 * NODES * count);
  const clearances = new Float32Array(EDGES * count);
  const edgeLengths = new Float32Array(count);
  castRoots(skin, count).forEach((root, k) => {
    const length = lengthOf(style, root, k);
    const float = 1.3 * style.curl + style.volume * noise(k, 1) ** 1.4;
    // neighbours wind nearly in step, so that they form locks
    const lock = noise(Math.floor(root[0] / 0.012) + 37 * Math.floor(root[1] / 0.012), 4);
    const phase = 2 * Math.PI * (style.disorder * noise(k, 3) + lock);
    const nodes = divideLine(curlLine(combStrand(skin, root, length, float), style, length, phase), length);
    edgeLengths[k] = length / EDGES;
    const distances = nodes.map((node) => distanceFrom(skin, node));
    points.set(nodes.flat(), 3 * NODES * k);
    for (let j = 0; j < EDGES; j++) {
      const least = Math.min(distances[j], distances[j + 1]) - CONTACT_RADIUS;
      clearances[EDGES * k + j] = Math.max(CONTACT_RADIUS, Math.min(float, least));
    }
  });
  return { count, points, clearances, edgeLengths };
}
