/**
 * The light around a scene: a photographer's studio, computed as a prefiltered cube map.
 *
 * Three's PMREMGenerator would filter it on the GPU, in 256 × 256 faces at least: where a processor draws, that takes seconds before
 * the first picture. The soft boxes are smooth, so that faces of 64 texels, filtered here within some milliseconds, look the same.
 * The axes of the map are: x towards the camera, z up.
 */
import {
  CompressedCubeTexture,
  DataUtils,
  HalfFloatType,
  LinearFilter,
  LinearMipmapLinearFilter,
  LinearSRGBColorSpace,
  RGBAFormat,
} from 'three';

const size = 64;
/** Samples of the GGX lobe in each level; the first is a mirror. The last level holds the diffuse light. */
const samples = [1, 48, 128, 256] as const;
/** Texels along a face of what is filtered. */
const sourceSize = 32;

export function createEnvironment(): CompressedCubeTexture {
  const source = paintFaces(sourceSize, radiance);
  const levels = samples.map((count, level) => {
    const width = size >> level;
    const roughness = 1 - Math.sqrt(1 - level / (samples.length - 1));
    const directions = lobe(count, roughness);
    return paintFaces(width, level === 0 ? radiance : (d, out) => gather(source, d, directions, out));
  });
  const images = [0, 1, 2, 3, 4, 5].map((face) => ({
    width: size,
    height: size,
    mipmaps: levels.map((data, level) => toMipmap(data, face, size >> level)),
  }));
  // three takes plain formats here too; its types know compressed ones only
  const Cube = CompressedCubeTexture as unknown as new (
    faces: typeof images,
    format: typeof RGBAFormat,
    type: typeof HalfFloatType,
  ) => CompressedCubeTexture;
  const texture = new Cube(images, RGBAFormat, HalfFloatType);
  texture.isPMREMTexture = true;
  texture.colorSpace = LinearSRGBColorSpace;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

type Direction = [x: number, y: number, z: number];
type Paint = (direction: Readonly<Direction>, out: Direction) => void;

/** RGB of six faces of `width` × `width` texels. */
function paintFaces(width: number, paint: Paint): Float32Array {
  const data = new Float32Array(18 * width * width);
  const direction: Direction = [0, 0, 0];
  const color: Direction = [0, 0, 0];
  let at = 0;
  for (let face = 0; face < 6; face++) {
    for (let j = 0; j < width; j++) {
      for (let i = 0; i < width; i++, at += 3) {
        directionOf(face, (2 * i + 1) / width - 1, (2 * j + 1) / width - 1, direction);
        paint(direction, color);
        data.set(color, at);
      }
    }
  }
  return data;
}

/** Faces in the order of OpenGL; three mirrors x of cube maps that are not drawn by itself. */
function directionOf(face: number, s: number, t: number, out: Direction): void {
  const scale = 1 / Math.sqrt(1 + s * s + t * t);
  const side = face % 2 === 0 ? scale : -scale;
  out[0] = face < 2 ? -side : face < 4 ? -s * scale : -s * side;
  out[1] = face < 2 || face > 3 ? -t * scale : side;
  out[2] = face < 2 ? -s * side : face < 4 ? t * side : side;
}

/** Index of the texel in a direction; without allocation, for it is called half a million times. */
function texelOf(x: number, y: number, z: number, width: number): number {
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  let face = z > 0 ? 4 : 5;
  let s = z > 0 ? -x : x;
  let t = -y;
  if (most === Math.abs(x)) {
    face = x < 0 ? 0 : 1;
    s = x < 0 ? -z : z;
  } else if (most === Math.abs(y)) {
    face = y > 0 ? 2 : 3;
    s = -x;
    t = y > 0 ? z : -z;
  }
  const half = (0.5 * width) / most;
  const row = Math.min(width - 1, Math.floor(0.5 * width + half * t));
  const column = Math.min(width - 1, Math.floor(0.5 * width + half * s));
  return 3 * ((face * width + row) * width + column);
}

/** Directions about z and their weights, as light comes to a surface of this roughness that is seen from above. */
function lobe(count: number, roughness: number): readonly Direction[] {
  const squared = roughness ** 4;
  const directions: Direction[] = [];
  for (let k = 0; k < count; k++) {
    const u = (k + 0.5) / count;
    const q = 1 / (1 - u + squared * u);
    const z = (1 - u - squared * u) * q;
    if (z <= 0) continue;
    const across = 2 * roughness ** 2 * Math.sqrt(u * (1 - u)) * q;
    const angle = k * Math.PI * (3 - Math.sqrt(5));
    directions.push([across * Math.cos(angle), across * Math.sin(angle), z]);
  }
  return directions;
}

function gather(
  source: Float32Array,
  [x, y, z]: Readonly<Direction>,
  from: readonly Direction[],
  out: Direction,
): void {
  // a right-handed frame about the direction
  const sign = z < 0 ? -1 : 1;
  const a = -1 / (sign + z);
  const b = x * y * a;
  const [ux, uy, uz] = [1 + sign * x * x * a, sign * b, -sign * x];
  const [vx, vy, vz] = [b, sign + y * y * a, -y];
  let total = 0;
  out.fill(0);
  for (let k = 0; k < from.length; k++) {
    const [p, q, w] = from[k];
    const at = texelOf(p * ux + q * vx + w * x, p * uy + q * vy + w * y, p * uz + q * vz + w * z, sourceSize);
    for (let c = 0; c < 3; c++) out[c] += w * source[at + c];
    total += w;
  }
  for (let c = 0; c < 3; c++) out[c] /= total;
}

function toMipmap(
  data: Float32Array,
  face: number,
  width: number,
): { data: Uint16Array; width: number; height: number } {
  const texels = width * width;
  const out = new Uint16Array(4 * texels).fill(DataUtils.toHalfFloat(1));
  for (let k = 0; k < texels; k++) {
    for (let c = 0; c < 3; c++) out[4 * k + c] = DataUtils.toHalfFloat(data[3 * (face * texels + k) + c]);
  }
  return { data: out, width, height: width };
}

/** A bright box above, a long strip at one side and a weaker one at the other, in a room that is darker below. */
function radiance([x, y, z]: Readonly<Direction>, out: Direction): void {
  const u = Math.atan2(y, x) / (2 * Math.PI) + 0.5;
  const v = Math.asin(z) / Math.PI + 0.5;
  const room = 0.28 + 0.75 * v;
  const above = 5 * soft(v, 0.8, 1.1, 0.08);
  const strip = 6 * soft(u, 0.08, 0.2, 0.04) * soft(v, 0.45, 0.85, 0.08);
  const fill = 2.2 * soft(u, 0.6, 0.82, 0.05) * soft(v, 0.4, 0.75, 0.08);
  const warm = 1 + 0.06 * (strip > fill ? 1 : -1);
  const light = room + above + strip + fill;
  [out[0], out[1], out[2]] = [light * warm, light, light / warm];
}

/** One between two bounds, with soft ends. */
function soft(x: number, from: number, to: number, blur: number): number {
  const step = (u: number): number => {
    const t = Math.min(1, Math.max(0, u));
    return t * t * (3 - 2 * t);
  };
  return step((x - from) / blur) * step((to - x) / blur);
}
