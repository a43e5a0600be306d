/** Entry of the bundle for Node, of any version: writes the hashes of all ways as JSON. Arguments: one subject in how many, steps. */
import { startThreads } from '@tendril-sim/io/node';
import { findHashes } from './ways.ts';

const [every, steps] = process.argv.slice(2).map(Number);
const found = await findHashes(every, steps, (count) => startThreads(count).ports);
process.stdout.write(JSON.stringify(found), () => process.exit(0));
