/** Errors in threads come to the caller, which would else wait for ever. */
import { describe, expect, it } from 'vitest';
import {
  ask,
  type Crew,
  createCrewMemory,
  finish,
  HOLD,
  openCrew,
  reportReady,
  serveTurn,
  waitReady,
} from '../../src/kernels/crew.ts';

/** The caller and a thread, in one. */
const makeCrew = (): { caller: Crew; thread: Crew } => {
  const memory = createCrewMemory(2, 4, 4, true, 8, [[2, 4]]);
  return { caller: openCrew(memory), thread: openCrew(memory) };
};

describe('a thread', () => {
  it('that is ready and does as it is asked is no error', () => {
    const { caller, thread } = makeCrew();
    reportReady(thread, 1);
    waitReady(caller, 1);
    ask(caller, HOLD);
    let asked = -1;
    serveTurn(thread, 1, (command) => {
      asked = command;
    });
    finish(caller);
    expect(asked).toBe(HOLD);
  });

  it('that cannot begin tells why', () => {
    const { caller, thread } = makeCrew();
    reportReady(thread, 1, new Error('no rods to move'));
    expect(() => {
      waitReady(caller, 1);
    }).toThrow('a thread has ended: no rods to move');
  });

  it('that fails on the way tells why, and ends', () => {
    const { caller, thread } = makeCrew();
    ask(caller, HOLD);
    const fail = (): void => {
      throw new Error('out of memory');
    };
    expect(() => {
      serveTurn(thread, 1, fail);
    }).toThrow('out of memory');
    expect(() => {
      finish(caller);
    }).toThrow('a thread has ended: out of memory');
  });
});
