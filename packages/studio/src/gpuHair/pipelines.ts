/** Pipelines that draw the bust and its hair, and the layouts of what they read. */
import {
  backdropShader,
  hairDepthShader,
  hairLayersShader,
  hairShader,
  placeShader,
  shadeShader,
  skinDepthShader,
  skinShader,
} from './shaders.ts';

export const SAMPLES = 4;
export const DEPTH_FORMAT = 'depth32float';
export const LAYERS_FORMAT = 'rgba16float';

/** Bits of GPUShaderStage: Node has no such global. */
const [VERTEX, FRAGMENT, COMPUTE] = [1, 2, 4];

export interface Layouts {
  /** The frame alone; with the depths of hair; with all maps of the light. */
  readonly frame: GPUBindGroupLayout;
  readonly depth: GPUBindGroupLayout;
  readonly maps: GPUBindGroupLayout;
  /** Strands, and the hairs that are laid around them; hairs to colour; hairs to draw. */
  readonly strands: GPUBindGroupLayout;
  readonly coloured: GPUBindGroupLayout;
  readonly drawn: GPUBindGroupLayout;
}

function layOut(device: GPUDevice): Layouts {
  const group = (...entries: Omit<GPUBindGroupLayoutEntry, 'binding'>[]): GPUBindGroupLayout =>
    device.createBindGroupLayout({ entries: entries.map((entry, binding) => ({ binding, ...entry })) });
  const seen = FRAGMENT | COMPUTE;
  const frame = { visibility: VERTEX | seen, buffer: {} };
  const depth = { visibility: seen, texture: { sampleType: 'depth' as const } };
  const hairs = { visibility: COMPUTE, buffer: { type: 'storage' as const } };
  return {
    frame: group(frame),
    depth: group(frame, depth),
    maps: group(
      frame,
      depth,
      depth,
      { visibility: seen, texture: {} },
      { visibility: seen, sampler: {} },
      { visibility: seen, sampler: { type: 'comparison' as const } },
    ),
    strands: group(
      { visibility: COMPUTE, buffer: { type: 'read-only-storage' as const } },
      { visibility: COMPUTE, buffer: {} },
      hairs,
    ),
    coloured: group(hairs),
    drawn: group({ visibility: VERTEX, buffer: { type: 'read-only-storage' as const } }),
  };
}

const positions: GPUVertexBufferLayout = {
  arrayStride: 12,
  attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }],
};
const normals: GPUVertexBufferLayout = {
  arrayStride: 12,
  attributes: [{ shaderLocation: 1, offset: 0, format: 'float32x3' }],
};
const write: GPUDepthStencilState = { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'less' };
const sum: GPUBlendComponent = { srcFactor: 'one', dstFactor: 'one' };

/** What a pass draws with. */
interface Drawn {
  readonly code: string;
  readonly groups: GPUBindGroupLayout[];
  readonly topology: GPUPrimitiveTopology;
  readonly buffers?: GPUVertexBufferLayout[];
  readonly depth?: GPUDepthStencilState;
  readonly target?: GPUColorTargetState;
  readonly samples?: number;
}

function build(device: GPUDevice, drawn: Drawn): Promise<GPURenderPipeline> {
  const { code, groups, topology, buffers = [], depth, target, samples = 1 } = drawn;
  const module = device.createShaderModule({ code });
  return device.createRenderPipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: groups }),
    vertex: { module, entryPoint: 'vertex', buffers },
    ...(target && { fragment: { module, entryPoint: 'fragment', targets: [target] } }),
    primitive: { topology },
    ...(depth && { depthStencil: depth }),
    multisample: { count: samples },
  });
}

interface Computed {
  readonly code: string;
  readonly entryPoint: string;
  readonly groups: GPUBindGroupLayout[];
}

function buildCompute(device: GPUDevice, { code, entryPoint, groups }: Computed): Promise<GPUComputePipeline> {
  return device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: groups }),
    compute: { module: device.createShaderModule({ code }), entryPoint },
  });
}

export interface Pipelines {
  readonly layouts: Layouts;
  readonly place: GPUComputePipeline;
  readonly shade: GPUComputePipeline;
  readonly skinDepth: GPURenderPipeline;
  readonly hairDepth: GPURenderPipeline;
  readonly hairLayers: GPURenderPipeline;
  readonly skin: GPURenderPipeline;
  readonly hair: GPURenderPipeline;
  readonly backdrop: GPURenderPipeline;
}

/** Compiles all pipelines, for pictures of this format. */
export async function createPipelines(device: GPUDevice, format: GPUTextureFormat): Promise<Pipelines> {
  const layouts = layOut(device);
  const { frame, depth, maps, strands, coloured, drawn } = layouts;
  const picture = { target: { format }, depth: write, samples: SAMPLES };
  const added = { format: LAYERS_FORMAT, blend: { color: sum, alpha: sum } } as const;
  const mesh = { topology: 'triangle-list' } as const;
  const lines = { topology: 'line-strip' } as const;
  const ribbon = { topology: 'triangle-strip' } as const;
  const [skinDepth, hairDepth, hairLayers, skin, hair, backdrop] = await Promise.all(
    [
      { code: skinDepthShader, groups: [frame], ...mesh, buffers: [positions], depth: write },
      { code: hairDepthShader, groups: [frame, drawn], ...lines, depth: write },
      { code: hairLayersShader, groups: [depth, drawn], ...lines, target: added },
      { code: skinShader, groups: [maps], ...mesh, buffers: [positions, normals], ...picture },
      { code: hairShader, groups: [frame, drawn], ...ribbon, ...picture },
      {
        code: backdropShader,
        groups: [frame],
        ...mesh,
        ...picture,
        depth: { ...write, depthWriteEnabled: false, depthCompare: 'always' as const },
      },
    ].map((one: Drawn) => build(device, one)),
  );
  const [place, shade] = await Promise.all([
    buildCompute(device, { code: placeShader, entryPoint: 'place', groups: [frame, strands] }),
    buildCompute(device, { code: shadeShader, entryPoint: 'shade', groups: [maps, coloured] }),
  ]);
  return { layouts, place, shade, skinDepth, hairDepth, hairLayers, skin, hair, backdrop };
}
