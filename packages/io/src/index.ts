export { crc32 } from './bytes.ts';
export { applyChanges, type ChangedScene, parseChange, type SceneChange } from './change.ts';
export { csvLine, energyTable, nodeTable, probeTable } from './csv.ts';
export { type Place, parseText, type ScenePath, type TextDocument } from './document.ts';
export { editSceneText, formatScene, type SceneEdit, sceneValues } from './edit.ts';
export { escapeControls, formatPath, InputError, type Problem, problemLimit } from './errors.ts';
export { type AlembicOptions, exportAlembic } from './export/alembic.ts';
export { type Cut, cutBroken } from './export/broken.ts';
export {
  type Footage,
  frameRate,
  listOrigins,
  type NodeFrames,
  nodeFrames,
  nodeRadius,
  oneFrame,
  pickFrames,
  toNodes,
} from './export/footage.ts';
export { exportGlb, type GlbExport, type GlbOptions } from './export/glb.ts';
export { type Obstacle, obstaclesOf, writeObstacle } from './export/obstacles.ts';
export { exportParquet } from './export/parquet.ts';
export { exportUsda, type UsdaOptions } from './export/usda.ts';
export { exportUsdc } from './export/usdc.ts';
export { bodiesToVtp, formatPvd, frameToVtp, obstaclesToVtp } from './export/vtp.ts';
export { rejectOtherKind } from './fileKind.ts';
export { type HairFootageOptions, hairFootage } from './hairFootage.ts';
export { type HairSceneOptions, headMotions, writeHairScene } from './hairScene.ts';
export {
  decodeHairstyle,
  decodeMotion,
  encodeHairstyle,
  encodeMotionFrame,
  encodeMotionHead,
  hairstyleVersion,
  type Motion,
  type MotionFrame,
  type MotionHeader,
  motionVersion,
} from './hairstyle.ts';
export { type Curves, type Placement, placeCurves, type UpAxis } from './import/curves.ts';
export { encodeHair } from './import/hair.ts';
export { listAnimations, readMesh, readMeshMotion } from './import/mesh.ts';
export type { MeshMotion, TriangleMesh } from './import/meshFile.ts';
export { readTexture } from './import/png.ts';
export { type CurveOptions, readCurves } from './import/read.ts';
export { formatCurveScene, type ImportMaterial, type ImportOptions, importMaterials } from './import/scene.ts';
export {
  explainSceneError,
  type FileResolver,
  type ParsedScene,
  parseScene,
  type ReadOptions,
  sceneFromObject,
  sceneSizeLimit,
} from './read.ts';
export {
  type BodyFrame,
  type ByteSource,
  createRecordingEncoder,
  type DecodeOptions,
  decodeRecording,
  type RecordedBody,
  type RecordedRod,
  type Recording,
  type RecordingEncoder,
  type RecordingFrame,
  type RecordingHeader,
  type RodFrame,
  readRecording,
  recordingFrame,
  recordingHeader,
  recordingVersion,
} from './recording.ts';
export { createFileResolver, type OpenFile } from './resolve.ts';
export {
  type BodyResult,
  buildResult,
  type ContactTotals,
  createStepTotals,
  describeGain,
  describeLoss,
  describeMissed,
  describeUnsettled,
  type EnergyResult,
  type EnergyTotals,
  formatResult,
  type ModesResult,
  type MomentumResult,
  type Result,
  type ResultInput,
  type RodResult,
  resultVersion,
  type StepTotals,
  type Stop,
  stretchMax,
} from './result.ts';
export type { StrandsSpec } from './schema/files.ts';
export * as schemaPieces from './schema/primitives.ts';
export { type SceneFile, type SceneInput, sceneJsonSchema, sceneSchema, sceneVersion } from './schema.ts';
export { type SectionOutline, sectionOutline } from './sectionOutline.ts';
export { type AnimatedSkin, readAnimatedSkin } from './skin.ts';
export { decodeState, encodeState, type SavedState, sceneHash, stateVersion } from './state.ts';
export { nearestWord } from './suggest.ts';
export {
  type Dimension,
  type DimensionInfo,
  describeDimension,
  dimensions,
  parseQuantity,
  parseUnit,
  type QuantityResult,
  type Unit,
  type UnitResult,
} from './units.ts';
export { explainIssues, type Locator } from './validation.ts';
export { type WispFootageOptions, wispFootage } from './wispFootage.ts';
