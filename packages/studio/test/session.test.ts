/** The parts of a session by themselves: requests, frames, history, ticks of axes. */
import { describe, expect, it } from 'vitest';
import { type Port, startClient, WorkerError } from '../src/client.ts';
import { energyTable } from '../src/energyTable.ts';
import { createFrameStore, isBare } from '../src/frames.ts';
import { createHistory, type Entry } from '../src/history.ts';
import type { Frame, FromWorker, Loaded, Request, RunEvent } from '../src/protocol.ts';
import { formatTicks, shortNumber } from '../src/ui/format.ts';
import { createCheckpoints } from '../src/worker/checkpoints.ts';

interface Bench {
  readonly asked: Request[];
  readonly events: RunEvent[];
  readonly client: ReturnType<typeof startClient>;
  answer(message: FromWorker): void;
  breakDown(message: string): void;
}

function bench(): Bench {
  const asked: Request[] = [];
  const events: RunEvent[] = [];
  const port: Port = {
    postMessage: (message) => void asked.push(message as Request),
    terminate() {},
    onmessage: null,
    onerror: null,
  };
  const client = startClient((event) => void events.push(event), port);
  return {
    asked,
    events,
    client,
    answer: (data) => port.onmessage?.({ data } as MessageEvent<FromWorker>),
    breakDown: (message) => port.onerror?.({ message } as ErrorEvent),
  };
}

describe('a request', () => {
  it('is answered by the answer that carries its number, in any order', async () => {
    const { asked, client, answer } = bench();
    const first = client.ask('case-text', { id: 'a' });
    const second = client.ask('case-text', { id: 'b' });
    answer({ type: 'answer', id: asked[1].id, body: { text: 'B' } });
    answer({ type: 'answer', id: asked[0].id, body: { text: 'A' } });
    expect([(await first).text, (await second).text]).toEqual(['A', 'B']);
  });

  it('fails by an error of its own, by a worker that breaks, and when it is given up', async () => {
    const { asked, client, answer, breakDown } = bench();
    const first = client.ask('check', { id: 'a', model: undefined });
    const other = client.ask('check', { id: 'b', model: undefined });
    answer({ type: 'error', id: asked[0].id, message: 'no such case', isFetch: false });
    await expect(first).rejects.toThrow('no such case');
    breakDown('out of memory');
    await expect(other).rejects.toMatchObject({ kind: 'broken', message: 'out of memory' });
    const last = client.ask('schema', null);
    client.close();
    await expect(last).rejects.toBeInstanceOf(WorkerError);
    await expect(last).rejects.toMatchObject({ kind: 'cancelled' });
  });

  it('fails at once, also later, where the script of the worker could not be fetched', async () => {
    const { client, breakDown } = bench();
    const first = client.ask('case-text', { id: 'a' });
    // the browser gives no reason then
    breakDown('');
    await expect(first).rejects.toMatchObject({ kind: 'absent' });
    await expect(client.ask('schema', null)).rejects.toMatchObject({ kind: 'absent' });
  });

  it('hears of its progress, and events of runs go elsewhere', async () => {
    const { asked, client, answer, events } = bench();
    const heard: string[] = [];
    const request = { run: 1, text: '', name: '', caseId: undefined, variants: [], from: undefined };
    const load = client.ask('load', request, { onProgress: ({ what }) => void heard.push(what) });
    answer({ type: 'progress', id: asked[0].id, done: 1, of: 3, what: 'Building' });
    answer({ type: 'progress', id: asked[0].id + 1, done: 1, of: 3, what: 'of another' });
    answer({ type: 'pins', run: 7, released: [] });
    answer({ type: 'answer', id: asked[0].id, body: { kept: 'restarted' } as Loaded });
    await load;
    expect(heard).toEqual(['Building']);
    expect(events).toEqual([{ type: 'pins', run: 7, released: [] }]);
  });
});

describe('frames of hair', () => {
  const hairs = 1e5;
  const frame = (time: number): Frame => ({
    time,
    lanes: [
      { data: new Float32Array(hairs), guides: new Float32Array(48 * 30 * 3), stats: Float64Array.of(time), cost: 0 },
    ],
  });

  it('keep their guides, all of them, and hairs of a few; energies of every one', () => {
    const store = createFrameStore();
    for (let k = 0; k < 200; k++) store.add(frame(k / 60));
    expect(store.frames.length).toBe(200);
    expect(store.stats.length).toBe(200);
    expect(store.frames.filter((one) => !isBare(one)).length).toBe(16);
    const [first] = store.frames;
    expect(isBare(first)).toBe(true);
    store.fill(first, new Float32Array(hairs));
    expect(isBare(store.frames[0])).toBe(false);
    expect(store.frames.filter((one) => !isBare(one)).length).toBe(16);
  });

  it('are all in the table of energies, also those whose hairs were given up', () => {
    const store = createFrameStore();
    for (let k = 0; k < 200; k++) store.add(frame(k / 60));
    const rows = energyTable(store.stats, [{ variant: { id: '', label: 'as written' }, refused: undefined }])
      .trim()
      .split('\n');
    expect(rows).toHaveLength(201);
  });

  it('thin out where there is no room, their energies do not', () => {
    const store = createFrameStore(1 << 20);
    for (let k = 0; k < 300; k++) store.add(frame(k / 60));
    expect(store.frames.length).toBeLessThan(150);
    // as even as it can be: no long gap anywhere
    const gaps = store.frames.slice(1).map(({ time }, k) => time - store.frames[k].time);
    expect(Math.max(...gaps)).toBeLessThan(0.6);
    expect(store.stats.length).toBe(300);
    expect([store.first, store.last]).toEqual([0, 299 / 60]);
  });
});

it('the table of energies has columns for each model that runs, and the distance from the first', () => {
  const stats = [
    { time: 0.5, lanes: [1, 0, 3].map((x) => new Float64Array(9).fill(x)), distances: [undefined, undefined, 0.25] },
  ];
  const lanes = ['der', 'helix', 'fiber, bdf2'].map((label, k) => ({
    variant: { id: label, label },
    refused: k === 1 ? 'not this one' : undefined,
  }));
  const [head, row] = energyTable(stats, lanes).split('\n');
  expect(head).toMatch(/^time_s,der_kinetic_J,.*,der_tension_max_N,fiber-bdf2_kinetic_J,.*,fiber-bdf2_distance_m$/);
  expect(row).toBe(`0.5,${'1,'.repeat(9)}${'3,'.repeat(9)}0.25`);
});

describe('states of a run', () => {
  const state = (time: number) => ({
    time,
    stepCount: 0,
    bundles: [{ q: new Float64Array(1000), v: new Float64Array(1000), memory: new Float64Array(0) }],
  });

  it('are found at or before a time, within their room', () => {
    const points = createCheckpoints(1 << 20);
    for (let k = 0; k < 400; k++) points.add({ time: k / 10, states: [state(k / 10)] });
    const found = points.before(20.05)?.time ?? -1;
    expect(found).toBeLessThanOrEqual(20.05);
    expect(found).toBeGreaterThan(17);
    expect(points.before(39.9)?.time).toBe(39.9);
    // what is computed anew replaces what came after it
    points.add({ time: 30, states: [state(30)] });
    expect(points.before(99)?.time).toBe(30);
  });
});

describe('the history', () => {
  const entry = (text: string, work = 'a'): Entry => ({ text, name: 'x.yaml', caseId: undefined, changed: true, work });

  it('goes over edits and over scenes; a slider that moves is one step', () => {
    const history = createHistory();
    history.push(entry('1'), '', 0);
    expect(history.canUndo).toBe(false);
    for (let k = 0; k < 5; k++) history.push(entry(`slide ${k}`), 'E', 100 + k);
    history.push(entry('other', 'b'), '', 2000);
    expect(history.undo()?.text).toBe('slide 4');
    expect(history.undo()?.text).toBe('1');
    expect(history.undo()).toBeUndefined();
    expect(history.redo()?.text).toBe('slide 4');
    expect(history.redo()?.text).toBe('other');
    // the same slider in another scene does not swallow the scene
    history.push(entry('slide 9', 'b'), 'E', 2001);
    expect(history.undo()?.text).toBe('other');
  });
});

describe('ticks', () => {
  it('tell neighbours apart, and the last has the unit', () => {
    expect(formatTicks([2.2298, 2.2299, 2.23, 2.2301])).toEqual(['2.2298', '2.2299', '2.23', '2.2301']);
    expect(formatTicks([0, 5, 10], 's')).toEqual(['0', '5', '10 s']);
    expect(new Set(formatTicks([1.0001e-5, 1.0002e-5, 1.0003e-5])).size).toBe(3);
    expect(formatTicks([-0.1, 0, 0.1])).toEqual(['−0.1', '0', '0.1']);
  });
});

describe('numbers in fields', () => {
  it('are exact where they fit, and never wider than their field', () => {
    expect([0, 0.05, 1e8, 1e-5, 24, 1234567.5].map((x) => shortNumber(x))).toEqual([
      '0',
      '0.05',
      '1e8',
      '1e-5',
      '24',
      '1234567.5',
    ]);
    for (const x of [Math.SQRT1_2, -Math.SQRT1_2, 1e8 / 3, -123456.789, 5e-9 / 3, 1e300 / 7])
      for (const room of [6, 9]) {
        const text = shortNumber(x, room);
        expect(text.length, text).toBeLessThanOrEqual(x === 1e300 / 7 ? Math.max(room, 5) : room);
        expect(Math.abs(Number(text) / x - 1), text).toBeLessThan(0.3);
      }
  });
});
