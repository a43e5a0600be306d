/** Rods and hair as objects for three.js, updated from samples. */

export { bindRecords, createRibbonGeometry, createTubeGeometry, type SegmentGeometry } from './geometry.ts';
export { createHairObject, type HairObject, type HairObjectOptions } from './hair.ts';
export { createRecords, type Records, type RodSamples, type RodShape, writeSamples, writeValues } from './records.ts';
export { type ColorMap, createRodObject, type RodObject, type RodObjectOptions } from './rods.ts';
export { attributes as segmentAttributes, curve as segmentCurve } from './shaders.ts';
