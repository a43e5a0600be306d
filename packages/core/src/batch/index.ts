/** Batches of strands: the reference as a model of the world, and the GPU driver. */
export type { Quaternion, Vector } from './algebra.ts';
export { describeRod } from './describe.ts';
export {
  createGpuBatch,
  type GpuBatch,
  type GpuBatchOptions,
  type GpuStep,
  type HeadPose,
} from './gpu.ts';
export { batchModel } from './model.ts';
export type { StrandDescription } from './pack.ts';
export { type ShaderOptions, writeShader } from './shader.ts';
export type { Device } from './webgpu.ts';
