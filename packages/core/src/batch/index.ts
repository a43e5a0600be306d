/** Batches of strands: the reference as a model of the world, and the GPU driver. */
export type { Quaternion, Vector } from './algebra.ts';
export { createField, type Field, type FieldTable, openField, type SolidFunction, tabulateField } from './field.ts';
export { describeRod } from './gpu/describe.ts';
export { type CurveSection, describeCurve } from './gpu/describeCurve.ts';
export {
  type Advance,
  type ContactCounts,
  createGpuBatch,
  type GpuBatch,
  type GpuBatchOptions,
  type GpuStep,
  type HeadPose,
  type PairCounts,
  type PositionBuffer,
} from './gpu/headBatch.ts';
export { createGpuModel, type GpuModel } from './gpu/model.ts';
export type { StrandDescription } from './gpu/pack.ts';
export type { GpuMessage } from './gpu/requests.ts';
export { createGpuServer, type GpuServer } from './gpu/server.ts';
export { type ShaderOptions, writeShader } from './gpu/shader.ts';
export type { Device, DeviceBuffer } from './gpu/webgpu.ts';
export {
  boxObstacle,
  capsuleObstacle,
  type ObstacleOptions,
  planeObstacle,
  sphereObstacle,
} from './merged.ts';
export { batchModel, mergedBatchModel } from './model.ts';
export type { Obstacle } from './obstacles.ts';
export { loadSimdDer, type SimdOptions } from './simd/model.ts';
export { serveSimd } from './simd/server.ts';
