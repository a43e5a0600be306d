/**
 * Features of scenes that a program may leave out of its bundle: `createWorld` of `@tendril-sim/core/world` has those that are passed to it, that of
 * `@tendril-sim/core` has all.
 */
export { type AnimationModule, animation } from './scene/animate.ts';
export { type WindModule, wind } from './scene/windParts.ts';
