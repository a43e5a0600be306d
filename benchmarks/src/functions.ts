/** Cost of a call of our elementary functions beside those of the engine, which may round differently elsewhere. */
import * as rounded from '@tendril-sim/core/math';
import { compare, type Timing } from './measure.ts';

/** Arguments as they occur in a step: half of the joints turn by less than π/4. */
const argumentsOf = Float64Array.from({ length: 1024 }, (_, k) => 0.001 + ((k * 0.6180339887) % 1) * 1.4);

type Unary = (x: number) => number;

// one closure per call of this function, so that each is compiled for its own `f`
function makeSweep(f: Unary): () => void {
  let sum = 0;
  return () => {
    for (let k = 0; k < argumentsOf.length; k++) sum += f(argumentsOf[k]);
    if (sum === Number.POSITIVE_INFINITY) throw new Error('overflow');
  };
}

const subjects: Readonly<Record<string, readonly [Unary, Unary]>> = {
  sin: [rounded.sin, Math.sin],
  cos: [rounded.cos, Math.cos],
  atan2: [(x) => rounded.atan2(x, 0.7), (x) => Math.atan2(x, 0.7)],
  acos: [(x) => rounded.acos(0.7 * x), (x) => Math.acos(0.7 * x)],
  exp: [rounded.exp, Math.exp],
  log: [rounded.log, Math.log],
  pow: [(x) => rounded.pow(x, 0.3), (x) => x ** 0.3],
  hypot: [(x) => rounded.hypot(x, 0.3, 0.4), (x) => Math.hypot(x, 0.3, 0.4)],
};

/** Time of one sine, and the times of all as a note. */
export function measureFunctions(): { readonly timing: Timing; readonly note: string } {
  const found = Object.entries(subjects).map(([name, [ours, theirs]]) => {
    const { timing, ratio } = compare(makeSweep(ours), makeSweep(theirs), 4);
    const seconds = timing.seconds / argumentsOf.length;
    return { name, timing: { ...timing, seconds }, theirs: seconds / ratio };
  });
  const nano = (seconds: number): string => (seconds * 1e9).toFixed(0);
  const note = found.map(({ name, timing, theirs }) => `${name} ${nano(timing.seconds)} (${nano(theirs)})`).join(', ');
  return { timing: found[0].timing, note: `ns a call, correctly rounded (Math): ${note}` };
}
