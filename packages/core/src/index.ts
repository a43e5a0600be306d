export type { BodyEnergies, BodyPose, RigidBody } from './bodies/body.ts';
export type * from './breakPort.ts';
export { type ChannelInfo, channelLength, channelNames, channels } from './channels.ts';
export { defaultContactIterations } from './contact/contactWorld.ts';
export { createHashGrid, findPairsByGrid, type HashGrid } from './contact/detect/hashGrid.ts';
export type { ContactForce, ContactReport, LinkForce } from './contact/report.ts';
export type { Collider } from './contact/shapes/collider.ts';
export { findClosest, measureDistance, measureSurfaceVelocity, placeCollider } from './contact/shapes/collider.ts';
export { compileColliders } from './contact/shapes/compileCollider.ts';
export { createVertexMotion } from './contact/shapes/deform.ts';
export {
  type Bisector,
  type Critical,
  createBisector,
  describeJumps,
  describeLeftBranches,
  describeLostCritical,
  describeRemarks,
  type PathRow,
  staticsInstants,
  summariseRow,
} from './continuation.ts';
export type { BodyEngine, BodyMotion, EngineSession, SubstepProgress, WorldOptions } from './engine.ts';
export { SceneError, SimulationError, StoppedError } from './errors.ts';
export { createAir } from './fields/air.ts';
export { createEdgeTorque, createPointSpring, type EdgeTorque, type PointSpring } from './fields/hand.ts';
export {
  type Coordinates,
  createCoordinates,
  fitCoordinates,
  playCoordinates,
  type RecordedShape,
} from './groom/coordinates.ts';
export { addHairs, type Curl, type GrowOptions, type GrowReport, growHairstyle } from './groom/grow.ts';
export {
  createHairs,
  type GuidePose,
  type HairOptions,
  type Hairs,
  type RootPose,
  type WriteHairsOptions,
  writeHairs,
} from './groom/hairs.ts';
export {
  type Fiber,
  fiberSection,
  guideOf,
  type Hairstyle,
  hairsOf,
  placesPerElement,
  poseGuides,
  type SettleReport,
  type Skin,
  settleHairstyle,
} from './groom/hairstyle.ts';
export { createHeadField, type HeadField, type HeadFieldOptions, hasInside } from './groom/headField.ts';
export { guideClearance, type LayReport, layCurve, layHairs, layHairstyle } from './groom/lay.ts';
export {
  type ClumpLayer,
  type CompiledLayers,
  type CurlLayer,
  type FrizzLayer,
  type HairLayer,
  layerNodes,
} from './groom/layers.ts';
export {
  createPreset,
  findHead,
  type HeadPlace,
  type Preset,
  type StylePreset,
  stylePresets,
} from './groom/presets.ts';
export { rodsOfHairstyle, type StyleRodOptions } from './groom/rods.ts';
export { placeRoots, type RootOptions, type Roots, selectRoots } from './groom/roots.ts';
export {
  type Masked,
  type PartOptions,
  partHairstyle,
  puffHairstyle,
  type Shaped,
  smoothHairstyle,
  wrapHairstyle,
} from './groom/shaping.ts';
export { bindRoots, poseRoots, rideSkin, type SkinFrame, type SkinMesh, type SkinRoots } from './groom/skin.ts';
export {
  type CombOptions,
  type CombReport,
  type CurlOptions,
  type CutOptions,
  combHairstyle,
  curlHairstyle,
  cutHairstyle,
  dragPoints,
  reshapeHairstyle,
} from './groom/styling.ts';
export { compileSurfaceMap, rootMap, type SurfaceMap, type SurfacePlace, vertexMap } from './groom/surfaceMap.ts';
export {
  type CentreLine,
  createWisps,
  nodeQuaternions,
  poseWisps,
  type WispOptions,
  type Wisps,
} from './groom/wisps.ts';
export {
  type FitCombination,
  type FitOptions,
  type FitParameter,
  type FitPoint,
  type FitResult,
  type FittedParameter,
  fitLeastSquares,
  studentQuantile,
} from './leastSquares.ts';
export {
  analyzeSparse,
  createSparsePattern,
  factorSparse,
  type SparseFactor,
  type SparsePattern,
  solveSparse,
} from './linalg/sparse.ts';
export type * from './model.ts';
export type { Capabilities } from './models/capabilities.ts';
export { type FitError, fitHelices, type Helices } from './models/helix/fit.ts';
export type { InverseReport } from './models/helix/inverse.ts';
export {
  alignCurl,
  createHelices,
  createStrandSolver,
  reconstructHelices,
  type StrandSection,
  type StrandSolver,
} from './models/helix/strand.ts';
export type * from './models/optionFields.ts';
export type * from './models/registry.ts';
export { availableModels, modelCapabilities, modelOptions } from './models/registry.ts';
export { createHash, type Hash } from './observe/hash.ts';
export { createRecorder, type Observer, type RecordedFrame, simulate } from './observe/observer.ts';
export { nearestNode, placeOn, type RodCurve, type RodPlace } from './observe/place.ts';
export { createProbes, type ProbeRecorder, type ProbeSeries } from './observe/probe.ts';
export { isBroken, type LoadSource, type Loads, type Samples } from './port.ts';
export { differentiateRun, type RunDerivativeOptions, type RunDerivatives, type RunOutput } from './runSensitivity.ts';
export { animatedFields } from './scene/animate.ts';
export { requireTime } from './scene/check.ts';
export { createPinPose, type Pin, type PinPose, type Rod } from './scene/compiled.ts';
export { compileScene } from './scene/compileScene.ts';
export { compileExpression, ExpressionError } from './scene/expression.ts';
export type { Grip } from './scene/grip.ts';
export { curvatureOfCurl, hairMaterial, hairSection } from './scene/hair.ts';
export { type HairPreset, hairMaterialSources, hairTypes } from './scene/hairSources.ts';
export { continuationOf, type Liveness, livenessOf, turnRing } from './scene/live.ts';
export { listNames } from './scene/names.ts';
export { bodyQuantities } from './scene/output.ts';
export { sampleLimit } from './scene/sampledWind.ts';
export { type Piece, type RodStart, type Split, splitRod, startOf, wholeOf } from './scene/split.ts';
export type * from './scene/types.ts';
export { expandWeaves } from './scene/weave.ts';
export { createDerivatives, findTwin } from './sensitivity.ts';
export type {
  EquilibriumDerivatives,
  EquilibriumOutput,
  OutputGradient,
  ParameterDerivative,
  SceneParameter,
} from './sensitivityTypes.ts';
export { createSurface, type MeshInput, type Surface, type SurfaceReport } from './surface/surface.ts';
export { paintSurface, type Texture } from './surface/texture.ts';
export { describeBreak } from './world/remarks.ts';
export type { EnergyGain, EnergyLoss, MomentumGain, StepReport, World, WorldBody, WorldState } from './world/types.ts';
export { createWorld } from './world/world.ts';
