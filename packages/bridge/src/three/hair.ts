/**
 * Many thin rods as ribbons that face the camera, shaded as hair.
 *
 * A hair is thinner than a pixel: it is drawn a pixel and a half wide, and covers as much of its pixels as it is thin. Coverage is resolved
 * by multisampling, or by leaving out pixels at random (`hashed`) if the renderer has none, so that the order of hairs does not matter.
 * Vertices have no attributes: their number says which node of which hair they are, and everything else is read from textures.
 */
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type ColorRepresentation,
  DoubleSide,
  Mesh,
  ShaderMaterial,
  Vector2,
  Vector3,
} from 'three';
import { createRecordUniforms, type RecordUniforms } from './geometry.ts';
import { fragmentShader, vertexShader } from './hairShaders.ts';
import { createHairShadow, type HairShadowUniforms } from './hairShadow.ts';
import { createRecords, FIXED, type Records, type RodSamples, type RodShape, writeSamples } from './records.ts';
import { areAlike, blendCurves, type Curves, scatter, strandTexture } from './strands.ts';

/** Look of a hair object. */
export interface HairObjectOptions {
  /** Default a dark brown. */
  readonly color?: ColorRepresentation;
  /** Thickness at the tip relative to the root. Default 0.35. */
  readonly taper?: number;
  /** Draws that many hairs, blended between the rods, whose shapes are given; all need the same number of nodes. */
  readonly strands?: { readonly count: number; readonly curves: Curves };
  /** For renderers without multisampling. Default false. */
  readonly hashed?: boolean;
}

/** three.js object that draws many thin rods as hair. */
export interface HairObject {
  /** Mesh to add to a scene of three.js. */
  readonly object: Mesh;
  /** Records of the guide rods. */
  readonly records: Records;
  /** Hairs that are drawn if the share is 1. */
  readonly count: number;
  /** For other shaders that draw the same hair. */
  readonly uniforms: RecordUniforms;
  /** For other shaders, of things that the hair shades: see `hairLight`. */
  readonly shadow: HairShadowUniforms;
  /** Copies the positions of all guide rods; call once per frame. */
  update(samples: readonly RodSamples[]): void;
  /** Sets the colour of the hair. */
  setColor(color: ColorRepresentation): void;
  /** Direction towards the light, world axes. */
  setLight(x: number, y: number, z: number): void;
  /** Direction towards a second light, behind the hair, which shines through it. */
  setRim(x: number, y: number, z: number): void;
  /** Of the light, the second light, and light from all around. */
  setBrightness(light: number, rim: number, ambient: number): void;
  /** Drawn that many times as thick as they are. */
  setThickness(factor: number): void;
  /** Draws this part of the hairs alone, 0…1, and those thicker: for pictures that must come soon. */
  setShare(share: number): void;
  /** Of `hashed` hair: another number leaves out other pixels, so that the mean of several pictures is smooth. */
  setSeed(seed: number): void;
  /** Size of the picture [pixels]; to be called when it changes. */
  setResolution(width: number, height: number): void;
  /** Frees the buffers and the material. */
  dispose(): void;
}

/** Creates a three.js object that draws rods as camera-facing ribbons, one draw call for all. */
export function createHairObject(rods: readonly RodShape[], options: HairObjectOptions = {}): HairObject {
  const records = createRecords(rods);
  const strands = options.strands && areAlike(rods) ? options.strands : undefined;
  const count = strands?.count ?? rods.length;
  const order = scatter(rods.length);
  const geometry = new BufferGeometry();
  geometry.setIndex(new BufferAttribute(strands ? stripIndex(count, rods[0].nodeCount) : rodIndex(records, order), 1));
  const recordUniforms = createRecordUniforms(records);
  const shadow = createHairShadow();
  const uniforms = createUniforms(recordUniforms, shadow.uniforms, options);
  const table = strands && strandTexture(blendCurves(strands.curves, count));
  const material = new ShaderMaterial({
    uniforms: {
      ...uniforms,
      ...(table && { strands: { value: table }, nodes: { value: rods[0].nodeCount }, fuzz: { value: fuzzOf(rods) } }),
    },
    defines: { ...(table && { STRANDS: '' }), ...(options.hashed ? { HASHED: '' } : { RIM: '' }) },
    vertexShader,
    fragmentShader,
    side: DoubleSide,
    alphaToCoverage: options.hashed !== true,
  });
  const object = Object.assign(new Mesh(geometry, material), { frustumCulled: false });
  let thickness = 1;
  let share = 1;
  const widen = (): void => {
    uniforms.thickness.value = thickness / Math.sqrt(share);
  };
  return {
    object,
    records,
    count,
    uniforms: recordUniforms,
    shadow: shadow.uniforms,
    update(samples) {
      writeSamples(records, samples);
      recordUniforms.nodeRecords.value.needsUpdate = true;
      shadow.update(records, (areaOf(rods, samples) * thickness * count) / rods.length, uniforms.light.value);
    },
    ...uniformSetters(uniforms),
    setThickness(factor) {
      thickness = factor;
      widen();
    },
    setShare(next) {
      share = Math.min(1, Math.max(1 / count, next));
      const drawn = Math.max(1, Math.round(share * count));
      geometry.setDrawRange(0, share === 1 ? Infinity : indexCount(strands ? undefined : order, rods, drawn));
      widen();
    },
    dispose() {
      geometry.dispose();
      recordUniforms.nodeRecords.value.dispose();
      recordUniforms.fixedRecords.value.dispose();
      table?.dispose();
      shadow.dispose();
      material.dispose();
    },
  };
}

/** Setters that change one uniform and nothing else. */
function uniformSetters(
  uniforms: ReturnType<typeof createUniforms>,
): Pick<HairObject, 'setColor' | 'setLight' | 'setRim' | 'setBrightness' | 'setSeed' | 'setResolution'> {
  return {
    setColor(color) {
      uniforms.color.value.set(color);
    },
    setLight(x, y, z) {
      uniforms.light.value.set(x, y, z).normalize();
    },
    setRim(x, y, z) {
      uniforms.rim.value.set(x, y, z).normalize();
    },
    setBrightness(light, rim, ambient) {
      uniforms.brightness.value.set(light, rim, ambient);
    },
    setSeed(seed) {
      uniforms.seed.value = seed;
    },
    setResolution(width, height) {
      uniforms.resolution.value.set(width, height);
    },
  };
}

function createUniforms(records: RecordUniforms, shadow: HairShadowUniforms, { color, taper }: HairObjectOptions) {
  return {
    ...records,
    ...shadow,
    color: { value: new Color(color ?? '#5d4030') },
    light: { value: new Vector3(0.4, -0.5, 0.8).normalize() },
    rim: { value: new Vector3(-0.4, 0.5, 0.4).normalize() },
    brightness: { value: new Vector3(3, 1.5, 0.5) },
    resolution: { value: new Vector2(1000, 1000) },
    thickness: { value: 1 },
    taper: { value: taper ?? 0.35 },
    seed: { value: 0 },
  };
}

/** Blended hairs stray by this much at the tip [m]: a part of their length. */
function fuzzOf([{ nodeCount, edgeRadius }]: readonly RodShape[]): number {
  return 25 * edgeRadius[0] * Math.min(1, nodeCount / 16);
}

/** Area that an edge of the first hair covers, seen from the side [m²]. */
function areaOf([{ edgeRadius }]: readonly RodShape[], [{ nodePosition: x }]: readonly RodSamples[]): number {
  const [dx, dy, dz] = [x[3] - x[0], x[4] - x[1], x[5] - x[2]];
  return 2 * edgeRadius[0] * Math.sqrt(dx * dx + dy * dy + dz * dz);
}

/** Indices of the first hairs. */
function indexCount(order: readonly number[] | undefined, rods: readonly RodShape[], drawn: number): number {
  if (!order) return 6 * rods[0].edgeCount * drawn;
  let segments = 0;
  for (let k = 0; k < drawn; k++) segments += rods[order[k]].edgeCount;
  return 6 * segments;
}

/** Two triangles between the nodes `a` and `a` + 1, each of which has two vertices. */
function putSegment(out: Uint32Array, at: number, a: number): void {
  const v = 2 * a;
  out[at] = v;
  out[at + 1] = v + 1;
  out[at + 2] = v + 3;
  out[at + 3] = v;
  out[at + 4] = v + 3;
  out[at + 5] = v + 2;
}

function rodIndex({ rods, start, fixed }: Records, order: readonly number[]): Uint32Array {
  const segments: number[] = [];
  for (let k = 0; k < rods.length; k++)
    for (let s = start[order[k]]; s < start[order[k] + 1]; s++) if (fixed[FIXED * s + 3] > 0.5) segments.push(s);
  const out = new Uint32Array(6 * segments.length);
  segments.forEach((s, k) => {
    putSegment(out, 6 * k, s);
  });
  return out;
}

function stripIndex(count: number, nodes: number): Uint32Array {
  const out = new Uint32Array(6 * (nodes - 1) * count);
  let at = 0;
  for (let h = 0; h < count; h++) for (let i = 0; i < nodes - 1; i++, at += 6) putSegment(out, at, h * nodes + i);
  return out;
}
