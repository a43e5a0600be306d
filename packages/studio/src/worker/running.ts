/** The scene as it runs: its lanes, the hands on them, and the pump that keeps them ahead of the page. */
import { type Scene, SceneError, wholeOf } from '@tendril-sim/core';
import { type ParsedScene, parseScene, sceneValues } from '@tendril-sim/io';
import type { ColliderInfo, Frame, HandMessage, Loaded, ToWorker, Variant } from '../protocol.ts';
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
  const frame: Frame = { time: first.time, lanes: lanes.map((lane) => lane.frame()) };
  const force = hands.find((hand) => hand)?.force();
  if (force !== undefined) send({ type: 'pull-force', force });
  send(
    { type: 'frame', run, frame },
    frame.lanes.flatMap(({ data, forces }) =>
      [data, ...(forces ? [forces] : [])].map(({ buffer }) => buffer as ArrayBuffer),
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
        send({ type: 'failed', failure: lane.failure });
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

function describeLoaded(scene: Scene, text: string, kept: Loaded['kept']): Omit<Loaded, 'type' | 'ticket'> {
  const first = lanes.find(({ info }) => info.refused === undefined);
  return {
    lanes: lanes.map(({ info }) => info),
    time: { duration: first?.duration ?? 1, step: first?.stepSize ?? 0.01, note: first?.note },
    kept,
    values: sceneValues(text),
    colliders: presentColliders,
    gravity: gravityOf(scene),
    title: scene.title ?? '',
    ...(lanes.some(({ guideAt }) => guideAt) && {
      look: groomLook,
      hair: lanes[0].world && lanes[0].world.grips.length > 0 ? 'movable' : 'driven',
    }),
  };
}

export async function load(message: Extract<ToWorker, { type: 'load' }>): Promise<void> {
  const { ticket, text, name, variants, keep } = message;
  let parsed: ParsedScene | undefined;
  let before = { lanes, present, hands, operations };
  try {
    parsed = parseScene(text, name, { files: attachedFiles() });
    await fetchModels(modelsOf(parsed.scene, variants));
    before = { lanes, present, hands, operations };
    const saved =
      keep && present && fits(present.scene, parsed.scene)
        ? lanes.map(({ info, world }, k) => ({
            id: info.variant.id,
            state: world?.save(),
            memory: hands[k]?.memory(),
            operations: operations[k],
          }))
        : [];
    begin(parsed.scene, variants);
    // the scene itself is refused, not only on one of several models: the error carries the field
    if (variants.length === 1 && lanes[0].info.refused !== undefined)
      createWorld(applyVariant(parsed.scene, variants[0]));
    const kept = saved.length > 0 && restoreAll(saved);
    const dressed = await dressLanes(text, lanes);
    if (dressed) lanes = dressed;
    presentColliders = await drawColliders(parsed.scene, lanes.find(({ world }) => world)?.world);
    const head = dressed && groomedHead();
    if (head) presentColliders = [head, ...presentColliders.slice(1)];
    run = ticket;
    presentText = text;
    until = kept ? Math.min(until, lanes[0].time) : 0;
    nextFrame = 0;
    send({ type: 'loaded', ticket, ...describeLoaded(parsed.scene, text, kept ? 'state' : 'restarted') });
    if (kept) sendPins();
    postFrame();
    nextFrame = (leader()?.time ?? 0) + every;
  } catch (error) {
    ({ lanes, present, hands, operations } = before);
    send({ type: 'refused', ticket, problems: problemsOf(error, parsed, name), values: sceneValues(text) });
  }
}

/** What a hand does to a hair is done to the guide that it follows. */
function toGuide(message: HandMessage, { guideAt }: Lane): HandMessage {
  if (!guideAt || !('rod' in message)) return message;
  if (message.kind === 'twist-end') return { ...message, rod: guideAt(message.rod, 0).rod };
  return { ...message, ...guideAt(message.rod, message.node) };
}

/** Whether only such fields differ under which a state can go on: materials, sections, loads, but no shape or pin. */
function fits(a: Scene, b: Scene): boolean {
  const fixed = ({ rods, pins, bodies, welds, links, time }: Scene): string =>
    JSON.stringify([
      rods.map(({ section: _, material: __, ...rest }) => rest),
      pins,
      bodies,
      welds,
      links,
      time === undefined,
      time?.duration,
    ]);
  return fixed(a) === fixed(b);
}

interface Saved {
  readonly id: string;
  readonly state: ReturnType<NonNullable<Lane['world']>['save']> | undefined;
  readonly memory: HandMemory | undefined;
  readonly operations: Operation[];
}

function restoreAll(saved: readonly Saved[]): boolean {
  if (saved.length !== lanes.length) return false;
  try {
    lanes.forEach((lane, k) => {
      const { id, state, memory, operations: done } = saved[k];
      if (lane.info.variant.id !== id) throw new SceneError([], 'another variant');
      if (!lane.world !== !state) throw new SceneError([], 'another model');
      if (!lane.world || !state) return;
      if (done.length > 0) {
        const world = createWorld(operateScene(lane.world.scene, done));
        lanes[k] = createLane(world.scene, lane.info.variant, k, world);
        hands[k] = createLaneHands(lanes[k]);
        operations[k] = done;
      }
      const world = lanes[k].world as NonNullable<Lane['world']>;
      world.restore(state);
      if (memory) hands[k]?.recall(memory, world.rods.map(wholeOf));
    });
    return true;
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    if (present) begin(present.scene, present.variants);
    return false;
  }
}

export function restart(ofRun: number): void {
  if (!present) return;
  begin(present.scene, present.variants);
  run = ofRun;
  until = 0;
  nextFrame = 0;
  postFrame();
  nextFrame = every;
}

/** Cuts or pins, in every lane: each goes on as another world from where it is. */
export function operate({ ticket, kind, rod, node }: Extract<ToWorker, { type: 'operate' }>): void {
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
    run = ticket;
    nextFrame = 0;
    send({ type: 'loaded', ticket, ...describeLoaded(present.scene, presentText, 'cut') });
    sendPins();
    postFrame();
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    send({ type: 'refused', ticket, problems: [{ message: error.message }], values: undefined });
  }
}

/** Which pins hold. */
function sendPins(): void {
  send({ type: 'pins', run, released: lanes.map(({ world }) => world?.grips.map(({ released }) => released) ?? []) });
}

/** Lets every lane come to rest where it is. */
export function rest(): void {
  lanes.forEach((lane, index) => {
    if (!lane.world) return;
    try {
      const missed = lane.world.equilibrate().find(({ converged }) => !converged);
      if (missed) {
        send({
          type: 'failed',
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
      send({ type: 'failed', failure: describeFailure(error, index) });
    }
  });
  postFrame();
}

/** The page wants frames up to a time. */
export function runUntil({ time, every: interval }: Extract<ToWorker, { type: 'until' }>): void {
  until = time;
  every = interval;
  if (nextFrame > (leader()?.time ?? 0) + every) nextFrame = (leader()?.time ?? 0) + every;
  pumpSoon();
}

export function takeHand(message: HandMessage): void {
  hands.forEach((hand, k) => {
    hand?.take(toGuide(message, lanes[k]));
  });
  if (message.kind === 'release-pin') sendPins();
}

/** The first lane that runs, for exports. */
export function runningLane(): { readonly lane: Lane; readonly index: number } | undefined {
  const index = lanes.findIndex(({ world }) => world !== undefined);
  return index < 0 ? undefined : { lane: lanes[index], index };
}
