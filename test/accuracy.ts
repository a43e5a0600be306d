/**
 * Counts results of the elementary functions that are not the double nearest to the true value, ours beside those of the engine:
 *
 *   npm run accuracy [-- --count 100000 --function sin --seed 1]
 */
import { parseArgs } from 'node:util';
import * as rounded from '../packages/core/src/math/rounded/index.ts';
import { makeSamplers } from '../packages/core/test/math/rounded/arguments.ts';
import { isNearest, truth } from '../packages/core/test/math/rounded/reference.ts';

type Functions = Readonly<Record<string, (x: number, y: number) => number>>;
const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    function: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const ours = rounded as unknown as Functions;
const engine = Math as unknown as Functions;

console.log(`${'function'.padEnd(10)}${'arguments'.padStart(12)}${'misrounded'.padStart(12)}${'by Math'.padStart(12)}`);
let total = 0;
for (const name of Object.keys(truth).filter((one) => (values.function ?? one) === one)) {
  const sample = makeSamplers(BigInt(values.seed))[name];
  let [judged, wrong, wrongMath] = [0, 0, 0];
  for (let k = 0; k < Number(values.count); k++) {
    const [x, y] = sample();
    const [result, theirs] = [ours[name](x, y), engine[name](x, y)];
    // the reference judges ordinary numbers
    if (x === 0 || !(Math.abs(theirs) < 1e308)) continue;
    const value = truth[name](x, y);
    judged++;
    if (!isNearest(result, value)) wrong++;
    if (!isNearest(theirs, value)) wrongMath++;
  }
  total += wrong;
  const share = `${((100 * wrongMath) / judged).toFixed(2)} %`;
  console.log(`${name.padEnd(10)}${String(judged).padStart(12)}${String(wrong).padStart(12)}${share.padStart(12)}`);
}
process.exit(total > 0 ? 1 : 0);
