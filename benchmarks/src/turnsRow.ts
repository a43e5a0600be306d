/** One row of a tree in a process that takes turns: `node turnsRow.js <tree> <row>`. Prints the iterations at the end. */
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';

const [tree, name] = process.argv.slice(2);

// rows of both trees are timed by the same code
const hook = `export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  return found.url.endsWith('/benchmarks/dist/measure.js') ? { ...found, url: '${new URL('./turns.js', import.meta.url)}' } : found;
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

interface Rows {
  readonly rows: Readonly<Record<string, () => { iterations: number } | Promise<{ iterations: number }>>>;
}
const { rows } = (await import(`${pathToFileURL(tree)}/benchmarks/dist/rows.js`)) as Rows;
if (!Object.hasOwn(rows, name)) process.exit(3);
const { iterations } = await rows[name]();
console.log(`iterations ${iterations}`);
process.exit(0);
