/** Errors and the end of worker threads reach the caller, which would else wait for ever. */
import { describe, expect, it } from 'vitest';
import { SceneError, SimulationError } from '../../src/index.ts';
import { decodeRequest, encodeRequest, REQUEST_SIZE, type Request } from '../../src/threads/requests.ts';
import {
  createPoolMemory,
  isAbandoned,
  openPool,
  reportReady,
  runRequest,
  serveRequest,
  type WorkerPool,
  waitForReady,
  waitForRequest,
} from '../../src/threads/workerPool.ts';

/** The caller and a worker, in one thread. */
const makePool = (findEnded: () => number = () => 0): { caller: WorkerPool; worker: WorkerPool } => {
  const memory = createPoolMemory({ count: 2, rods: 4, systems: 4, state: 8, chunks: [[2, 4]] });
  return { caller: openPool(memory, { findEnded, isGone: () => findEnded() === 1 }), worker: openPool(memory) };
};

/** Has the worker answer while the caller does its own part. */
const answer = (worker: WorkerPool, action: (request: Request) => void): Request => {
  const { request } = waitForRequest(worker, 0);
  serveRequest(worker, 1, request, () => {
    action(request);
  });
  return request;
};

describe('a worker', () => {
  it('that is ready and does as it is asked is no error', () => {
    const { caller, worker } = makePool();
    reportReady(worker, 1);
    waitForReady(caller, 1);
    const asked = runRequest(caller, { kind: 'hold', savesStart: true }, () => answer(worker, () => {}));
    expect(asked).toEqual({ kind: 'hold', savesStart: true });
  });

  it('that cannot begin reports why', () => {
    const { caller, worker } = makePool();
    reportReady(worker, 1, new Error('no rods to move'));
    expect(() => {
      waitForReady(caller, 1);
    }).toThrow('in a worker thread: no rods to move');
  });

  it.each([
    new SceneError(['fields', 0, 'formula'], 'the formula gives no number'),
    new SimulationError('hair', 0.5, 'the step failed', 'try a smaller one'),
  ])('that throws passes the error on with its type, and serves on: %s', (error) => {
    const { caller, worker } = makePool();
    const fail = (): never => {
      throw error;
    };
    let thrown: unknown;
    try {
      runRequest(caller, { kind: 'revert', t: 1 }, () => answer(worker, fail));
    } catch (caught) {
      thrown = caught;
    }
    expect(thrown).toStrictEqual(error);
    expect({ ...(thrown as Error) }).toEqual({ ...error });
    const { request } = waitForRequest(worker, 0);
    expect(request.kind).toBe('revert');
    runRequest(caller, { kind: 'refresh', t: 2, skips: false }, () => {
      serveRequest(worker, 1, waitForRequest(worker, 1).request, () => {});
    });
  });

  it('is waited for where the caller itself throws, whose error comes first', () => {
    const { caller, worker } = makePool();
    const done: string[] = [];
    const act = (): void => {
      runRequest(caller, { kind: 'refresh', t: 0, skips: false }, () => {
        answer(worker, ({ kind }) => {
          done.push(kind);
          throw new Error('of the worker');
        });
        throw new Error('of the caller');
      });
    };
    expect(act).toThrow('of the caller');
    expect(done).toEqual(['refresh']);
  });

  it('that has ended is noticed within two seconds', () => {
    let ended = 0;
    const { caller } = makePool(() => ended);
    const start = performance.now();
    const act = (): void => {
      runRequest(caller, { kind: 'refresh', t: 0, skips: false }, () => {
        ended = 1;
      });
    };
    expect(act).toThrow(SimulationError);
    // two seconds on an idle machine; a caller that does not notice waits forever
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(isAbandoned(caller)).toBe(true);
  });
});

describe('requests', () => {
  const sides = { layout: 7, slot: 1, total: 40, first: 3, axes: 3, hasGoals: true, isReleased: false };
  it.each<Request>([
    { kind: 'advance', t: 0.1, dt: 0.01, robust: true, savesStart: false, skips: true },
    { kind: 'leave' },
    { kind: 'step', ...sides, t: 1, dt: 2, robust: false, rough: true },
    {
      kind: 'solverLoop',
      ...sides,
      loop: 2,
      capacity: 30,
      window: 6,
      size: 12,
      changes: 3,
      last: 2,
      values: Float64Array.of(1, 2, 3, 4, 5, 6),
    },
    { kind: 'search', search: 1, collider: 2, t: 3, dt: 4, allowed: 5, capacity: 6 },
  ])('are read as they were written: $kind', (request) => {
    const numbers = new Float64Array(REQUEST_SIZE);
    encodeRequest(numbers, request);
    expect(decodeRequest(numbers)).toEqual(request);
  });
});
