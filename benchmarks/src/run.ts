/**
 * Prints a table of our figures beside the peers', scaled by the banded solve to this machine, and appends it to
 * results/<machine>.csv. `npm run bench [row…]`. With `-- --against <commit>` it compares rows with those of that commit instead: see against.ts.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { printComparison } from './against.ts';
import { peers, REFERENCE_SOLVE } from './peers.ts';
import { type Row, rows } from './rows.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '40' } },
});
const unknown = wanted.filter((name) => !(name in rows));
if (unknown.length > 0) {
  console.error(`unknown rows: ${unknown.join(', ')}; there are: ${Object.keys(rows).join(', ')}`);
  process.exit(2);
}
if (values.against !== undefined) {
  await printComparison(values.against, wanted.length > 0 ? wanted : Object.keys(rows), Number(values.rounds));
  process.exit(0);
}
const names = wanted.length > 0 ? ['band-solve', ...wanted.filter((name) => name !== 'band-solve')] : Object.keys(rows);

const model = cpus()[0].model.trim();
const machine = `${model}-node${process.versions.node.split('.')[0]}`.toLowerCase().replace(/[^a-z0-9]+/g, '-');
const micro = (seconds: number): string => (seconds * 1e6).toPrecision(4);

console.log(`${model}, Node ${process.versions.node}, one thread\n`);
console.log(
  `${'row'.padEnd(24)}${'µs per step'.padStart(12)}${'µs per node'.padStart(12)}${'iterations'.padStart(12)}${'spread'.padStart(9)}  note`,
);
const results: Row[] = [];
for (const name of names) {
  const row = await rows[name]();
  results.push(row);
  const perNode = micro(row.timing.seconds / row.nodes);
  const spread = `${(100 * row.timing.spread).toFixed(0)} %`;
  console.log(
    `${name.padEnd(24)}${micro(row.timing.seconds).padStart(12)}${perNode.padStart(12)}${row.iterations.toFixed(2).padStart(12)}${spread.padStart(9)}  ${row.note}`,
  );
}

const solve = results[0].timing.seconds / results[0].nodes;
const scale = solve / REFERENCE_SOLVE;
console.log(
  `\nThis machine takes ${scale.toFixed(2)} times as long for a banded solve as the one the peers were measured on;`,
);
console.log('their figures are multiplied by that.\n');
console.log(
  `${'peer'.padEnd(22)}${'against'.padEnd(24)}${'µs per step'.padStart(12)}${'ours'.padStart(12)}${'faster by'.padStart(11)}  note`,
);
for (const peer of peers) {
  const ours = results.find((row) => row.name === peer.row);
  if (!ours) continue;
  const theirs = peer.seconds * scale;
  console.log(
    `${peer.name.padEnd(22)}${peer.row.padEnd(24)}${micro(theirs).padStart(12)}${micro(ours.timing.seconds).padStart(12)}${(theirs / ours.timing.seconds).toFixed(1).padStart(11)}  ${peer.note}`,
  );
}

const file = fileURLToPath(new URL(`../results/${machine}.csv`, import.meta.url));
if (!existsSync(file)) appendFileSync(file, 'date,row,nodes,seconds,iterations,spread\n');
const date = new Date().toISOString().slice(0, 10);
for (const row of results)
  appendFileSync(
    file,
    `${[date, row.name, row.nodes, row.timing.seconds.toExponential(4), row.iterations.toFixed(3), row.timing.spread.toFixed(3)].join(',')}\n`,
  );
console.log(`\nappended to benchmarks/results/${machine}.csv`);
