/** The scene as it runs: its lanes, the hands on them, and the pump that keeps them ahead of the page. */
import {
  continuationOf,
  describeLeftBranches,
  type Scene,
  SceneError,
  startOf,
  turnRing,
  type World,
  wholeOf,
} from '@tendril-sim/core';
import { type ParsedScene, parseScene, sceneValues } from '@tendril-sim/io';
import type {
  Answer,
  ColliderInfo,
  Command,
  Control,
  FirstColor,
  Frame,
  HandMessage,
  Loaded,
  LoadRequest,
  OperateRequest,
  Progress,
  Variant,
} from '../protocol.ts';
import { fetchCase } from './caseFiles.ts';
import { type Checkpoint, createCheckpoints } from './checkpoints.ts';
import { coloringOf } from './coloring.ts';
import { controlsOf } from './controls.ts';
import { distancesOf } from './distance.ts';
import { attachedFiles, dressLanes, groomedHead } from './groom/hold.ts';
import { createHands, type HandMemory, type Hands } from './hands.ts';
import { applyVariant, createLane, describeFailure, type Lane } from './lane.ts';
import { createWorld, fetchModels, modelsOf } from './models.ts';
import { cutWorld, type Operation, operateScene, pinWorld } from './operate.ts';
import { send } from './post.ts';
import { drawColliders, gravityOf, problemsOf } from './reading.ts';

let lanes: Lane[] = [];
let hands: (Hands | undefined)[] = [];
/** What was done to the run of each lane, of which the scene's text knows nothing. */
let operations: Operation[][] = [];
let present: { scene: Scene; variants: readonly Variant[] } | undefined;
let presentText = '';
let presentColliders: readonly ColliderInfo[] = [];
let presentControls: readonly Control[] = [];
let presentColor: FirstColor = 'curvature';
const checkpoints = createCheckpoints();
let run = 0;
let until = 0;
let every = 1 / 60;
let nextFrame = 0;
let pumping = false;

const turn = new MessageChannel();
turn.port1.onmessage = () => pump();

const leader = (): Lane | undefined => lanes.find(({ info, failure }) => info.refused === undefined && !failure);

function postFrame(): void {
  const first = lanes.find(({ info }) => info.refused === undefined);
  if (!first) return;
  const distances = distancesOf(lanes.map(({ world }) => world));
  const frame: Frame = {
    time: first.time,
    lanes: lanes.map((lane, k) => {
      const distance = distances[k];
      return { ...lane.frame(), ...(distance !== undefined && { distance }) };
    }),
  };
  checkpoints.add({ time: first.time, states: lanes.map(({ world }) => world?.save()) });
  const pull = hands.find((hand) => hand)?.force();
  send(
    { type: 'frame', run, frame, ...(pull !== undefined && { pull }) },
    frame.lanes.flatMap(({ data, forces, guides }) =>
      [data, forces, guides].flatMap((array) => (array ? [array.buffer as ArrayBuffer] : [])),
    ),
  );
}

/** Steps until the page has what it asked for, with a breath now and then for messages. */
function pump(): void {
  pumping = false;
  const begin = performance.now();
  for (;;) {
    const first = leader();
    if (!first || first.time >= until - 1e-9 * first.stepSize) return;
    for (const hand of hands) hand?.settle();
    for (const lane of lanes) {
      const failed = lane.failure;
      if (lane.info.refused === undefined) lane.step();
      if (lane.failure && !failed) {
        postFrame();
        send({ type: 'failed', run, failure: lane.failure });
      }
    }
    if (first.time >= nextFrame) {
      postFrame();
      nextFrame = first.time + every - 0.5 * first.stepSize;
    }
    if (performance.now() - begin > 10) break;
  }
  pumpSoon();
}

function pumpSoon(): void {
  if (pumping) return;
  pumping = true;
  turn.port2.postMessage(0);
}

function begin(scene: Scene, variants: readonly Variant[]): void {
  present = { scene, variants };
  lanes = variants.map((variant, index) => createLane(scene, variant, index));
  operations = lanes.map(() => []);
  hands = lanes.map(createLaneHands);
}

function createLaneHands({ world, duration, stepSize }: Lane): Hands | undefined {
  return world && createHands(world, duration, stepSize);
}

/** A head from its side and a little from above. */
const groomLook = [0.62, -1, 0.18] as const;

function describeLoaded(scene: Scene, text: string, kept: Loaded['kept']): Loaded {
  const first = lanes.find(({ info }) => info.refused === undefined);
  return {
    lanes: lanes.map(({ info }) => info),
    time: { duration: first?.duration ?? 1, step: first?.stepSize ?? 0.01, note: first?.note },
    kept,
    start: first?.time ?? 0,
    values: sceneValues(text),
    controls: presentControls,
    colorBy: presentColor,
    colliders: presentColliders,
    gravity: gravityOf(scene),
    title: scene.title ?? '',
    ...(lanes.some(({ guideAt }) => guideAt) && {
      look: groomLook,
      hair: lanes[0].world && lanes[0].world.grips.length > 0 ? 'movable' : 'driven',
    }),
  };
}

/** Lets messages through, so that the page hears of progress before the worker is busy again. */
const breathe = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export async function load(request: LoadRequest, report: (progress: Progress) => void): Promise<Answer<'load'>> {
  const { text, name, variants, caseId, from } = request;
  let parsed: ParsedScene | undefined;
  const before = { lanes, present, hands, operations };
  // nothing steps while the lanes are exchanged
  const wanted = until;
  until = 0;
  try {
    report({ done: 0, of: 3, what: 'Reading the scene' });
    parsed = parseScene(text, name, { files: attachedFiles() });
    await fetchModels(modelsOf(parsed.scene, variants));
    const subject = caseId === undefined ? undefined : await fetchCase(caseId);
    const controls = controlsOf(subject, parsed.scene, sceneValues(text));
    const saved = from === undefined ? undefined : savedAt(from, parsed.scene);
    report({ done: 1, of: 3, what: `Building ${countOf(parsed.scene)}` });
    await breathe();
    begin(parsed.scene, variants);
    // the scene itself is refused, not only on one of several models: the error carries the field
    if (variants.length === 1 && lanes[0].info.refused !== undefined)
      createWorld(applyVariant(parsed.scene, variants[0]));
    const kept = saved !== undefined && restoreAll(saved);
    const dressed = await dressLanes(text, lanes);
    if (dressed) lanes = dressed;
    presentColliders = await drawColliders(parsed.scene, lanes.find(({ world }) => world)?.world);
    const head = dressed && groomedHead();
    if (head) presentColliders = [head, ...presentColliders.slice(1)];
    presentControls = controls;
    presentColor = coloringOf(parsed.scene, subject?.colorBy);
    presentText = text;
    startRun(request.run);
    return describeLoaded(parsed.scene, text, kept ? 'state' : 'restarted');
  } catch (error) {
    ({ lanes, present, hands, operations } = before);
    until = wanted;
    pumpSoon();
    if (error instanceof TypeError && /import|fetch/i.test(error.message)) throw error;
    return { problems: problemsOf(error, parsed, name) };
  }
}

/** From the present state of the lanes on, under another number. The first frame follows the answer to the request. */
function startRun(ofRun: number): void {
  run = ofRun;
  checkpoints.clear();
  until = 0;
  setTimeout(() => {
    if (run !== ofRun) return;
    sendPins();
    postFrame();
  }, 0);
  nextFrame = (leader()?.time ?? 0) + every;
}

function countOf({ rods }: Scene): string {
  const edges = rods.reduce((sum, rod) => sum + (rod.edges ?? 0), 0);
  const count = rods.length === 1 ? '1 rod' : `${rods.length} rods`;
  return edges > 0 ? `${count} of ${edges} edges` : count;
}

/** What a hand does to a hair is done to the guide that it follows. */
function toGuide(message: HandMessage, { guideAt }: Lane): HandMessage {
  if (!guideAt || !('rod' in message)) return message;
  if (message.kind === 'twist-end') return { ...message, rod: guideAt(message.rod, 0).rod };
  return { ...message, ...guideAt(message.rod, message.node) };
}

interface Saved {
  readonly id: string;
  readonly world: World | undefined;
  readonly state: Checkpoint['states'][number];
  readonly memory: HandMemory | undefined;
  readonly operations: Operation[];
}

/** What a run that continues at this time starts from; undefined where it has to start anew. */
function savedAt(time: number, next: Scene): readonly Saved[] | undefined {
  const checkpoint = checkpoints.before(time);
  if (!present || !checkpoint || continuationOf(present.scene, next) === 'restart') return undefined;
  return lanes.map(({ info, world }, k) => ({
    id: info.variant.id,
    world,
    state: checkpoint.states[k],
    memory: hands[k]?.memory(),
    operations: operations[k],
  }));
}

function restoreAll(saved: readonly Saved[]): boolean {
  if (saved.length !== lanes.length) return false;
  try {
    saved.forEach(restoreLane);
    return true;
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    if (present) begin(present.scene, present.variants);
    return false;
  }
}

function restoreLane({ id, state, world: old, memory, operations: done }: Saved, k: number): void {
  const lane = lanes[k];
  if (lane.info.variant.id !== id) throw new SceneError([], 'another variant');
  if (!lane.world !== !state) throw new SceneError([], 'another model');
  if (!lane.world || !state || !old) return;
  let world = lane.world;
  if (done.length > 0) world = createWorld(operateScene(world.scene, done));
  const twists = done.length > 0 ? [] : twistChanges(old, world);
  if (twists.some((twist) => twist !== 0)) world = turnWorld(old, state, world.scene, twists);
  else world.restore(state);
  if (world !== lane.world) lanes[k] = createLane(world.scene, lane.info.variant, k, world);
  hands[k] = createLaneHands(lanes[k]);
  operations[k] = done;
  if (memory) hands[k]?.recall(memory, world.rods.map(wholeOf));
}

/** How much more each rod is twisted by its scene [rad]. */
function twistChanges(old: World, next: World): number[] {
  const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
  return next.rods.map((rod, r) => {
    const change = total(rod.nodeTwist) - total(old.rods[r].nodeTwist);
    return Math.abs(change) < 1e-9 ? 0 : change;
  });
}

/** A world with the positions and velocities of a state of the old one, its rings turned. Throws SceneError for open rods. */
function turnWorld(old: World, state: NonNullable<Saved['state']>, scene: Scene, twists: readonly number[]): World {
  if (old.rods.some(({ closed }, r) => !closed && twists[r] !== 0))
    throw new SceneError(['rods'], 'an open rod that is twisted otherwise starts anew');
  old.restore(state);
  const rods = old.rods.map((rod, r) => {
    const start = startOf(rod, old.samples[r], old.channel(r, 'twist'), wholeOf(rod, r));
    return twists[r] === 0 ? start : turnRing(start, twists[r]);
  });
  return createWorld(scene, { start: { time: state.time, rods } });
}

export function restart(ofRun: number): void {
  if (!present) return;
  begin(present.scene, present.variants);
  startRun(ofRun);
}

/** Cuts or pins, in every lane: each goes on as another world from where it is. */
export function operate({ run: next, kind, rod, node }: OperateRequest): Answer<'operate'> {
  try {
    if (lanes.some(({ guideAt }) => guideAt)) throw new SceneError([], 'hair is cut and held in the grooming panel');
    const done = lanes.map(({ world }) => {
      if (!world?.rods[rod]) return undefined;
      // another model may have fewer nodes
      const at = Math.min(node, world.rods[rod].nodeCount - 1);
      return kind === 'cut' ? cutWorld(world, rod, at) : pinWorld(world, rod, at);
    });
    if (!present || done.every((one) => !one)) throw new SceneError([], 'nothing runs that could be changed');
    done.forEach((one, k) => {
      if (!one) return;
      const memory = hands[k]?.memory();
      lanes[k] = createLane(one.world.scene, lanes[k].info.variant, k, one.world);
      hands[k] = createLaneHands(lanes[k]);
      if (memory) hands[k]?.recall(memory, one.pieces);
      operations[k].push(one.operation);
    });
    startRun(next);
    return describeLoaded(present.scene, presentText, 'cut');
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return { problems: [{ message: error.message }] };
  }
}

/** Which pins hold. */
function sendPins(): void {
  send({ type: 'pins', run, released: lanes.map(({ world }) => world?.grips.map(({ released }) => released) ?? []) });
}

/** Lets every lane come to rest where it is. */
export function rest(ofRun: number): void {
  if (ofRun !== run) return;
  lanes.forEach((lane, index) => {
    if (!lane.world) return;
    try {
      const reports = lane.world.equilibrate();
      const missed = reports.find(({ converged }) => !converged);
      const left = reports.find(({ leftBranch }) => leftBranch);
      if (left) {
        const [message] = describeLeftBranches(lane.world.time, reports);
        const remedy = 'set statics.stability to seek to look for a stable equilibrium';
        const failure = { title: 'The branch was left', message, remedy, rod: left.rod, lane: index };
        send({ type: 'failed', run, failure });
      }
      if (missed) {
        send({
          type: 'failed',
          run,
          failure: {
            title: 'No equilibrium was found',
            message: `rod '${missed.rod}': ${missed.reason ?? 'no convergence'}`,
            remedy: 'let it run with some damping instead, or hold it with a pin',
            rod: missed.rod,
            lane: index,
          },
        });
      }
    } catch (error) {
      send({ type: 'failed', run, failure: describeFailure(error, index) });
    }
  });
  postFrame();
}

/** The page wants frames up to a time. */
export function runUntil({ run: ofRun, time, every: interval }: Extract<Command, { type: 'until' }>): void {
  if (ofRun !== run) return;
  until = time;
  every = interval;
  if (nextFrame > (leader()?.time ?? 0) + every) nextFrame = (leader()?.time ?? 0) + every;
  pumpSoon();
}

export function takeHand(ofRun: number, message: HandMessage): void {
  if (ofRun !== run) return;
  hands.forEach((hand, k) => {
    hand?.take(toGuide(message, lanes[k]));
  });
  if (message.kind === 'release-pin') sendPins();
}

/** The data of a frame of hair, of its guides. Throws RangeError for a run that is over. */
export function hairsOf(ofRun: number, guides: Float32Array): Float32Array {
  const hairs = ofRun === run ? lanes.find((lane) => lane.hairsOf)?.hairsOf : undefined;
  if (!hairs) throw new RangeError('the run of this hair is over');
  return hairs(guides);
}

/** The first lane that runs, for exports. */
export function runningLane(): { readonly lane: Lane; readonly index: number } | undefined {
  const index = lanes.findIndex(({ world }) => world !== undefined);
  return index < 0 ? undefined : { lane: lanes[index], index };
}
