/** Runs the built command line in a folder of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type Finished, runCommand } from '../../../test/commands/run.ts';

export type { Finished };

export const command: string = fileURLToPath(new URL('../bin/tendril.mjs', import.meta.url));
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export interface Sandbox {
  readonly path: string;
  write(name: string, content: string): void;
  read(name: string): string;
  bytes(name: string): Uint8Array;
  json(name: string): Record<string, unknown>;
  run(...args: string[]): Promise<Finished>;
  /** As a process of its own, without waiting, for those who interrupt. */
  start(...args: string[]): { readonly child: ChildProcess; readonly finished: Promise<Finished> };
}

export function sandbox(): Sandbox {
  const path = mkdtempSync(join(tmpdir(), 'tendril-cli-'));
  folders.push(path);
  const start: Sandbox['start'] = (...args) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined, NODE_OPTIONS: undefined };
    const child = spawn(process.execPath, [command, ...args], { cwd: path, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    const finished = new Promise<Finished>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, out, err }));
    });
    return { child, finished };
  };
  return {
    path,
    write: (name, content) => writeFileSync(join(path, name), content),
    read: (name) => readFileSync(join(path, name), 'utf8'),
    bytes: (name) => readFileSync(join(path, name)),
    json: (name) => JSON.parse(readFileSync(join(path, name), 'utf8')) as Record<string, unknown>,
    run: (...args) => runCommand(path, args),
    start,
  };
}

/** A small cantilever that swings; `more` is added at the end. */
export function scene(
  options: { readonly duration?: string; readonly step?: string; readonly more?: string } = {},
): string {
  const { duration = '100 ms', step = '5 ms', more = '' } = options;
  return `tendril: 1
title: Swing
gravity: [0, 0, -9.81]
rods:
  - id: rod
    shape: { type: straight, from: [0, 0, 0], to: [20 cm, 0, 0] }
    edges: 12
    section: { type: circle, radius: 2 mm }
    material: { E: 5 MPa, nu: 0.5, density: 1200 }
pins:
  - { rod: rod, at: start }
time: { duration: ${duration}, step: ${step} }
${more}`;
}
