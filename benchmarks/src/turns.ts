/**
 * The functions of measure.ts for a process that takes turns with another (against.ts): it warms up, then times as many calls as each line on its
 * standard input asks for, until that is 0. Times are of the processor, not of the clock, so that waiting for other programs does not count.
 */
import { readSync, writeSync } from 'node:fs';
import type { Timing } from './measure.ts';

/** Time of the processor for warming up [s]. */
const WARM_UP = 1;

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const byte = Buffer.alloc(1);

/** The number on the next line of the standard input; 0 at its end. */
function readCount(): number {
  let line = '';
  while (readSync(0, byte) === 1) {
    const character = byte.toString('latin1');
    if (character === '\n') return Number(line);
    line += character;
  }
  return 0;
}

const answer = (seconds: number): number => writeSync(1, `${seconds}\n`);

let isTimed = false;

function takeTurns(work: () => void): Timing {
  // of a row that times several things, the first is compared
  if (!isTimed) {
    isTimed = true;
    const begin = cpuSeconds();
    let calls = 0;
    while (cpuSeconds() - begin < WARM_UP || calls < 3) {
      work();
      calls++;
    }
    answer((cpuSeconds() - begin) / calls);
    for (let count = readCount(); count > 0; count = readCount()) {
      const start = cpuSeconds();
      for (let k = 0; k < count; k++) work();
      answer(cpuSeconds() - start);
    }
  } else work();
  return { seconds: 1, spread: 0 };
}

export const time = (work: () => void): Timing => takeTurns(work);

/** Includes the preparation, which both processes have. */
export function timeRounds(prepare: () => void, work: () => void, calls: number): Timing {
  return takeTurns(() => {
    prepare();
    for (let k = 0; k < calls; k++) work();
  });
}

export function compare(work: () => void): { readonly timing: Timing; readonly ratio: number } {
  return { timing: takeTurns(work), ratio: 1 };
}
