/**
 * The light around a scene, as a cube of texels of constant radiance, and its importance sampling by an alias table.
 *
 * All light comes from infinitely far. It is scaled such that a horizontal white surface under the open sky has radiance 1; the floor then has the colour
 * of the background wherever nothing shades it. Axes of the cube: x to the viewer's right, y away from the viewer, z up.
 */
import { cos, exp, hypotOf, sin } from '@tendril-sim/core/math';
import type { LightName, RenderLight, RenderScene, Triple } from './types.ts';

/** Texels along a side of a face. */
const size = 96;

/** A direction with the radiance that comes from it. */
export interface LightSample {
  dx: number;
  dy: number;
  dz: number;
  r: number;
  g: number;
  b: number;
  /** Probability per solid angle [1/sr]. */
  pdf: number;
}

/** The light of a picture. */
export interface Light {
  /** Writes radiance from a direction, and the density with which `sample` chooses it. */
  look(x: number, y: number, z: number, out: LightSample): void;
  /** Chooses a direction, more often where more light comes from; `a`, `b` are 0…1. */
  sample(a: number, b: number, out: LightSample): void;
}

/** A soft lamp: direction (right, away, up), angular size, radiance, colour. */
interface Lamp {
  readonly from: Triple;
  /** Angle at which its radiance falls [rad], and how softly. */
  readonly radius: number;
  readonly radiance: number;
  readonly color: Triple;
}

interface Arrangement {
  /** Radiance of the room below, at the horizon and above. */
  readonly room: readonly [Triple, Triple, Triple];
  readonly lamps: readonly Lamp[];
}

const warm: Triple = [1.05, 0.98, 0.88];
const cool: Triple = [0.86, 0.95, 1.1];
const white: Triple = [1, 1, 1];

const grey = (level: number, tint: Triple = white): Triple => [level * tint[0], level * tint[1], level * tint[2]];

const arrangements: Readonly<Record<LightName, Arrangement>> = {
  studio: {
    room: [grey(0.12), grey(0.3), grey(0.45, cool)],
    lamps: [
      { from: [-0.75, -0.75, 1.05], radius: 0.26, radiance: 14, color: warm },
      { from: [0.9, -0.1, 0.55], radius: 0.34, radiance: 2.2, color: cool },
      { from: [0.45, 1, 0.6], radius: 0.2, radiance: 6, color: white },
    ],
  },
  sun: {
    room: [grey(0.2, warm), grey(0.75, [0.95, 1, 1.05]), grey(0.42, [0.62, 0.82, 1.25])],
    lamps: [{ from: [-0.8, -0.55, 0.95], radius: 0.045, radiance: 420, color: [1.08, 0.98, 0.84] }],
  },
  overcast: { room: [grey(0.25), grey(0.7), grey(1.2, cool)], lamps: [] },
  rim: {
    room: [grey(0.03), grey(0.05), grey(0.1, cool)],
    lamps: [
      { from: [-0.6, -0.8, 0.9], radius: 0.2, radiance: 7, color: warm },
      { from: [0.85, 0.75, 0.45], radius: 0.16, radiance: 22, color: cool },
      { from: [-0.95, 0.7, 0.35], radius: 0.16, radiance: 14, color: white },
    ],
  },
};

/** Creates the light of a scene, turned with its camera. */
export function createLight(scene: Pick<RenderScene, 'light' | 'camera' | 'up'>): Light {
  const axes = axesOf(scene);
  const radiance = paint(scene.light);
  return { ...createTable(radiance, axes) };
}

interface Axes {
  readonly right: Triple;
  readonly away: Triple;
  readonly up: Triple;
}

/** Axes of the cube in the world. */
function axesOf({ light, camera: { eye, target }, up }: Pick<RenderScene, 'light' | 'camera' | 'up'>): Axes {
  const way = [target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]];
  const rise = way[0] * up[0] + way[1] * up[1] + way[2] * up[2];
  let level = way.map((x, k) => x - rise * up[k]);
  // seen from straight above: any level direction serves
  if (!(hypotOf(level) > 1e-6)) {
    const k = Math.abs(up[0]) < 0.6 ? 0 : 1;
    level = up.map((x, m) => (m === k ? 1 : 0) - up[k] * x);
  }
  const length = hypotOf(level);
  const [a, b, c] = level.map((x) => x / length);
  const side = [b * up[2] - c * up[1], c * up[0] - a * up[2], a * up[1] - b * up[0]];
  const [cosine, sine] = [cos(light.turn), sin(light.turn)];
  const ahead = [a, b, c];
  const mixed = (s: number, t: number): Triple => [
    s * side[0] + t * ahead[0],
    s * side[1] + t * ahead[1],
    s * side[2] + t * ahead[2],
  ];
  return { right: mixed(cosine, sine), away: mixed(-sine, cosine), up };
}

/** Direction of a point s, t (−1…1) of a face, not normalised. */
function directionOf(face: number, s: number, t: number): [number, number, number] {
  const side = face % 2 === 0 ? 1 : -1;
  return face < 2 ? [side, s, t] : face < 4 ? [s, side, t] : [s, t, side];
}

/** RGB of all texels, scaled such that the irradiance of a horizontal surface is π times the brightness. */
function paint({ name, brightness }: RenderLight): Float32Array {
  const out = new Float32Array(18 * size * size);
  const arrangement = arrangements[name];
  let irradiance = 0;
  for (let k = 0; k < 6 * size * size; k++) {
    const [s, t] = [(2 * (k % size) + 1) / size - 1, (2 * (Math.floor(k / size) % size) + 1) / size - 1];
    const d = directionOf(Math.floor(k / (size * size)), s, t);
    const norm = Math.sqrt(1 + s * s + t * t);
    const [x, y, z] = [d[0] / norm, d[1] / norm, d[2] / norm];
    const color = radianceOf(arrangement, x, y, z);
    out.set(color, 3 * k);
    const solidAngle = 4 / (size * size * norm * norm * norm);
    if (z > 0) irradiance += z * solidAngle * ((color[0] + color[1] + color[2]) / 3);
  }
  const scale = (Math.PI * brightness) / irradiance;
  for (let k = 0; k < out.length; k++) out[k] *= scale;
  return out;
}

function radianceOf({ room, lamps }: Arrangement, x: number, y: number, z: number): [number, number, number] {
  const share = z < 0 ? Math.min(1, -3 * z) : z;
  const far = z < 0 ? room[0] : room[2];
  const out: [number, number, number] = [0, 0, 0];
  for (let c = 0; c < 3; c++) out[c] = room[1][c] + share * (far[c] - room[1][c]);
  for (const { from, radius, radiance, color } of lamps) {
    const norm = hypotOf(from);
    // squared angle to the middle of the lamp, nearly
    const apart = 2 - (2 * (from[0] * x + from[1] * y + from[2] * z)) / norm;
    const level = radiance / (1 + exp(Math.min(60, 12 * (apart / (radius * radius) - 1))));
    for (let c = 0; c < 3; c++) out[c] += level * color[c];
  }
  return out;
}

/** Looks up and samples texels. */
function createTable(radiance: Float32Array, { right, away, up }: Axes): Light {
  const weight = new Float64Array(6 * size * size);
  let total = 0;
  for (let k = 0; k < weight.length; k++) {
    const [s, t] = [(2 * (k % size) + 1) / size - 1, (2 * (Math.floor(k / size) % size) + 1) / size - 1];
    const q = 1 + s * s + t * t;
    weight[k] = (radiance[3 * k] + radiance[3 * k + 1] + radiance[3 * k + 2]) / (q * Math.sqrt(q));
    total += weight[k];
  }
  const { alias, share } = aliasTable(weight, total);
  /** Fills in radiance and density of a point s, t of a texel. */
  const read = (texel: number, s: number, t: number, out: LightSample): void => {
    out.r = radiance[3 * texel];
    out.g = radiance[3 * texel + 1];
    out.b = radiance[3 * texel + 2];
    const q = 1 + s * s + t * t;
    out.pdf = ((weight[texel] / total) * size * size * q * Math.sqrt(q)) / 4;
  };
  return {
    look(x, y, z, out) {
      const a = x * right[0] + y * right[1] + z * right[2];
      const b = x * away[0] + y * away[1] + z * away[2];
      const c = x * up[0] + y * up[1] + z * up[2];
      const most = Math.max(Math.abs(a), Math.abs(b), Math.abs(c));
      const face = most === Math.abs(a) ? (a > 0 ? 0 : 1) : most === Math.abs(b) ? (b > 0 ? 2 : 3) : c > 0 ? 4 : 5;
      const s = (face < 2 ? b : a) / most;
      const t = (face < 4 ? c : b) / most;
      const column = Math.min(size - 1, Math.floor((s + 1) * 0.5 * size));
      const row = Math.min(size - 1, Math.floor((t + 1) * 0.5 * size));
      read((face * size + row) * size + column, s, t, out);
    },
    sample(a, b, out) {
      const at = a * weight.length;
      const first = Math.min(weight.length - 1, Math.floor(at));
      let rest = at - first;
      const isFirst = rest < share[first];
      const texel = isFirst ? first : alias[first];
      rest = isFirst ? rest / share[first] : (rest - share[first]) / (1 - share[first]);
      const s = (2 * ((texel % size) + Math.min(rest, 1))) / size - 1;
      const t = (2 * ((Math.floor(texel / size) % size) + b)) / size - 1;
      read(texel, s, t, out);
      const [x, y, z] = directionOf(Math.floor(texel / (size * size)), s, t);
      const scale = 1 / Math.sqrt(1 + s * s + t * t);
      out.dx = scale * (x * right[0] + y * away[0] + z * up[0]);
      out.dy = scale * (x * right[1] + y * away[1] + z * up[1]);
      out.dz = scale * (x * right[2] + y * away[2] + z * up[2]);
    },
  };
}

/** Alias table: entry k stands for itself with probability `share`, else for `alias` [Vose1991]. */
function aliasTable(weight: Float64Array, total: number): { alias: Uint32Array; share: Float64Array } {
  const count = weight.length;
  const share = Float64Array.from(weight, (w) => (w * count) / total);
  const alias = new Uint32Array(count);
  const small: number[] = [];
  const large: number[] = [];
  for (let k = 0; k < count; k++) (share[k] < 1 ? small : large).push(k);
  while (small.length > 0 && large.length > 0) {
    const k = small.pop() as number;
    const from = large[large.length - 1];
    alias[k] = from;
    share[from] -= 1 - share[k];
    if (share[from] < 1) small.push(large.pop() as number);
  }
  for (const k of [...small, ...large]) share[k] = 1;
  return { alias, share };
}
