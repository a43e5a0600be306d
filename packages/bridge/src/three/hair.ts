/**
 * Many thin rods as ribbons that face the camera, shaded as hair [Kajiya1989].
 *
 * A hair is thinner than a pixel: it is drawn one pixel wide and as transparent as it is thin, which looks the same and has
 * no jagged edges. Strands are not sorted; with coverages this small the order shows little.
 */
import { Color, type ColorRepresentation, DoubleSide, Mesh, ShaderMaterial, Vector2, Vector3 } from 'three';
import { createRecordUniforms, type RecordUniforms, repeatPiece, ribbonPiece } from './geometry.ts';
import { createRecords, type Records, type RodSamples, type RodShape, writeSamples } from './records.ts';
import { curve, records as recordShader } from './shaders.ts';

/** Look of a hair object. */
export interface HairObjectOptions {
  /** Default a dark brown. */
  readonly color?: ColorRepresentation;
  /** Along each edge; default 1. */
  readonly pieces?: number;
  /** Thickness at the tip relative to the root. Default 0.35. */
  readonly taper?: number;
}

/** three.js object that draws many thin rods as hair. */
export interface HairObject {
  readonly object: Mesh;
  readonly records: Records;
  /** For other shaders that draw the same hair. */
  readonly uniforms: RecordUniforms;
  update(samples: readonly RodSamples[]): void;
  setColor(color: ColorRepresentation): void;
  /** The middle of a head of hair: what faces away from the light about it is darker, as hair under hair is. */
  setVolume(center: { readonly x: number; readonly y: number; readonly z: number } | undefined): void;
  /** Direction towards the light, world axes. */
  setLight(x: number, y: number, z: number): void;
  /** Drawn that many times as thick as they are. */
  setThickness(factor: number): void;
  /** Draws this part of the hairs alone, 0…1, and those thicker: for pictures that must come soon. */
  setShare(share: number): void;
  /** Size of the picture [pixels]; to be called when it changes. */
  setResolution(width: number, height: number): void;
  dispose(): void;
}

const vertexShader = /* glsl */ `
${recordShader}
${curve}
uniform vec2 resolution;
uniform float thickness;
uniform float taper;
varying vec3 vTangent;
varying vec3 vView;
varying float vCoverage;
varying float vAlong;
varying float vRod;
varying float vSide;
varying vec3 vPlace;

void main() {
  loadSegment();
  float v = position.y;
  vec4 view = modelViewMatrix * vec4(curvePoint(v), 1.0);
  vec3 tangent = normalize(mat3(modelViewMatrix) * curveTangent(v));
  float u = mix(sectionA.z, sectionB.z, v);
  float radius = thickness * 0.5 * (mix(sectionA.x, sectionB.x, v) + mix(sectionA.y, sectionB.y, v)) * mix(1.0, taper, u);
  // as wide as a pixel at least, and thinner by coverage
  float pixel = -view.z / (0.5 * resolution.y * projectionMatrix[1][1]);
  float half_ = max(radius, 0.75 * pixel);
  vCoverage = min(1.0, radius / half_);
  vec3 across = cross(tangent, normalize(view.xyz));
  float size = length(across);
  across = size > 1e-4 ? across / size : vec3(1.0, 0.0, 0.0);
  view.xyz += position.x * half_ * across;
  gl_Position = projectionMatrix * view;
  vTangent = tangent;
  vView = normalize(view.xyz);
  vPlace = view.xyz;
  vAlong = u;
  vRod = endsA.w;
  vSide = position.x;
}
`;

const fragmentShader = /* glsl */ `
uniform vec3 color;
uniform vec3 light;
uniform vec3 center;
uniform float volume;
varying vec3 vPlace;
varying vec3 vTangent;
varying vec3 vView;
varying float vCoverage;
varying float vAlong;
varying float vRod;
varying float vSide;
#include <common>

void main() {
  vec3 t = normalize(vTangent);
  vec3 l = normalize((viewMatrix * vec4(light, 0.0)).xyz);
  float tl = dot(t, l);
  float tv = dot(t, normalize(vView));
  float sl = sqrt(max(0.0, 1.0 - tl * tl));
  float sv = sqrt(max(0.0, 1.0 - tv * tv));
  // diffuse and specular of a thin cylinder [Kajiya1989], a second lobe tinted by the hair
  float mirror = max(0.0, sl * sv - tl * tv);
  float white = pow(mirror, 80.0);
  float shifted = tl + 0.12;
  float tinted = pow(max(0.0, sqrt(max(0.0, 1.0 - shifted * shifted)) * sv - shifted * tv), 16.0);
  vec3 base = color * mix(0.72, 1.22, fract(vRod * 7.13)) * mix(0.72, 1.12, vAlong);
  // the hair as a whole is round: its far side lies in its own shade
  vec3 out_ = normalize(vPlace - (viewMatrix * vec4(center, 1.0)).xyz);
  float round_ = smoothstep(-0.75, 0.85, dot(out_, l));
  float lit = mix(1.0, mix(0.34, 1.1, round_), volume);
  float shine = mix(1.0, round_, volume);
  vec3 shade = lit * base * (0.22 + 0.62 * sl) + shine * (0.26 * white * vec3(1.0) + 0.55 * tinted * base);
  float edge = 1.0 - smoothstep(0.55, 1.0, abs(vSide));
  gl_FragColor = vec4(shade, vCoverage * mix(edge, 1.0, step(1.0, vCoverage) * 0.5));
  #include <colorspace_fragment>
}
`;

/** Creates a three.js object that draws rods as camera-facing ribbons, one draw call for all. */
export function createHairObject(rods: readonly RodShape[], options: HairObjectOptions = {}): HairObject {
  const records = createRecords(rods);
  const order = scatter(rods.length);
  const geometry = repeatPiece(ribbonPiece(options.pieces ?? 1), records, 1, order);
  const recordUniforms = createRecordUniforms(records);
  const uniforms = {
    ...recordUniforms,
    color: { value: new Color(options.color ?? '#5d4030') },
    light: { value: new Vector3(0.4, -0.5, 0.8) },
    center: { value: new Vector3() },
    volume: { value: 0 },
    resolution: { value: new Vector2(1000, 1000) },
    thickness: { value: 1 },
    taper: { value: options.taper ?? 0.35 },
  };
  const material = new ShaderMaterial({ uniforms, vertexShader, fragmentShader, transparent: true, side: DoubleSide });
  const object = new Mesh(geometry, material);
  const perSegment = ribbonPiece(options.pieces ?? 1).index.length;
  let thickness = 1;
  let share = 1;
  object.frustumCulled = false;
  return {
    object,
    records,
    uniforms: recordUniforms,
    update(samples) {
      writeSamples(records, samples);
      recordUniforms.nodeRecords.value.needsUpdate = true;
    },
    setColor(color) {
      uniforms.color.value.set(color);
    },
    setVolume(center) {
      uniforms.volume.value = center ? 1 : 0;
      if (center) uniforms.center.value.set(center.x, center.y, center.z);
    },
    setLight(x, y, z) {
      uniforms.light.value.set(x, y, z);
    },
    setThickness(factor) {
      thickness = factor;
      uniforms.thickness.value = thickness / Math.sqrt(share);
    },
    setShare(next) {
      share = Math.min(1, Math.max(1 / rods.length, next));
      const drawn = Math.max(1, Math.round(share * rods.length));
      let segments = 0;
      for (let k = 0; k < drawn; k++) segments += rods[order[k]].edgeCount;
      geometry.setDrawRange(0, share === 1 ? Number.POSITIVE_INFINITY : perSegment * segments);
      uniforms.thickness.value = thickness / Math.sqrt(share);
    },
    setResolution(width, height) {
      uniforms.resolution.value.set(width, height);
    },
    dispose() {
      geometry.dispose();
      recordUniforms.nodeRecords.value.dispose();
      recordUniforms.fixedRecords.value.dispose();
      material.dispose();
    },
  };
}

/** An order in which any first part is spread over the whole: neighbours on the skin are neighbours in the list. */
function scatter(count: number): number[] {
  let step = Math.max(1, Math.round(count * 0.6180339887498949));
  while (divisor(step, count) > 1) step++;
  return Array.from({ length: count }, (_, k) => (k * step) % count);
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}
