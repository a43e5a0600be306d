/**
 * Compares rows with those of another commit: `npm run bench -- --against <commit> [--rounds <n>] <row…>`.
 *
 * Both programs run at the same time and take turns of some hundredths of a second, so that what else the machine does slows both alike. Printed are the
 * least time of the processor that each has taken for a step, their ratio, and the median of the ratios of turns: where the two differ much, the machine
 * is too busy for the answer. Several processes of each run one after the other, because a compiler may treat the same program differently each time.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { buildOther, ownTree } from './otherTree.ts';

/** Time of the processor for one turn [s]. */
const TURN = 0.02;
const PROCESSES = 3;
/** Turns that are not counted. */
const SKIPPED = 3;

interface Player {
  /** Seconds of a call as found while warming up; NaN if the tree does not have the row, or does not time it by repetition. */
  readonly seconds: number;
  /** Seconds for this many calls. */
  take(calls: number): Promise<number>;
  /** Ends the process; returns its iterations per step. */
  end(): Promise<number>;
}

const ITERATIONS = 'iterations ';

async function startPlayer(tree: string, row: string): Promise<Player> {
  const file = fileURLToPath(new URL('./turnsRow.js', import.meta.url));
  const child = spawn(process.execPath, [file, tree, row], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async (): Promise<string> => (await lines.next()).value ?? '';
  const ask = (count: number): Promise<string> => {
    child.stdin.write(`${count}\n`);
    return next();
  };
  return {
    seconds: Number((await next()) || Number.NaN),
    take: async (calls) => Number(await ask(calls)),
    async end() {
      const last = await ask(0);
      return last.startsWith(ITERATIONS) ? Number(last.slice(ITERATIONS.length)) : Number.NaN;
    },
  };
}

interface Side {
  /** Seconds of a call. */
  least: number;
  iterations: number;
}

interface Comparison {
  readonly before: Side;
  readonly now: Side;
  readonly ratios: number[];
}

/** Times the row by one process of each tree; false if that is not possible. */
async function playOnce(
  { before, now, ratios }: Comparison,
  row: string,
  other: string,
  rounds: number,
): Promise<boolean> {
  const [first, second] = [await startPlayer(other, row), await startPlayer(ownTree, row)];
  const canPlay = first.seconds > 0 && second.seconds > 0;
  const calls = Math.max(1, Math.round(TURN / first.seconds));
  for (let round = -SKIPPED; canPlay && round < rounds; round++) {
    const theirs = await first.take(calls);
    const own = await second.take(calls);
    if (round < 0) continue;
    before.least = Math.min(before.least, theirs / calls);
    now.least = Math.min(now.least, own / calls);
    ratios.push(own / theirs);
  }
  before.iterations = await first.end();
  now.iterations = await second.end();
  return canPlay;
}

const median = (list: readonly number[]): number => [...list].sort((a, b) => a - b)[list.length >> 1];

async function compareRow(row: string, other: string, rounds: number): Promise<string> {
  const side = (): Side => ({ least: Number.POSITIVE_INFINITY, iterations: 0 });
  const out: Comparison = { before: side(), now: side(), ratios: [] };
  for (let k = 0; k < PROCESSES; k++)
    if (!(await playOnce(out, row, other, rounds))) return `${row.padEnd(30)}not in both, or not timed by repetition`;
  const { before, now, ratios } = out;
  const times = [before, now].map(({ least }) => (1e6 * least).toPrecision(4).padStart(12));
  const quotients = [now.least / before.least, median(ratios)].map((value) => value.toFixed(3).padStart(9));
  const iterations = [before, now].map((one) => one.iterations.toFixed(2).padStart(14));
  return [row.padEnd(30), ...times, ...quotients, ...iterations].join('');
}

/** Prints the table for rows that the program now has. */
export async function printComparison(commit: string, names: readonly string[], rounds: number): Promise<void> {
  const other = buildOther(commit);
  const times = ['µs before', 'µs now'].map((head) => head.padStart(12));
  const quotients = ['ratio', 'median'].map((head) => head.padStart(9));
  const iterations = ['iter. before', 'iter. now'].map((head) => head.padStart(14));
  console.log([`against ${commit}`.padEnd(30), ...times, ...quotients, ...iterations].join(''));
  for (const name of names) console.log(await compareRow(name, other, rounds));
}
