/** The simulation, beside the page: reads scenes, runs them, answers. */
import { cases } from 'virtual:cases';
import { availableModels, createWorld, type Scene, SceneError, type World, wholeOf } from '@tendril/core';
import {
  editSceneText,
  explainSceneError,
  type FileResolver,
  formatScene,
  InputError,
  type ParsedScene,
  type Problem,
  parseScene,
  type RecordingHeader,
  sceneFromObject,
  sceneJsonSchema,
  sceneValues,
} from '@tendril/io';
import type { ColliderInfo, Frame, FromWorker, HandMessage, LaneInfo, Loaded, ToWorker, Variant } from '../protocol.ts';
import { fetchCase, fetchRunChecks } from './caseFiles.ts';
import type { GroomStage } from './groom/stage.ts';
import { createHands, type HandMemory, type Hands } from './hands.ts';
import { applyVariant, createLane, describeFailure, type Lane } from './lane.ts';
import { fetchModels, modelsOf } from './models.ts';
import { cutWorld, type Operation, operateScene, pinWorld } from './operate.ts';

const send = (message: FromWorker, transfer: Transferable[] = []): void => {
  postMessage(message, { transfer });
};

let lanes: Lane[] = [];
let hands: (Hands | undefined)[] = [];
/** What was done to the run of each lane, of which the scene's text knows nothing. */
let operations: Operation[][] = [];
/** Files that scenes may name: what was groomed here. */
const attached = new Map<string, Uint8Array>();
let files: FileResolver | undefined;
let groom: GroomStage | undefined;
/** The recording that was opened last. */
let recorded: { readonly world: RecordingHeader; readonly info: LaneInfo } | undefined;
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
  if (force) send({ type: 'pull-force', ...force });
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

function problemsOf(error: unknown, parsed: ParsedScene | undefined, name: string): readonly Problem[] {
  if (error instanceof InputError) return error.problems;
  if (error instanceof SceneError) return explainSceneError(error, parsed, name).problems;
  return [{ message: error instanceof Error ? error.message : String(error) }];
}

/** Parsed and compiled, or what is wrong with it. */
function readScene(text: string, name: string): { scene: Scene } | { problems: readonly Problem[] } {
  let parsed: ParsedScene | undefined;
  try {
    parsed = parseScene(text, name, { files });
    return { scene: parsed.scene };
  } catch (error) {
    return { problems: problemsOf(error, parsed, name) };
  }
}

function gravityOf({ gravity }: Scene): [number, number, number] {
  const g = gravity && 'acceleration' in gravity ? gravity.acceleration : gravity;
  return g ? [g[0], g[1], g[2]] : [0, 0, 0];
}

/** As plain data that the page can draw: formulas and grids of distances become meshes. */
async function drawColliders({ colliders = [] }: Scene, world: World | undefined): Promise<readonly ColliderInfo[]> {
  const plain = colliders as readonly ColliderInfo[];
  if (!world || !plain.some(({ type }) => type === 'formula' || type === 'grid')) return plain;
  const { meshOf } = await import('./isosurface.ts');
  return plain.map((one, k) =>
    one.type === 'formula' || one.type === 'grid' ? { ...one, ...meshOf(world.colliders[k], world) } : one,
  );
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

async function load(message: Extract<ToWorker, { type: 'load' }>): Promise<void> {
  const { ticket, text, name, variants, keep } = message;
  let parsed: ParsedScene | undefined;
  let before = { lanes, present, hands, operations };
  try {
    parsed = parseScene(text, name, { files });
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
    const dressed = await dress(text);
    presentColliders = await drawColliders(parsed.scene, lanes.find(({ world }) => world)?.world);
    if (dressed && groom?.head) presentColliders = [groom.head, ...presentColliders.slice(1)];
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

/** Hair that was groomed here is drawn with all its hairs. */
async function dress(text: string): Promise<boolean> {
  if (attached.size === 0) return false;
  const { dressOf, dressLane } = await import('./groom/dress.ts');
  const style = dressOf(sceneValues(text), attached);
  if (!style) return false;
  lanes = lanes.map((lane) => dressLane(lane, style) ?? lane);
  return true;
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

function restart(ofRun: number): void {
  if (!present) return;
  begin(present.scene, present.variants);
  run = ofRun;
  until = 0;
  nextFrame = 0;
  postFrame();
  nextFrame = every;
}

/** Cuts or pins, in every lane: each goes on as another world from where it is. */
function operate({ ticket, kind, rod, node }: Extract<ToWorker, { type: 'operate' }>): void {
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
function rest(): void {
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

async function check({ ticket, id, model }: Extract<ToWorker, { type: 'check' }>): Promise<void> {
  const [subject, runChecks] = await Promise.all([fetchCase(id), fetchRunChecks(), fetchModels()]);
  if (!subject) {
    send({ type: 'check-rows', ticket, rows: [], error: `there is no case '${id}'` });
    return;
  }
  try {
    const rows = runChecks(subject, {
      full: false,
      model,
      onProgress: (done, of, what) => send({ type: 'check-progress', ticket, done, of, what }),
    });
    send({ type: 'check-rows', ticket, rows });
  } catch (error) {
    send({ type: 'check-rows', ticket, rows: [], error: error instanceof Error ? error.message : String(error) });
  }
}

/** A case some way into its run, for a picture of it. */
async function preview(ticket: number, id: string, patience: number): Promise<void> {
  try {
    const subject = await fetchCase(id);
    if (!subject) throw new RangeError(`there is no case '${id}'`);
    await fetchModels();
    const scene = sceneFromObject(subject.scene(), id);
    const lane = createLane(scene, { id: '', label: '' }, 0);
    const begin = performance.now();
    const wanted = (previewAt[id] ?? 0.7) * lane.duration;
    while (lane.time < wanted && !lane.failure && performance.now() - begin < 1000 * patience) lane.step();
    const { data } = lane.frame();
    const colliders = await drawColliders(scene, lane.world);
    send({ type: 'preview', ticket, lane: lane.info, data, colliders, twists: twists(scene) }, [
      data.buffer as ArrayBuffer,
    ]);
  } catch {
    send({ type: 'preview', ticket, lane: undefined, data: new Float32Array(0), colliders: [], twists: false });
  }
}

/** Where twist is put in, twist is what one wants to see. */
function twists(scene: Scene): boolean {
  return /"twist":|"turns":|torque/.test(JSON.stringify({ ...scene, rods: scene.rods.slice(0, 4) }));
}

/** When a case looks like itself, as a part of its duration. */
const previewAt: Readonly<Record<string, number>> = {
  'michell-ring': 1,
  'heavy-cantilever': 0.16,
  'cantilever-frequencies': 0.36,
  'localized-buckling': 0.8,
  'wilberforce-pendulum': 0.02,
  'tree-in-wind': 0.1,
  'free-flight': 0.35,
  'trefoil-knot': 1,
  plectoneme: 1,
  drop: 0.3,
};

async function handle(message: ToWorker): Promise<void> {
  switch (message.type) {
    case 'cases':
      send({
        type: 'cases',
        models: availableModels(),
        schema: sceneJsonSchema(),
        cases,
      });
      break;
    case 'case-text': {
      // only when it is wanted: a head of hair is twenty thousand lines
      const subject = await fetchCase(message.id);
      send({ type: 'case-text', ticket: message.ticket, text: subject ? formatScene(subject.scene()) : '' });
      break;
    }
    case 'load':
      await load(message);
      break;
    case 'check-text': {
      const result = readScene(message.text, message.name);
      send({ type: 'checked-text', ticket: message.ticket, problems: 'problems' in result ? result.problems : [] });
      break;
    }
    case 'edit':
      send({ type: 'edited', ticket: message.ticket, text: editSceneText(message.text, message.edits) });
      break;
    case 'until':
      until = message.time;
      every = message.every;
      if (nextFrame > (leader()?.time ?? 0) + every) nextFrame = (leader()?.time ?? 0) + every;
      pumpSoon();
      break;
    case 'restart':
      restart(message.run);
      break;
    case 'rest':
      rest();
      break;
    case 'attach': {
      const { resolverOf } = await import('./groom/dress.ts');
      for (const { name, bytes } of message.files) attached.set(name, bytes);
      files = resolverOf(attached);
      break;
    }
    case 'groom': {
      if (!groom) groom = (await import('./groom/stage.ts')).createGroomStage();
      const answer = groom.act(message.action);
      const moved = answer.frame?.lanes.map(({ data }) => data.buffer as ArrayBuffer) ?? [];
      send({ type: 'groomed', ticket: message.ticket, ...answer }, moved);
      break;
    }
    case 'hand':
      hands.forEach((hand, k) => {
        hand?.take(toGuide(message.hand, lanes[k]));
      });
      if (message.hand.kind === 'release-pin') sendPins();
      break;
    case 'operate':
      operate(message);
      break;
    case 'check':
      await check(message);
      break;
    case 'preview':
      await preview(message.ticket, message.id, message.patience);
      break;
    case 'import': {
      const { importFile } = await import('./files.ts');
      send({ type: 'imported', ticket: message.ticket, ...importFile(new Uint8Array(message.bytes), message.name) });
      break;
    }
    case 'export': {
      const { exportRun } = await import('./files.ts');
      const lane = message.recorded ? 0 : lanes.findIndex(({ world }) => world !== undefined);
      const { world: source, info } = message.recorded ? (recorded ?? {}) : (lanes[lane] ?? {});
      try {
        if (!source || !info) throw new Error('there is no run to save');
        const parts = exportRun(source, info, message.frames, lane, message.format);
        send({ type: 'exported', ticket: message.ticket, parts });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        send({ type: 'exported', ticket: message.ticket, parts: [], error: reason });
      }
      break;
    }
    case 'recording': {
      const { readRecording } = await import('./recording.ts');
      const { header, ...result } = readRecording(message.bytes, message.name);
      const [info] = result.loaded?.lanes ?? [];
      recorded = header && info && { world: header, info };
      send(
        { type: 'recording', ticket: message.ticket, ...result },
        result.frames.flatMap(({ lanes: each }) => each.map(({ data }) => data.buffer as ArrayBuffer)),
      );
      break;
    }
  }
}

/** Messages one after the other, also where one waits for a part of the program that is fetched. */
const inbox: ToWorker[] = [];
let reading = false;

async function readInbox(): Promise<void> {
  reading = true;
  for (let message = inbox.shift(); message; message = inbox.shift()) {
    try {
      await handle(message);
    } catch (error) {
      send({ type: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  reading = false;
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  inbox.push(data);
  if (!reading) void readInbox();
});
