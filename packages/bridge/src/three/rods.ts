/** Rods as lit tubes of true section, updated from samples. */
import {
  Color,
  type ColorRepresentation,
  DataTexture,
  DoubleSide,
  FrontSide,
  LinearFilter,
  Mesh,
  MeshDepthMaterial,
  MeshStandardMaterial,
  RGBADepthPacking,
  SRGBColorSpace,
  Vector2,
} from 'three';
import { gloss, type RodFinish, rodFinishes } from './finishes.ts';
import { capPiece, createRecordUniforms, type RecordUniforms, repeatPiece, tubePiece } from './geometry.ts';
import {
  copyEnds,
  createEndRecords,
  createRecords,
  type Records,
  type RodSamples,
  type RodShape,
  writeSamples,
  writeValues,
} from './records.ts';
import { curve, records as recordShader, softEdge, tube, tubeColor } from './shaders.ts';

/** Look of a rod object. */
export interface RodObjectOptions {
  /** Default a warm grey. */
  readonly color?: ColorRepresentation;
  /** A stripe along d1, which shows twist. Default true. */
  readonly stripe?: boolean;
  /** Around the tube; default 16, fewer for many rods. */
  readonly sides?: number;
  /** Along each edge; default 1 to 8, such that the curve is smooth. */
  readonly pieces?: number;
  /** Roughness of the material, 0 to 1. */
  readonly roughness?: number;
  /** Soft edges without multisampling, by fading out at the outline: for renderers that have none. Default false. */
  readonly softEdges?: boolean;
}

/** RGB triples 0…255, sRGB, from the low to the high end. */
export type ColorMap = readonly (readonly [number, number, number])[];

/** three.js object that draws rods as lit tubes. */
export interface RodObject {
  /** Mesh to add to a scene of three.js. */
  readonly object: Mesh;
  /** Records of the rods. */
  readonly records: Records;
  /** For other shaders that draw the same rods. */
  readonly uniforms: RecordUniforms;
  /** Takes the positions and frames of all rods; no allocation. */
  update(samples: readonly RodSamples[]): void;
  /** Values along each rod (1 a node or 1 an edge), to be coloured from low to high. Call before `update` or with it. */
  setValues(values: readonly ArrayLike<number>[]): void;
  /** The colours of the values, or none. */
  setColorMap(map: ColorMap | undefined, low: number, high: number): void;
  /** Sets the colour of all rods. */
  setColor(color: ColorRepresentation): void;
  /** Shows or hides the stripe along d1, and sets its colour. */
  setStripe(on: boolean, color?: ColorRepresentation): void;
  /** What the rods look as if made of; default rubber. */
  setFinish(finish: RodFinish): void;
  /** Drawn that many times as thick as they are. */
  setThickness(factor: number): void;
  /** How much soft edges fade, 0 to 1: 0 where the mean of several pictures smooths them. Only with the option `softEdges`. */
  setSoftEdges(part: number): void;
  /** Marks a rod as failed; undefined for none. */
  setFailed(rod: number | undefined): void;
  /** Frees the buffers and the material. */
  dispose(): void;
}

/** Drawn for all rods together, about; more only where every edge needs its own. */
const triangles = 48_000;

/** Creates a three.js object that draws rods as tubes of true section, one draw call for all. */
export function createRodObject(rods: readonly RodShape[], options: RodObjectOptions = {}): RodObject {
  const records = createRecords(rods);
  const ends = createEndRecords(records);
  const { sides, pieces } = choosePieces(options, rods.length, records.count);
  const geometry = repeatPiece(tubePiece(sides, pieces), records);
  const capGeometry = repeatPiece(capPiece(sides, records.count > 1200 ? 1 : 3), ends);
  const recordUniforms = createRecordUniforms(records);
  const endUniforms = createRecordUniforms(ends);
  const uniforms = createTubeUniforms(options);
  const { material, capMaterial, depth } = createTubeMaterials(options, uniforms, recordUniforms, endUniforms);
  const object = new Mesh(geometry, material);
  object.customDepthMaterial = depth;
  // nodes move every frame: their bounds are not worth finding
  object.frustumCulled = false;
  const capObject = new Mesh(capGeometry, capMaterial);
  capObject.frustumCulled = false;
  object.add(capObject);
  const upload = (): void => {
    copyEnds(ends, records);
    recordUniforms.nodeRecords.value.needsUpdate = true;
    endUniforms.nodeRecords.value.needsUpdate = true;
  };

  return {
    object,
    records,
    uniforms: recordUniforms,
    update(samples) {
      writeSamples(records, samples);
      upload();
    },
    setValues(values) {
      writeValues(records, values);
      upload();
    },
    setColorMap: (map, low, high) => setColorMap(uniforms, map, low, high),
    setColor(color) {
      material.color.set(color);
      capMaterial.color.set(color);
    },
    setStripe(on, color) {
      uniforms.stripe.value = on ? 1 : 0;
      if (color !== undefined) uniforms.stripeColor.value.set(color);
    },
    setFinish(finish) {
      uniforms.finish.value = rodFinishes.indexOf(finish);
      for (const each of [material, capMaterial]) Object.assign(each, gloss[finish]);
    },
    setThickness: setterOf(uniforms.thickness),
    setSoftEdges: setterOf(uniforms.softness),
    setFailed(rod) {
      uniforms.failed.value.fromArray(rod === undefined ? [-1, -1] : records.start.slice(rod, rod + 2));
    },
    dispose() {
      for (const each of [geometry, capGeometry, material, capMaterial, depth, uniforms.colorMap.value]) each.dispose();
      for (const each of [recordUniforms, endUniforms]) disposeRecords(each);
    },
  };
}

const setterOf =
  (uniform: { value: number }) =>
  (value: number): void => {
    uniform.value = value;
  };

function disposeRecords({ nodeRecords, fixedRecords }: RecordUniforms): void {
  nodeRecords.value.dispose();
  fixedRecords.value.dispose();
}

/** Sides of a tube and pieces per edge: smooth for the eye, within a number of triangles that a processor can draw too. */
function choosePieces(options: RodObjectOptions, rods: number, edges: number): { sides: number; pieces: number } {
  const sides = options.sides ?? (edges > 1200 ? 8 : 16);
  const smooth = Math.min(8, Math.round((240 * rods) / edges), triangles / (2 * sides * edges));
  return { sides, pieces: options.pieces ?? Math.max(1, Math.floor(smooth)) };
}

type TubeUniforms = ReturnType<typeof createTubeUniforms>;

/** What the shaders of tubes know besides the records of nodes. */
function createTubeUniforms(options: RodObjectOptions) {
  return {
    thickness: { value: 1 },
    finish: { value: 0 },
    colorMap: { value: createColorTexture([[128, 128, 128]]) },
    valueRange: { value: new Vector2(0, 1) },
    mapped: { value: 0 },
    stripe: { value: options.stripe === false ? 0 : 1 },
    stripeColor: { value: new Color('#ffffff') },
    failed: { value: new Vector2(-1, -1) },
    failedColor: { value: new Color('#e5484d') },
    softness: { value: options.softEdges ? 1 : 0 },
  };
}

function setColorMap(uniforms: TubeUniforms, map: ColorMap | undefined, low: number, high: number): void {
  uniforms.mapped.value = map ? 1 : 0;
  uniforms.valueRange.value.set(low, high);
  if (map && uniforms.colorMap.value.userData.map !== map) {
    uniforms.colorMap.value.dispose();
    uniforms.colorMap.value = createColorTexture(map);
  }
}

/** Materials of tubes, of their caps, and of their shadows: standard ones whose shaders place and colour tubes. */
function createTubeMaterials(
  options: RodObjectOptions,
  uniforms: TubeUniforms,
  recordUniforms: RecordUniforms,
  endUniforms: RecordUniforms,
) {
  const material = new MeshStandardMaterial({
    color: options.color ?? '#b9a48c',
    roughness: options.roughness ?? 0.42,
    metalness: 0,
    // tubes are closed: nobody sees their inside, and three would draw transparent ones twice
    side: FrontSide,
    shadowSide: DoubleSide,
    transparent: options.softEdges === true,
  });
  const capMaterial = material.clone();
  const shape = (shader: { vertexShader: string; uniforms: Record<string, unknown> }, which: RecordUniforms): void => {
    Object.assign(shader.uniforms, uniforms, which);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>\n${recordShader}${curve}${tube}`)
      .replace('#include <uv_vertex>', 'placeTube();\n#include <uv_vertex>')
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = tubeNormal;')
      .replace('#include <begin_vertex>', 'vec3 transformed = tubePosition;');
  };
  const paint = (shader: Parameters<typeof material.onBeforeCompile>[0], which: RecordUniforms): void => {
    shape(shader, which);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>\n${tubeColor}`)
      .replace('#include <color_fragment>', 'diffuseColor.rgb = colorTube(diffuseColor.rgb);')
      .replace('#include <normal_fragment_maps>', 'normal = finishNormal(normal);');
    if (options.softEdges) {
      shader.fragmentShader = shader.fragmentShader.replace(
        '#include <opaque_fragment>',
        `#include <opaque_fragment>\n${softEdge}`,
      );
    }
  };
  material.onBeforeCompile = (shader) => paint(shader, recordUniforms);
  capMaterial.onBeforeCompile = (shader) => paint(shader, endUniforms);
  const key = (): string => (options.softEdges ? 'tendril-tube-soft' : 'tendril-tube');
  material.customProgramCacheKey = key;
  capMaterial.customProgramCacheKey = key;
  const depth = new MeshDepthMaterial({ depthPacking: RGBADepthPacking });
  depth.onBeforeCompile = (shader) => shape(shader, recordUniforms);
  depth.customProgramCacheKey = () => 'tendril-tube-depth';
  return { material, capMaterial, depth };
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
