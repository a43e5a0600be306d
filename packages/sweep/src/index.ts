export { type FieldValue, openFamily, type SceneFamily } from './fit/family.ts';
export { type Comparison, type FitProgress, fitScene, type SceneFit } from './fit/fit.ts';
export { compileOutput, type QuantityOutput } from './fit/quantity.ts';
export { type FitFile, fitVersion } from './fit/schema.ts';
export {
  type Experiment,
  type FitStudy,
  type Measurement,
  type PlannedParameter,
  readFitStudy,
} from './fit/study.ts';
export {
  countFailures,
  type End,
  executeWithTries,
  isFailure,
  mostTries,
  type Progress,
  type RunOptions,
  runLocally,
} from './local.ts';
export { type MergeSummary, mergeStudies, shardFolders } from './merge.ts';
export { createPool, type Pool, WorkerCrash } from './pool/pool.ts';
export { type QueryResult, queryStudy } from './query.ts';
export { connectRedis, keys as queueKeys, maskUrl, openQueue } from './queue/connection.ts';
export { type QueueOptions, runThroughQueue } from './queue/coordinator.ts';
export { formatMetrics, type QueueStatus, readQueueStatus, readStatus } from './queue/status.ts';
export { runWorker, type WorkerOptions } from './queue/worker.ts';
export { buildScene, createExecutor, type Outcome, type Status } from './run/execute.ts';
export { compileQuantity, lookUp, UnknownQuantityError } from './run/expression.ts';
export { createScope } from './run/scope.ts';
export { binnedIndices, type Sensitivity, saltelliIndices } from './sensitivity.ts';
export type { Column } from './store/columns.ts';
export { type Row, readPartRows } from './store/part.ts';
export { readRecord, type StudyRecord } from './store/record.ts';
export {
  type DataSummary,
  listFiles,
  openStore,
  readOutcomes,
  type Store,
} from './store/store.ts';
export { splitPath } from './study/parameters.ts';
export { parseStudy, parseStudyCopy, readStudy } from './study/plan.ts';
export type { Plan, RunSpec, Study } from './study/planTypes.ts';
export { listRuns, type Runs, type Shard } from './study/runs.ts';
export { type StudyFile, studyJsonSchema, studyVersion } from './study/schema.ts';
