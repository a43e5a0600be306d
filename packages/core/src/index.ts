export { SceneError, SimulationError } from './errors.ts';
export type * from './model.ts';
export type { LoadSource, Loads, Samples } from './port.ts';
export { compileScene } from './scene/compile.ts';
export type { Pin, PinPose, Rod } from './scene/compiled.ts';
export type * from './scene/types.ts';
export type { StepReport, World, WorldState } from './world.ts';
export { createWorld } from './world.ts';
