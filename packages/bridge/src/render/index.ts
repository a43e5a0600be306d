/** A path tracer for pictures of rods, hair and solids, in plain TypeScript: for Node, browsers and their workers. */
export { type Bvh, buildBvh } from './bvh.ts';
export type { Framing, RenderRod } from './centreline.ts';
export { createGeometry, type GeometryBuilder } from './geometry.ts';
export { type DevelopOptions, developPicture, parseColor } from './image.ts';
export { createTracer, type Tracer } from './trace.ts';
export {
  type LightName,
  lightNames,
  type MaterialKind,
  type RenderCamera,
  type RenderGeometry,
  type RenderLight,
  type RenderMaterial,
  type RenderRows,
  type RenderScene,
  rodMaterials,
  type Triple,
} from './types.ts';
