/**
 * How much hair lies between a place and the light, and around it: a grid of densities that every shader can sample.
 *
 * The nodes of the hairs are counted in a grid whose third axis points to the light, and summed along it: the red channel is the optical
 * depth towards the light. The green channel is the density about the place, which takes ambient light. The grid is smoothed, because a
 * shadow of hair is soft. It costs a few nanoseconds per node, on the processor, and no pass of drawing.
 */
import { ClampToEdgeWrapping, Data3DTexture, LinearFilter, Matrix4, RGFormat, UnsignedByteType, Vector3 } from 'three';
import { DYNAMIC, type Records } from './records.ts';

/** Uniforms through which a shader reads the shadow of hair. */
export interface HairShadowUniforms {
  /** How much hair the light crosses up to each cell of a grid. */
  readonly hairDepth: { readonly value: Data3DTexture };
  /** From world axes to the grid, 0…1. */
  readonly hairGrid: { readonly value: Matrix4 };
}

/** Shadow that hair casts on itself and on other things. */
export interface HairShadow {
  readonly uniforms: HairShadowUniforms;
  /** Fills the grid from the nodes. `area`: projected area of one hair's node [m²]; `light`: direction towards the light, unit. */
  update(records: Records, area: number, light: Vector3): void;
  dispose(): void;
}

const cells = 40;
/** Optical depth that the brightest texel stands for. */
const deepest = 8;

/** GLSL: `hairLight(place)` returns what hair leaves of direct (x) and ambient (y) light at a place in world axes. */
export const hairLight: string = /* glsl */ `
uniform highp sampler3D hairDepth;
uniform mat4 hairGrid;
vec2 hairLight(vec3 place) {
  vec3 at = (hairGrid * vec4(place, 1.0)).xyz;
  vec3 outside = max(vec3(0.0), max(-at, at - 1.0));
  // beyond the grid towards the light nothing is in the way; on its far side all of the column is
  if (outside.x + outside.y > 0.0 || at.z > 1.0) return vec2(1.0);
  vec2 depth = ${deepest.toFixed(1)} * texture(hairDepth, at).rg;
  return exp(-vec2(depth.x, depth.y) * vec2(1.0, exp(-8.0 * outside.z)));
}
`;

/** Creates the grid; it is empty until `update`. */
export function createHairShadow(): HairShadow {
  const count = cells * cells * cells;
  const density = new Float32Array(count);
  const smooth = new Float32Array(count);
  const data = new Uint8Array(2 * count);
  const texture = new Data3DTexture(data, cells, cells, cells);
  texture.format = RGFormat;
  texture.type = UnsignedByteType;
  texture.minFilter = LinearFilter;
  texture.magFilter = LinearFilter;
  texture.wrapS = ClampToEdgeWrapping;
  texture.wrapT = ClampToEdgeWrapping;
  texture.wrapR = ClampToEdgeWrapping;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  const uniforms = { hairDepth: { value: texture }, hairGrid: { value: new Matrix4() } };
  return {
    uniforms,
    update(records, area, light) {
      const axes = axesOf(light);
      const { low, size } = boundsOf(records, axes);
      const step = size / cells;
      density.fill(0);
      splat(density, records, axes, low, step);
      blur(density, smooth);
      // area of hair per volume, times a length: optical depth
      writeDepths(data, density, (area / (step * step * step)) * step);
      placeGrid(uniforms.hairGrid.value, axes, low, size);
      texture.needsUpdate = true;
    },
    dispose: () => texture.dispose(),
  };
}

/** Two directions across the light, and the light. */
function axesOf(light: Vector3): [Vector3, Vector3, Vector3] {
  const z = light.clone().normalize();
  const x = new Vector3(Math.abs(z.x) < 0.9 ? 1 : 0, Math.abs(z.x) < 0.9 ? 0 : 1, 0);
  x.addScaledVector(z, -x.dot(z)).normalize();
  return [x, new Vector3().crossVectors(z, x), z];
}

/** A cube about all nodes, in those axes, with a cell to spare at each side. */
function boundsOf({ dynamic, count }: Records, axes: readonly Vector3[]): { low: number[]; size: number } {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < count; i++) {
    const o = DYNAMIC * i;
    for (let k = 0; k < 3; k++) {
      const { x, y, z } = axes[k];
      const at = x * dynamic[o] + y * dynamic[o + 1] + z * dynamic[o + 2];
      if (at < low[k]) low[k] = at;
      if (at > high[k]) high[k] = at;
    }
  }
  const size = 1.08 * Math.max(high[0] - low[0], high[1] - low[1], high[2] - low[2], 1e-9);
  return { low: low.map((least, k) => 0.5 * (least + high[k] - size)), size };
}

function splat(
  out: Float32Array,
  { dynamic, count }: Records,
  axes: readonly Vector3[],
  low: number[],
  step: number,
): void {
  const [a, b, c] = axes;
  for (let i = 0; i < count; i++) {
    const o = DYNAMIC * i;
    const [x, y, z] = [dynamic[o], dynamic[o + 1], dynamic[o + 2]];
    const u = Math.floor((a.x * x + a.y * y + a.z * z - low[0]) / step);
    const v = Math.floor((b.x * x + b.y * y + b.z * z - low[1]) / step);
    const w = Math.floor((c.x * x + c.y * y + c.z * z - low[2]) / step);
    out[u + cells * (v + cells * w)] += 1;
  }
}

/** Binomial, over three cells along each axis. */
function blur(values: Float32Array, scratch: Float32Array): void {
  let [from, to] = [values, scratch];
  for (const stride of [1, cells, cells * cells]) {
    for (let i = 0; i < from.length; i++)
      to[i] = 0.5 * from[i] + 0.25 * ((from[i - stride] ?? 0) + (from[i + stride] ?? 0));
    [from, to] = [to, from];
  }
  if (from !== values) values.set(from);
}

/** `scale`: optical depth of a cell with one node. Half a cell's own hair counts for itself. */
function writeDepths(data: Uint8Array, density: Float32Array, scale: number): void {
  const layer = cells * cells;
  for (let column = 0; column < layer; column++) {
    let sum = 0;
    for (let w = cells - 1; w >= 0; w--) {
      const i = column + layer * w;
      const own = scale * density[i];
      sum += own;
      data[2 * i] = Math.min(255, (255 * (sum - 0.5 * own)) / deepest);
      data[2 * i + 1] = Math.min(255, (255 * 1.5 * own) / deepest);
    }
  }
}

function placeGrid(out: Matrix4, [a, b, c]: readonly Vector3[], low: number[], size: number): void {
  const s = 1 / size;
  out.set(
    a.x * s,
    a.y * s,
    a.z * s,
    -low[0] * s,
    b.x * s,
    b.y * s,
    b.z * s,
    -low[1] * s,
    c.x * s,
    c.y * s,
    c.z * s,
    -low[2] * s,
    0,
    0,
    0,
    1,
  );
}
