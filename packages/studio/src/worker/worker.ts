/** The simulation, beside the page: reads scenes, runs them, answers. */
import { cases, findCase, runChecks } from '@tendril/cases';
import { availableModels, createWorld, type Scene, SceneError } from '@tendril/core';
import {
  editSceneText,
  explainSceneError,
  formatScene,
  InputError,
  type ParsedScene,
  type Problem,
  parseScene,
  sceneFromObject,
  sceneJsonSchema,
  sceneValues,
} from '@tendril/io';
import type { ColliderInfo, Frame, FromWorker, Loaded, ToWorker, Variant } from '../protocol.ts';
import { createHands, type Hands } from './hands.ts';
import { applyVariant, createLane, describeFailure, type Lane } from './lane.ts';
import { readRecording } from './recording.ts';

const send = (message: FromWorker, transfer: Transferable[] = []): void => {
  postMessage(message, { transfer });
};

let lanes: Lane[] = [];
let hands: Hands[] = [];
let present: { scene: Scene; variants: readonly Variant[] } | undefined;
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
  const force = hands[0]?.force();
  if (force) send({ type: 'pull-force', ...force });
  send(
    { type: 'frame', run, frame },
    frame.lanes.map(({ data }) => data.buffer as ArrayBuffer),
  );
}

/** Steps until the page has what it asked for, with a breath now and then for messages. */
function pump(): void {
  pumping = false;
  const begin = performance.now();
  for (;;) {
    const first = leader();
    if (!first || first.time >= until - 1e-9 * first.stepSize) return;
    for (const hand of hands) hand.settle();
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
    parsed = parseScene(text, name);
    return { scene: parsed.scene };
  } catch (error) {
    return { problems: problemsOf(error, parsed, name) };
  }
}

function gravityOf({ gravity }: Scene): [number, number, number] {
  const g = gravity && 'acceleration' in gravity ? gravity.acceleration : gravity;
  return g ? [g[0], g[1], g[2]] : [0, 0, 0];
}

/** As far as they are plain data that the page can draw. */
function collidersOf({ colliders = [] }: Scene): readonly ColliderInfo[] {
  return colliders as readonly ColliderInfo[];
}

function begin(scene: Scene, variants: readonly Variant[]): void {
  present = { scene, variants };
  lanes = variants.map((variant, index) => createLane(scene, variant, index));
  restartHands();
}

function restartHands(): void {
  hands = lanes.flatMap(({ world, duration, stepSize }) => (world ? [createHands(world, duration, stepSize)] : []));
}

function describeLoaded(scene: Scene, text: string, kept: Loaded['kept']): Omit<Loaded, 'type' | 'ticket'> {
  const first = lanes.find(({ info }) => info.refused === undefined);
  return {
    lanes: lanes.map(({ info }) => info),
    time: { duration: first?.duration ?? 1, step: first?.stepSize ?? 0.01, note: first?.note },
    kept,
    values: sceneValues(text),
    colliders: collidersOf(scene),
    gravity: gravityOf(scene),
    title: scene.title ?? '',
  };
}

function load(message: Extract<ToWorker, { type: 'load' }>): void {
  const { ticket, text, name, variants, keep } = message;
  let parsed: ParsedScene | undefined;
  const before = lanes;
  const presentBefore = present;
  try {
    parsed = parseScene(text, name);
    const saved =
      keep && present && fits(present.scene, parsed.scene)
        ? before.map(({ info, world }) => ({ id: info.variant.id, state: world?.save(), time: world?.time }))
        : [];
    begin(parsed.scene, variants);
    // the scene itself is refused, not only on one of several models: the error carries the field
    if (variants.length === 1 && lanes[0].info.refused !== undefined)
      createWorld(applyVariant(parsed.scene, variants[0]));
    const kept = saved.length > 0 && restoreAll(saved);
    run = ticket;
    until = kept ? Math.min(until, lanes[0].time) : 0;
    nextFrame = 0;
    send({ type: 'loaded', ticket, ...describeLoaded(parsed.scene, text, kept ? 'state' : 'restarted') });
    postFrame();
    nextFrame = (leader()?.time ?? 0) + every;
  } catch (error) {
    lanes = before;
    present = presentBefore;
    restartHands();
    send({ type: 'refused', ticket, problems: problemsOf(error, parsed, name), values: sceneValues(text) });
  }
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

function restoreAll(
  saved: readonly { id: string; state: ReturnType<NonNullable<Lane['world']>['save']> | undefined }[],
): boolean {
  if (saved.length !== lanes.length) return false;
  try {
    lanes.forEach((lane, k) => {
      const { id, state } = saved[k];
      if (lane.info.variant.id !== id) throw new SceneError([], 'another variant');
      if (lane.world && state) lane.world.restore(state);
      else if (lane.world || state) throw new SceneError([], 'another model');
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

function check({ ticket, id, model }: Extract<ToWorker, { type: 'check' }>): void {
  const subject = findCase(id);
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
function preview(ticket: number, id: string, patience: number): void {
  const subject = findCase(id);
  if (!subject) return;
  try {
    const scene = sceneFromObject(subject.scene(), id);
    const lane = createLane(scene, { id: '', label: '' }, 0);
    const begin = performance.now();
    const wanted = (previewAt[id] ?? 0.7) * lane.duration;
    while (lane.time < wanted && !lane.failure && performance.now() - begin < 1000 * patience) lane.step();
    const { data } = lane.frame();
    send({ type: 'preview', ticket, lane: lane.info, data, colliders: collidersOf(scene), twists: twists(scene) }, [
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

function handle(message: ToWorker): void {
  switch (message.type) {
    case 'cases':
      send({
        type: 'cases',
        models: availableModels(),
        schema: sceneJsonSchema(),
        cases: cases.map((one) => ({
          id: one.id,
          title: one.title,
          source: one.source,
          models: one.models,
        })),
      });
      break;
    case 'case-text': {
      // only when it is wanted: a head of hair is twenty thousand lines
      const subject = findCase(message.id);
      send({ type: 'case-text', ticket: message.ticket, text: subject ? formatScene(subject.scene()) : '' });
      break;
    }
    case 'load':
      load(message);
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
    case 'hand':
      for (const hand of hands) hand.take(message.hand);
      break;
    case 'check':
      check(message);
      break;
    case 'preview':
      preview(message.ticket, message.id, message.patience);
      break;
    case 'import':
      void import('./files.ts').then(({ importFile }) =>
        send({ type: 'imported', ticket: message.ticket, ...importFile(new Uint8Array(message.bytes), message.name) }),
      );
      break;
    case 'export':
      void import('./files.ts').then(({ exportRun }) => {
        const lane = lanes.findIndex(({ world }) => world !== undefined);
        const { world, info } = lanes[lane] ?? {};
        try {
          if (!world || !info) throw new Error('there is no run to save');
          const parts = exportRun(world, info, message.frames, lane, message.format);
          send({ type: 'exported', ticket: message.ticket, parts });
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          send({ type: 'exported', ticket: message.ticket, parts: [], error: reason });
        }
      });
      break;
    case 'recording': {
      const result = readRecording(message.bytes, message.name);
      send(
        { type: 'recording', ticket: message.ticket, ...result },
        result.frames.flatMap(({ lanes: each }) => each.map(({ data }) => data.buffer as ArrayBuffer)),
      );
      break;
    }
  }
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  try {
    handle(data);
  } catch (error) {
    send({ type: 'broken', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
