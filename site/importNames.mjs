/** Plugin of typedoc: modules of the API reference have the names that programs import, not the paths of their sources. */

const nameOf = (path) =>
  path
    .replace(/^packages\/(\w+)\/src/, '@tendril-sim/$1')
    .replace(/^cases\/src/, '@tendril-sim/cases')
    .replace(/\/world\/create$/, '/world')
    .replace(/\/math\/rounded$/, '/math');

export function load({ converter }) {
  converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) module.name = nameOf(module.name);
  });
}
