/** Many clamped strands on one head that moves: for pages that draw hair themselves, and for benchmarks. */
import { add, scale } from '../algebra.ts';
import { compose, normalize } from '../formulas.ts';
import { LANES, LEAST_COUPLED_ITERATIONS, LEAST_ITERATIONS, type Stage } from '../layout.ts';
import type { Obstacle } from '../obstacles.ts';
import { bdf2Stage, eulerStage, restStage, TR_PART, trBdf2Stages } from '../schemes.ts';
import type { Scheme } from '../step.ts';
import { CARRIES, FINISH, LOOK_FURTHER, WRITE_POSITIONS } from './flags.ts';
import { contactsEveryOf, restingHead, searchEveryOf, writeObstacles, writeParameters } from './parameters.ts';
import {
  type BatchPart,
  countBytes,
  createParts,
  destroyParts,
  encodeStage,
  floatAt,
  type HeadPose,
  type Parts,
  type StageOptions,
  type StrandsOptions,
  writeForces,
} from './parts.ts';
import type { AirNow } from './requests.ts';
import { hasContactOf } from './shader.ts';
import { STATUS, STATUS_WORDS } from './statusShader.ts';
import { type Device, type DeviceBuffer, type DeviceEncoder, MAP_READ, USAGE } from './webgpu.ts';

export type { HeadPose } from './parts.ts';
/** Strands, head and solver settings of a GPU batch. */
export type GpuBatchOptions = StrandsOptions;

/** Inputs of one step of a GPU batch: time step, pose of the head, air and obstacles. */
export interface GpuStep {
  /** Length of the step [s]. */
  readonly dt: number;
  /** Integrator. */
  readonly scheme?: Scheme;
  /** Newton iterations per stage; default 2. */
  readonly iterations?: number;
  /** The iterations of a strand end when no edge turns by more than this [rad]; default 1e-5. */
  readonly tolerance?: number;
  /** Pose of the head after a part of the step; default: it rests. */
  readonly head?: (part: number) => HeadPose;
  /** Mass damping instead of the strands' own [1/s], to settle hair in its first pose. */
  readonly massDamping?: number;
  /** Wind at the end of the step [m/s], and a factor of the drag of `StrandDescription.air`; default: no air. */
  readonly air?: AirNow;
  /** Obstacles at the start of the step, as many as the strands were created for; not with TR-BDF2. */
  readonly obstacles?: readonly Obstacle[];
  /** Iterations of contact at least; default 4. */
  readonly contactIterations?: number;
  /** At most: 4, 8, 16 or 32 (default). Fewer are faster, and leave more contacts unsettled. */
  readonly mostContactIterations?: number;
  /** True to look for strands that pass through each other without a contact, which takes time; default true. `advance` always does. */
  readonly looksFurther?: boolean;
}

/** Results of each strand after a step. */
export interface Readback {
  /** [m], strand by strand, 3 per node. */
  readonly positions: Float32Array;
  /** Largest turn of an edge in the last iteration [rad]. */
  readonly turn: Float32Array;
  /** With obstacles: deepest overlap at the start of the step [m], and 1 for strands whose contacts did not settle. */
  readonly overlap: Float32Array;
  readonly unsettled: Float32Array;
  readonly pairs: PairCounts;
}

/** Counts of contact between strands in the last step; all zero without contact between strands. */
export interface PairCounts {
  /** Strands with edges that were about to pass through another: if this is not zero, halve the step, or let `advance` do it. */
  readonly passed: number;
  /** Strands that moved too far against their surroundings for the last search, and strands with more edges near them than it keeps: it may miss contacts. */
  readonly overflow: number;
  /** Strands with more edges near them than there is room for in the lists. */
  readonly crowded: number;
}

/** Counts of all contacts in the last step; all zero without contact. */
export interface ContactCounts extends PairCounts {
  /** Contacts that carry force, and strands whose contacts did not settle. */
  readonly loaded: number;
  /** Strands whose contacts did not settle. */
  readonly unsettled: number;
  /** Contacts between strands that overlap by more than half a radius at the start of the step. */
  readonly deep: number;
  /** Most iterations of a strand in contact. */
  readonly iterations: number;
  /** Deepest overlap at the start of the step, and largest displacement of a contact in the last iteration [m]. */
  readonly overlap: number;
  /** Largest displacement of a contact in the last iteration [m]. */
  readonly error: number;
}

/** Result of `advance`: number of steps that it divided the step into, and the counts of the last of them. */
export interface Advance extends ContactCounts {
  /** Number of steps that the step was divided into. */
  readonly steps: number;
  /** True if strands were still about to pass through others in the shortest steps. */
  readonly isForced: boolean;
}

/**
 * Positions of the strands from `first` on, for drawing them without a copy: four floats per node, the first three its position [m]. Node i of the
 * strand s places after the first is at 4 (32 (n ⌊s/32⌋ + i) + s mod 32) floats, where n is the number of nodes.
 */
export interface PositionBuffer {
  /** Index of the first strand in the buffer. */
  readonly first: number;
  /** Number of strands in the buffer. */
  readonly count: number;
  /** A `GPUBuffer` with the usage `STORAGE`. */
  readonly buffer: DeviceBuffer;
}

/** Many strands on a GPU, stepped together. */
export interface GpuBatch {
  /** Number of strands. */
  readonly count: number;
  /** Number of parts into which the strands are divided. */
  readonly parts: number;
  /** Bytes of all buffers on the device. */
  readonly bytes: number;
  /** Where the device keeps the positions after each step: one buffer per part. */
  readonly positions: readonly PositionBuffer[];
  /** Takes one step; returns before the device has finished. */
  step(options: GpuStep): void;
  /**
   * Takes a step, and repeats it in halves, down to a 16th, if strands are about to pass through others. Waits for the
   * device; needs memory for copies of the state of all strands on it.
   */
  advance(options: GpuStep): Promise<Advance>;
  /** Appends the same step `times` times to an encoder, for measuring: BDF2 in steady state with the head at rest. */
  encodeSteady(encoder: DeviceEncoder, times: number): void;
  /** Writes the step that `encodeSteady` repeats. */
  prepareSteady(options: GpuStep): void;
  /** Iterations towards equilibrium: each attracts the next with `attraction` [1/s²]. */
  relax(attraction: number): void;
  /** Forces on nodes [N], strand by strand, 3 per node. */
  writeForces(forces: ArrayLike<number>): void;
  /** Reads the positions of the first `count` strands; default all. */
  readPositions(count?: number): Promise<Readback>;
  /** Counts of the last step. */
  readCounts(): Promise<ContactCounts>;
  /** Frees the buffers. */
  destroy(): void;
}

/** Strands on a device, and the data that a step takes over from the previous one. */
interface BatchState {
  readonly device: Device;
  readonly options: GpuBatchOptions;
  readonly parts: Parts;
  head: HeadPose;
  /** Length and scheme of the last step: after a change of scheme, the first step is one of implicit Euler. */
  before: number;
  remembered: Scheme | undefined;
  /** Steps since the last search for pairs. */
  sinceSearch: number;
  /** Copies of the states, one per depth of halving. */
  readonly kept: KeptStates[];
}

/** A stage of a step, and the poses of the head at its start and end. */
interface StageRequest {
  readonly stage: Stage;
  readonly last: HeadPose;
  readonly now: HeadPose;
  readonly flags: number;
}

/** Writes the parameters of a stage to all parts. */
function writeStage(
  { device, options, parts, head, sinceSearch }: BatchState,
  request: StageRequest,
  solve: Partial<GpuStep>,
): void {
  const {
    iterations = 2,
    tolerance = 1e-5,
    dt = 0,
    contactIterations = LEAST_ITERATIONS,
    mostContactIterations: most,
  } = solve;
  const contact = { dt, iterations: contactIterations, ...(most !== undefined && { most }) };
  const { massDamping = options.massDamping ?? 0, air } = solve;
  const search = Math.floor(sinceSearch / searchEveryOf(options));
  const given = { ...request, start: head, iterations, tolerance, contact, search, ...(air && { air }) };
  for (const part of parts.list) writeParameters(device, part, { ...options, massDamping }, given);
}

/** Dispatches the stage that was written. */
function submitStage({ device, parts }: BatchState, options?: StageOptions): void {
  const encoder = device.createCommandEncoder();
  encodeStage(encoder, parts, options);
  device.queue.submit([encoder.finish()]);
}

function checkStep({ options }: BatchState, { dt, scheme, obstacles = [] }: GpuStep): void {
  if (!(dt > 0 && dt < Number.POSITIVE_INFINITY)) throw new Error(`dt is ${dt}; it must be positive`);
  if ((obstacles.length > 0 || options.pairs) && scheme === 'tr-bdf2')
    throw new Error('contact on the GPU supports bdf2 and implicit-euler, not tr-bdf2');
}

/** One step with its scheme; returns before the device has finished. */
function takeStep(state: BatchState, given: GpuStep): void {
  checkStep(state, given);
  const { device, parts, options, head, before } = state;
  const solve = options.pairs?.realTime ? { mostContactIterations: LEAST_COUPLED_ITERATIONS, ...given } : given;
  const searches = state.sinceSearch % searchEveryOf(options) === 0;
  const carries = !searches && state.sinceSearch % contactsEveryOf(options) !== 0;
  const flags = FINISH | WRITE_POSITIONS | (carries ? CARRIES : 0) | (solve.looksFurther === false ? 0 : LOOK_FURTHER);
  const { dt, scheme = 'bdf2', head: pose = () => head, obstacles = [] } = solve;
  writeObstacles(device, parts, obstacles);
  const end = pose(1);
  const whole = (stage: Stage): StageRequest => ({ stage, last: head, now: end, flags });
  const goesOn = state.remembered === scheme;
  if (scheme === 'tr-bdf2' && goesOn) {
    const [first, second] = trBdf2Stages(dt);
    const middle = pose(TR_PART);
    writeStage(state, { stage: first, last: head, now: middle, flags: 0 }, solve);
    submitStage(state);
    writeStage(state, { stage: second, last: middle, now: end, flags }, solve);
  } else if (scheme === 'bdf2' && goesOn) writeStage(state, whole(bdf2Stage(dt, before)), solve);
  else writeStage(state, whole(eulerStage(dt, scheme === 'tr-bdf2' ? 2 : 1)), solve);
  submitStage(state, { iterations: solve.mostContactIterations, searches, carries });
  state.sinceSearch++;
  Object.assign(state, { head: end, before: dt, remembered: scheme });
}

/** A step, halved if strands would pass through each other. `depth`: how often the whole step was halved. */
async function halveStep(state: BatchState, solve: GpuStep, depth: number): Promise<Advance> {
  const { device, parts, kept } = state;
  const copy = kept[depth] ?? createCopies(device, parts);
  kept[depth] = copy;
  copyStates(device, parts, copy, 'keep');
  const { head, before, remembered } = state;
  state.sinceSearch = 0;
  takeStep(state, { ...solve, looksFurther: true });
  const counts = await readCounts(device, parts.list);
  const passes = counts.passed + counts.overflow > 0;
  if (!passes || depth === MOST_HALVINGS) return { ...counts, steps: 1, isForced: passes };
  copyStates(device, parts, copy, 'undo');
  Object.assign(state, { head, before, remembered });
  const [first, second] = splitStep(solve, head);
  const one = await halveStep(state, first, depth + 1);
  const two = await halveStep(state, second, depth + 1);
  return { ...two, steps: one.steps + two.steps, isForced: one.isForced || two.isForced };
}

/** Puts strands on a device. Throws if the device rejects the program or the buffers. */
export async function createGpuBatch(device: Device, options: GpuBatchOptions): Promise<GpuBatch> {
  const { strands, count = strands.length } = options;
  const parts = await createParts(device, options, 'head');
  const state: BatchState = {
    device,
    options,
    parts,
    head: restingHead,
    before: 0,
    remembered: undefined,
    sinceSearch: 0,
    kept: [],
  };
  let steadyIterations: number | undefined;
  const writeAtRest = (stage: Stage, flags: number, solve: Partial<GpuStep>): void =>
    writeStage(state, { stage, last: state.head, now: state.head, flags }, solve);
  return {
    count,
    parts: parts.list.length,
    bytes: countBytes(parts),
    positions: parts.list.flatMap(({ first, count: inPart, buffers }) =>
      buffers.positions ? [{ first, count: inPart, buffer: buffers.positions }] : [],
    ),
    step: (solve) => takeStep(state, solve),
    advance: (solve) => halveStep(state, solve, 0),
    prepareSteady(solve) {
      steadyIterations = solve.mostContactIterations;
      writeAtRest(bdf2Stage(solve.dt), FINISH | WRITE_POSITIONS, solve);
    },
    encodeSteady(encoder, times) {
      for (let k = 0; k < times; k++) encodeStage(encoder, parts, { iterations: steadyIterations });
    },
    relax(attraction) {
      writeAtRest(restStage(attraction), WRITE_POSITIONS, { iterations: 1, tolerance: 0 });
      submitStage(state);
      Object.assign(state, { remembered: undefined, sinceSearch: 0 });
    },
    writeForces: (values) => writeForces(device, parts, values),
    readPositions: (wanted = count) => readPositions(device, parts, wanted),
    readCounts: () => readCounts(device, parts.list),
    destroy() {
      destroyParts(parts);
      for (const buffer of state.kept.flat(2)) buffer.destroy();
    },
  };
}

async function readPositions(device: Device, { list, shader }: Parts, wanted: number): Promise<Readback> {
  const { nodes } = shader;
  const positions = new Float32Array(3 * nodes * wanted);
  const [turn, overlap, unsettled] = [0, 1, 2].map(() => new Float32Array(wanted));
  for (const part of list) {
    const inPart = Math.min(part.count, wanted - part.first);
    if (inPart <= 0 || !part.buffers.positions) continue;
    const size = Math.ceil(inPart / LANES) * nodes * LANES * 16;
    const staging = device.createBuffer({ size, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(part.buffers.positions, 0, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const rows = new Float32Array(staging.getMappedRange());
    for (let s = 0; s < inPart; s++) {
      const at = (i: number): number => floatAt(nodes, 1, s, i, 0);
      turn[part.first + s] = rows[at(0) + 3];
      if (hasContactOf(shader)) {
        overlap[part.first + s] = rows[at(1) + 3];
        unsettled[part.first + s] = rows[at(2) + 3];
      }
      for (let i = 0; i < nodes; i++)
        for (let k = 0; k < 3; k++) positions[3 * ((part.first + s) * nodes + i) + k] = rows[at(i) + k];
    }
    staging.unmap();
    staging.destroy();
  }
  const { passed, overflow, crowded } = await readCounts(device, list);
  return { positions, turn, overlap, unsettled, pairs: { passed, overflow, crowded } };
}

async function readCounts(device: Device, list: readonly BatchPart[]): Promise<ContactCounts> {
  const sums = { passed: 0, overflow: 0, crowded: 0, loaded: 0, unsettled: 0, deep: 0 };
  let [iterations, overlap, error] = [0, 0, 0];
  for (const { buffers } of list) {
    if (!buffers.status) continue;
    const staging = device.createBuffer({ size: 4 * STATUS_WORDS, usage: USAGE.COPY_DST | USAGE.MAP_READ });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffers.status, 0, staging, 0, staging.size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ);
    const words = new Uint32Array(staging.getMappedRange());
    const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
    for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += words[STATUS[name]];
    iterations = Math.max(iterations, words[STATUS.contactIterations]);
    overlap = Math.max(overlap, floats[STATUS.overlap]);
    error = Math.max(error, floats[STATUS.error]);
    staging.unmap();
    staging.destroy();
  }
  return { ...sums, iterations, overlap, error };
}

/** Copies of the buffers that a step changes, for each part. */
type KeptStates = readonly (readonly DeviceBuffer[])[];
const keptNames = ['states', 'contacts', 'pairs'] as const;

function buffersToKeep({ buffers }: BatchPart): DeviceBuffer[] {
  return keptNames.flatMap((name) => buffers[name] ?? []);
}

function createCopies(device: Device, { list }: Parts): KeptStates {
  const usage = USAGE.COPY_DST | USAGE.COPY_SRC;
  return list.map((part) => buffersToKeep(part).map(({ size }) => device.createBuffer({ size, usage })));
}

function copyStates(device: Device, { list }: Parts, copies: KeptStates, way: 'keep' | 'undo'): void {
  const encoder = device.createCommandEncoder();
  list.forEach((part, p) => {
    buffersToKeep(part).forEach((buffer, k) => {
      const [from, to] = way === 'keep' ? [buffer, copies[p][k]] : [copies[p][k], buffer];
      encoder.copyBufferToBuffer(from, 0, to, 0, buffer.size);
    });
  });
  device.queue.submit([encoder.finish()]);
}

/** Largest number of halvings of a step: each depth has a copy of all states. */
const MOST_HALVINGS = 4;

/** The two halves of a step. */
function splitStep(solve: GpuStep, start: HeadPose): readonly [GpuStep, GpuStep] {
  const { head: pose = () => start, obstacles = [] } = solve;
  const halfway = obstacles.map(({ turn, shift, ...rest }) => ({
    ...rest,
    turn: normalize([turn[0], turn[1], turn[2], turn[3] + (turn[3] < 0 ? -1 : 1)]),
    shift: scale(0.5, shift),
  }));
  const later = halfway.map(({ frame, position, ...rest }) => ({
    ...rest,
    frame: normalize(compose(rest.turn, frame)),
    position: add(position, rest.shift),
  }));
  const half = { ...solve, dt: 0.5 * solve.dt };
  return [
    { ...half, obstacles: halfway, head: (part) => pose(0.5 * part) },
    { ...half, obstacles: later, head: (part) => pose(0.5 + 0.5 * part) },
  ];
}
