/**
 * Draws the bust and its hair. Compute passes lay hairs around their strands and, once the light's maps are there, colour their vertices; so the passes that
 * draw have little to do.
 */
import type { GpuBatch, HeadPose } from '@tendril-sim/core/batch';
import type { Mesh } from '../worker/groom/heads.ts';
import { eyeOf, lightBox, lookThrough, type Orbit, TARGET } from './camera.ts';
import { createPipelines, DEPTH_FORMAT, LAYERS_FORMAT, type Pipelines, SAMPLES } from './pipelines.ts';
import { FRAME_FLOATS, GROUPS } from './shaders.ts';
import { NODES } from './style.ts';
import { scaleTo } from './vectors.ts';

/** Bits of GPUBufferUsage and GPUTextureUsage: Node has no such globals. */
const BUFFER = { COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128 };
const TEXTURE = { TEXTURE_BINDING: 4, RENDER_ATTACHMENT: 16 };

/** Tangent of half the angle of view over the height. */
const SLOPE = 0.2;
/** The light's direction, its box [m], and the size of its maps. */
const SUN = scaleTo([0.5, -0.72, 0.75], 1);
const BOX = { middle: [0, 0.01, -0.1], half: 0.36, depth: 1.2 } as const;
const MAP = 1024;

export interface Shot {
  readonly orbit: Orbit;
  readonly pose: HeadPose;
  /** Colour of light that went through a hair, 0 to 1. */
  readonly color: readonly [number, number, number];
  readonly width: number;
  readonly height: number;
}

export interface Drawing {
  /** Draws so many hairs for each of these strands from now on, or as many as the device has room for; returns their number. */
  setHair(batch: GpuBatch, perStrand: number): number;
  draw(encoder: GPUCommandEncoder, target: GPUTextureView, shot: Shot): void;
  destroy(): void;
}

interface Maps {
  readonly skinDepth: GPUTexture;
  readonly hairDepth: GPUTexture;
  readonly hairLayers: GPUTexture;
}

/** Hairs that are drawn: laid around strands part by part, then coloured and drawn as a whole. */
interface Hairs {
  readonly count: number;
  readonly perStrand: number;
  /** Vertices of each hair. */
  readonly vertices: number;
  readonly parts: readonly { readonly group: GPUBindGroup; readonly hairs: number }[];
  readonly coloured: GPUBindGroup;
  readonly drawn: GPUBindGroup;
  readonly owned: readonly GPUBuffer[];
}

function fill(device: GPUDevice, data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>, usage: number): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

/** Of a mesh's vertices, by the areas of the triangles about them. */
export function normalsOf({ position, triangle }: Mesh): Float32Array<ArrayBuffer> {
  const normals = new Float32Array(position.length);
  const edge = (from: number, to: number): number[] =>
    [0, 1, 2].map((k) => position[3 * to + k] - position[3 * from + k]);
  for (let t = 0; t < triangle.length; t += 3) {
    const [a, b, c] = triangle.subarray(t, t + 3);
    const [u, v] = [edge(a, b), edge(a, c)];
    for (const vertex of [a, b, c])
      for (let k = 0; k < 3; k++)
        normals[3 * vertex + k] += u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
  }
  return normals;
}

/** Width at which hairs are drawn [m]: fewer are drawn thicker, so that the head is covered. */
export function widthOf(hairs: number): number {
  return Math.min(6e-4, Math.max(1.1e-4, 1.1e-4 * Math.sqrt(100000 / Math.max(1, hairs))));
}

/** Vertices of a hair, and fewer if that would take more memory than this [bytes]. */
const FINE = 2 * NODES - 1;
const FINE_BYTES = 2 ** 27;
const BYTES_PER_VERTEX = 16;

function frameOf({ orbit, pose, color, width, height }: Shot, hairs: Hairs | undefined): Float32Array<ArrayBuffer> {
  const eye = eyeOf(orbit);
  const { count = 0, perStrand = 1, vertices = 0 } = hairs ?? {};
  const hair = widthOf(count);
  // a lock is as wide as the skin that its strand stands for
  const lock = Math.min(4e-3, 1.25 * Math.sqrt((0.06 * perStrand) / Math.PI / Math.max(1, count)));
  const texel = (2 * BOX.half) / MAP;
  const numbers = [
    ...lookThrough(eye, TARGET, SLOPE, width / height),
    ...lightBox(SUN, BOX.middle, BOX.half, BOX.depth),
    ...[...eye, (2 * SLOPE) / height],
    ...[...SUN, texel],
    ...[...color, 0.13],
    ...[hair, lock, perStrand, vertices],
    ...pose.rotation,
    ...[BOX.depth, hair / texel, width, height],
  ];
  const data = new Float32Array(FRAME_FLOATS);
  data.set(numbers);
  return data;
}

/** Textures of a picture with several samples per pixel, made anew when its size changes. */
function createTargets(device: GPUDevice, format: GPUTextureFormat): (size: [number, number]) => GPUTexture[] {
  let kept: GPUTexture[] = [];
  return (size) => {
    if (kept.length === 0 || kept[0].width !== size[0] || kept[0].height !== size[1]) {
      for (const texture of kept) texture.destroy();
      const usage = TEXTURE.RENDER_ATTACHMENT;
      kept = [format, DEPTH_FORMAT as GPUTextureFormat].map((one) =>
        device.createTexture({ size, format: one, sampleCount: SAMPLES, usage }),
      );
    }
    return kept;
  };
}

function createMaps(device: GPUDevice): Maps {
  const create = (format: GPUTextureFormat): GPUTexture =>
    device.createTexture({
      size: [MAP, MAP],
      format,
      usage: TEXTURE.RENDER_ATTACHMENT | TEXTURE.TEXTURE_BINDING,
    });
  return { skinDepth: create(DEPTH_FORMAT), hairDepth: create(DEPTH_FORMAT), hairLayers: create(LAYERS_FORMAT) };
}

interface Groups {
  readonly frame: GPUBindGroup;
  readonly depth: GPUBindGroup;
  readonly maps: GPUBindGroup;
}

function bindFrame(device: GPUDevice, { layouts }: Pipelines, frame: GPUBuffer, maps: Maps): Groups {
  const group = (layout: GPUBindGroupLayout, ...resources: GPUBindingResource[]): GPUBindGroup =>
    device.createBindGroup({ layout, entries: resources.map((resource, binding) => ({ binding, resource })) });
  const [skinDepth, hairDepth, hairLayers] = [maps.skinDepth, maps.hairDepth, maps.hairLayers].map((map) =>
    map.createView(),
  );
  const linear = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const compare = device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
  return {
    frame: group(layouts.frame, { buffer: frame }),
    depth: group(layouts.depth, { buffer: frame }, hairDepth),
    maps: group(layouts.maps, { buffer: frame }, skinDepth, hairDepth, hairLayers, linear, compare),
  };
}

/** What the passes of a picture draw. */
interface Stage {
  readonly pipelines: Pipelines;
  readonly groups: Groups;
  readonly maps: Maps;
  readonly hairs: Hairs | undefined;
  readonly mesh: { readonly position: GPUBuffer; readonly normal: GPUBuffer; readonly index: GPUBuffer };
}

const clearDepth = (texture: GPUTexture): GPURenderPassDepthStencilAttachment => ({
  view: texture.createView(),
  depthClearValue: 1,
  depthLoadOp: 'clear',
  depthStoreOp: 'store',
});

function drawMesh(pass: GPURenderPassEncoder, { mesh }: Stage): void {
  pass.setVertexBuffer(0, mesh.position);
  pass.setIndexBuffer(mesh.index, 'uint32');
  pass.drawIndexed(mesh.index.size / 4);
}

function drawHair(pass: GPURenderPassEncoder, { hairs }: Stage, verticesOf: (hairs: Hairs) => number): void {
  if (!hairs) return;
  pass.setBindGroup(1, hairs.drawn);
  pass.draw(verticesOf(hairs), hairs.count);
}

function dispatchHairs(pass: GPUComputePassEncoder, count: number): void {
  pass.dispatchWorkgroups(Math.min(count, GROUPS), Math.ceil(count / GROUPS));
}

function placeHairs(encoder: GPUCommandEncoder, { pipelines, groups }: Stage, hairs: Hairs): void {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipelines.place);
  pass.setBindGroup(0, groups.frame);
  for (const part of hairs.parts) {
    pass.setBindGroup(1, part.group);
    dispatchHairs(pass, part.hairs);
  }
  pass.end();
}

function shadeHairs(encoder: GPUCommandEncoder, { pipelines, groups }: Stage, hairs: Hairs): void {
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipelines.shade);
  pass.setBindGroup(0, groups.maps);
  pass.setBindGroup(1, hairs.coloured);
  dispatchHairs(pass, hairs.count);
  pass.end();
}

/** Every second vertex, as a line. */
const lineOf = ({ vertices }: Hairs): number => Math.ceil(vertices / 2);

/** What the light sees: depths of the skin and of the first hair, and how much hair lies within each layer behind that. */
function drawLight(encoder: GPUCommandEncoder, stage: Stage): void {
  const { pipelines, groups, maps } = stage;
  const skin = encoder.beginRenderPass({ colorAttachments: [], depthStencilAttachment: clearDepth(maps.skinDepth) });
  skin.setPipeline(pipelines.skinDepth);
  skin.setBindGroup(0, groups.frame);
  drawMesh(skin, stage);
  skin.end();
  const depth = encoder.beginRenderPass({ colorAttachments: [], depthStencilAttachment: clearDepth(maps.hairDepth) });
  depth.setPipeline(pipelines.hairDepth);
  depth.setBindGroup(0, groups.frame);
  drawHair(depth, stage, lineOf);
  depth.end();
  const view = maps.hairLayers.createView();
  const layers = encoder.beginRenderPass({
    colorAttachments: [{ view, clearValue: [0, 0, 0, 0], loadOp: 'clear', storeOp: 'store' }],
  });
  layers.setPipeline(pipelines.hairLayers);
  layers.setBindGroup(0, groups.depth);
  drawHair(layers, stage, lineOf);
  layers.end();
}

function drawPicture(pass: GPURenderPassEncoder, stage: Stage): void {
  const { pipelines, groups } = stage;
  pass.setBindGroup(0, groups.frame);
  pass.setPipeline(pipelines.backdrop);
  pass.draw(3);
  pass.setBindGroup(0, groups.maps);
  pass.setPipeline(pipelines.skin);
  pass.setVertexBuffer(1, stage.mesh.normal);
  drawMesh(pass, stage);
  pass.setPipeline(pipelines.hair);
  pass.setBindGroup(0, groups.frame);
  drawHair(pass, stage, ({ vertices }) => 2 * vertices);
  pass.end();
}

/** Room for the hairs of a batch, and what the passes read of it. */
function bindHairs(device: GPUDevice, { layouts }: Pipelines, batch: GpuBatch, wanted: number): Hairs {
  const room = Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) / BYTES_PER_VERTEX;
  const perStrand = Math.max(1, Math.min(wanted, Math.floor(room / NODES / batch.count)));
  const count = perStrand * batch.count;
  const vertices = count * FINE * BYTES_PER_VERTEX <= Math.min(FINE_BYTES, BYTES_PER_VERTEX * room) ? FINE : NODES;
  const points = device.createBuffer({ size: count * vertices * BYTES_PER_VERTEX, usage: BUFFER.STORAGE });
  const group = (layout: GPUBindGroupLayout, ...buffers: GPUBuffer[]): GPUBindGroup =>
    device.createBindGroup({ layout, entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) });
  const owned = [points];
  const parts = batch.positions.map(({ first, count: strands, buffer }) => {
    const part = fill(device, Uint32Array.of(first, strands, 0, 0), BUFFER.UNIFORM);
    owned.push(part);
    return { group: group(layouts.strands, buffer as GPUBuffer, part, points), hairs: strands * perStrand };
  });
  const [coloured, drawn] = [group(layouts.coloured, points), group(layouts.drawn, points)];
  return { count, perStrand, vertices, parts, coloured, drawn, owned };
}

/** Prepares drawing on a device, in pictures of a format. */
export async function openDrawing(device: GPUDevice, format: GPUTextureFormat, bust: Mesh): Promise<Drawing> {
  const pipelines = await createPipelines(device, format);
  const frame = device.createBuffer({ size: 4 * FRAME_FLOATS, usage: BUFFER.UNIFORM | BUFFER.COPY_DST });
  const maps = createMaps(device);
  const groups = bindFrame(device, pipelines, frame, maps);
  const mesh = {
    position: fill(device, Float32Array.from(bust.position), BUFFER.VERTEX),
    normal: fill(device, normalsOf(bust), BUFFER.VERTEX),
    index: fill(device, Uint32Array.from(bust.triangle), BUFFER.INDEX),
  };
  const targetsOf = createTargets(device, format);
  let hairs: Hairs | undefined;
  const dropHairs = (): void => {
    for (const buffer of hairs?.owned ?? []) buffer.destroy();
  };
  return {
    setHair(batch, perStrand) {
      dropHairs();
      hairs = bindHairs(device, pipelines, batch, perStrand);
      return hairs.count;
    },
    draw(encoder, target, shot) {
      device.queue.writeBuffer(frame, 0, frameOf(shot, hairs));
      const stage = { pipelines, groups, maps, hairs, mesh };
      if (hairs) placeHairs(encoder, stage, hairs);
      drawLight(encoder, stage);
      if (hairs) shadeHairs(encoder, stage, hairs);
      const [color, depth] = targetsOf([shot.width, shot.height]);
      const attachment = { view: color.createView(), resolveTarget: target } as const;
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ ...attachment, clearValue: [0, 0, 0, 1], loadOp: 'clear', storeOp: 'discard' }],
        depthStencilAttachment: { ...clearDepth(depth), depthStoreOp: 'discard' },
      });
      drawPicture(pass, stage);
    },
    destroy() {
      dropHairs();
      for (const owned of [frame, ...Object.values(maps), ...Object.values(mesh)]) owned.destroy();
    },
  };
}
