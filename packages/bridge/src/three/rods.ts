/** Rods as lit tubes of true section, updated from samples. */
import {
  Color,
  type ColorRepresentation,
  DataTexture,
  DoubleSide,
  LinearFilter,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  RGBADepthPacking,
  SRGBColorSpace,
  Vector2,
} from 'three';
import { bindRecords, createTubeGeometry } from './geometry.ts';
import { createRecords, type Records, type RodSamples, type RodShape, writeSamples, writeValues } from './records.ts';
import { attributes, curve, tube, tubeColor } from './shaders.ts';

export interface RodObjectOptions {
  /** Default a warm grey. */
  readonly color?: ColorRepresentation;
  /** A stripe along d1, which shows twist. Default true. */
  readonly stripe?: boolean;
  /** Around the tube; default 20, fewer for many rods. */
  readonly sides?: number;
  /** Along each edge; default 4, fewer for many rods. */
  readonly pieces?: number;
  readonly roughness?: number;
}

/** RGB triples 0…255, sRGB, from the low to the high end. */
export type ColorMap = readonly (readonly [number, number, number])[];

export interface RodObject {
  readonly object: Mesh;
  readonly records: Records;
  /** Takes the positions and frames of all rods; no allocation. */
  update(samples: readonly RodSamples[]): void;
  /** Values along each rod (1 a node or 1 an edge), to be coloured from low to high. Call before `update` or with it. */
  setValues(values: readonly ArrayLike<number>[]): void;
  /** The colours of the values, or none. */
  setColorMap(map: ColorMap | undefined, low: number, high: number): void;
  setColor(color: ColorRepresentation): void;
  setStripe(on: boolean, color?: ColorRepresentation): void;
  /** Drawn that many times as thick as they are. */
  setThickness(factor: number): void;
  /** Marks a rod as failed; undefined for none. */
  setFailed(rod: number | undefined): void;
  dispose(): void;
}

export function createRodObject(rods: readonly RodShape[], options: RodObjectOptions = {}): RodObject {
  const records = createRecords(rods);
  const many = records.count > 1200;
  const sides = options.sides ?? (many ? 8 : 20);
  const pieces = options.pieces ?? (many ? 2 : 5);
  const bound = bindRecords(createTubeGeometry(sides, pieces, many ? 1 : 3), records);
  const uniforms = {
    thickness: { value: 1 },
    colorMap: { value: createColorTexture([[128, 128, 128]]) },
    valueRange: { value: new Vector2(0, 1) },
    mapped: { value: 0 },
    stripe: { value: options.stripe === false ? 0 : 1 },
    stripeColor: { value: new Color('#ffffff') },
    failed: { value: new Vector2(-1, -1) },
    failedColor: { value: new Color('#e5484d') },
  };
  const material = new MeshStandardMaterial({
    color: options.color ?? '#b9a48c',
    roughness: options.roughness ?? 0.42,
    metalness: 0,
    side: DoubleSide,
  });
  const shape = (shader: { vertexShader: string; uniforms: Record<string, unknown> }): void => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${attributes}${curve}${tube}`)
      .replace('#include <uv_vertex>', 'placeTube();\n#include <uv_vertex>')
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = tubeNormal;')
      .replace('#include <begin_vertex>', 'vec3 transformed = tubePosition;');
  };
  material.onBeforeCompile = (shader) => {
    shape(shader);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${tubeColor}`)
      .replace('#include <color_fragment>', 'diffuseColor.rgb = colorTube(diffuseColor.rgb);');
  };
  material.customProgramCacheKey = () => 'tendril-tube';
  const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  depth.onBeforeCompile = shape;
  depth.customProgramCacheKey = () => 'tendril-tube-depth';

  const object = new Mesh(bound.geometry, material);
  object.customDepthMaterial = depth;
  // instances move every frame: their bounds are not worth finding
  object.frustumCulled = false;

  return {
    object,
    records,
    update(samples) {
      writeSamples(records, samples);
      bound.upload();
    },
    setValues(values) {
      writeValues(records, values);
      bound.upload();
    },
    setColorMap(map, low, high) {
      uniforms.mapped.value = map ? 1 : 0;
      uniforms.valueRange.value.set(low, high);
      if (map && uniforms.colorMap.value.userData.map !== map) {
        uniforms.colorMap.value.dispose();
        uniforms.colorMap.value = createColorTexture(map);
      }
    },
    setColor(color) {
      material.color.set(color);
    },
    setStripe(on, color) {
      uniforms.stripe.value = on ? 1 : 0;
      if (color !== undefined) uniforms.stripeColor.value.set(color);
    },
    setThickness(factor) {
      uniforms.thickness.value = factor;
    },
    setFailed(rod) {
      if (rod === undefined) uniforms.failed.value.set(-1, -1);
      else uniforms.failed.value.set(records.start[rod], records.start[rod + 1]);
    },
    dispose() {
      bound.geometry.dispose();
      material.dispose();
      depth.dispose();
      uniforms.colorMap.value.dispose();
    },
  };
}

/** A row of colours, linear between them. */
function createColorTexture(map: ColorMap): DataTexture {
  const data = new Uint8Array(4 * map.length);
  map.forEach(([r, g, b], k) => {
    data.set([r, g, b, 255], 4 * k);
  });
  const texture = new DataTexture(data, map.length, 1);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = LinearFilter;
  texture.magFilter = LinearFilter;
  texture.userData.map = map;
  texture.needsUpdate = true;
  return texture;
}
