/** Rods and hair as objects for three.js, updated from samples. */
export { type RodFinish, rodFinishes } from './finishes.ts';
export { type Piece, type RecordUniforms, repeatPiece, ribbonPiece } from './geometry.ts';
export { createHairObject, type HairObject, type HairObjectOptions } from './hair.ts';
export { type HairShadowUniforms, hairLight } from './hairShadow.ts';
export { createRecords, type Records, type RodSamples, type RodShape, writeSamples, writeValues } from './records.ts';
export { type ColorMap, createRodObject, type RodObject, type RodObjectOptions } from './rods.ts';
export { curve as segmentCurve, records as segmentRecords } from './shaders.ts';
