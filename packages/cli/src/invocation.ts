/** How the user called the command, for hints that can be copied: a package in a project is not on the path. */

/** `tendril`, or with npx in front. `script` is the file that runs: npx keeps packages that no project has installed in a folder `_npx`. */
export function invocation(env: NodeJS.ProcessEnv = process.env, script: string = process.argv[1] ?? ''): string {
  const isNpx = env.npm_lifecycle_event === 'npx' && /^['"]?tendril\b/.test(env.npm_lifecycle_script ?? '');
  if (!isNpx) return 'tendril';
  // outside a project, `npx tendril` would run another package of that name
  return /[\\/]_npx[\\/]/.test(script) ? 'npx @tendril-sim/cli' : 'npx tendril';
}
