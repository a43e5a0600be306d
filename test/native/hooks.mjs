/**
 * Loader hooks of Node, with which the sources of the packages run as modules of Node, without their types. The module runner of Vite
 * turns every imported name into a property with a getter: numerical code then takes about twice as long.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transform } from 'esbuild';

/** @type {readonly { find: string | RegExp, replacement: string }[]} */
let aliases = [];

/** @param {{ aliases: typeof aliases }} data */
export function initialize(data) {
  aliases = data.aliases;
}

/** @type {import('node:module').ResolveHook} */
export function resolve(specifier, context, next) {
  const alias = aliases.find(({ find }) => (typeof find === 'string' ? specifier === find : find.test(specifier)));
  if (!alias) return next(specifier, context);
  return { url: pathToFileURL(specifier.replace(alias.find, alias.replacement)).href, shortCircuit: true };
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const text = await readFile(file, 'utf8');
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcemap: 'inline',
    sourcefile: file,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
