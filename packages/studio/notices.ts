/** Writes the licenses of the dependencies that the built page contains, those of its workers too. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const fileName = 'THIRD-PARTY-LICENSES.md';

/** The folder of the package that a module belongs to, where that is a dependency. */
function packageFolder(id: string): string | undefined {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1];
}

function describe(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (file === undefined) throw new Error(`${name} is part of the page and has no license file`);
  return `## ${name} ${version} (${license})\n\n\`\`\`text\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\`\n`;
}

/** `page` for the page itself, which writes the file, and `worker` for its workers, which are built before. */
export function notices(): { page(): Plugin; worker(): Plugin } {
  const folders = new Set<string>();
  const collect = (ids: Iterable<string>): void => {
    for (const id of ids) {
      const folder = packageFolder(id);
      if (folder !== undefined) folders.add(folder);
    }
  };
  return {
    page: () => ({
      name: 'notices',
      generateBundle() {
        collect(this.getModuleIds());
        const parts = [...folders].sort().map(describe);
        const source = `# Licenses of the dependencies in this page\n\n${parts.join('\n')}`;
        this.emitFile({ type: 'asset', fileName, source });
      },
    }),
    worker: () => ({
      name: 'notices-of-workers',
      generateBundle() {
        collect(this.getModuleIds());
      },
    }),
  };
}
