/** Folders with many files have a README that says what each file is for. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesBelow, read } from './files.ts';

const MANY = 8;

/** What a reader finds in every model's folder under the same name. */
const common = [
  'index',
  'options',
  'model',
  'refuse',
  'rod',
  'kinematics',
  'energy',
  'step',
  'statics',
  'modal',
  'readouts',
];

describe("a model's folder", () => {
  const folders = readdirSync('packages/core/src/models', { withFileTypes: true }).filter((one) => one.isDirectory());

  it.each(folders.map(({ name }) => name))('%s has the files that all of them have', (name) => {
    const files = readdirSync(`packages/core/src/models/${name}`);
    expect(common.filter((one) => !files.includes(`${one}.ts`))).toEqual([]);
  });
});

describe('a folder of sources with more than eight files', () => {
  const files = filesBelow('packages', /\.tsx?$/).filter(
    (path) => /^packages\/(\w+\/src\/|core\/kernels\/\w+\.ts$)/.test(path) && !path.includes('/generated/'),
  );
  const folders = [...new Set(files.map((path) => path.slice(0, path.lastIndexOf('/'))))];
  const filesOf = (folder: string): string[] => readdirSync(folder).filter((name) => /\.tsx?$/.test(name));
  const large = folders.filter((folder) => filesOf(folder).length > MANY);

  it.each(large)('%s has a README that mentions every file and no other', (folder) => {
    const page = `${folder}/README.md`;
    expect(existsSync(page), `${page} is missing`).toBe(true);
    const text = read(page);
    expect(filesOf(folder).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    const mentioned = [...text.matchAll(/^\| `([\w.]+\.tsx?)`/gm)].map(([, name]) => name);
    expect(mentioned.filter((name) => !filesOf(folder).includes(name))).toEqual([]);
  });
});
