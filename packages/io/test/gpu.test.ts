/**
 * Worlds whose rods the GPU moves, in Node through the package `webgpu`, on the software GPU that Chromium brings. WGSL itself is tested in
 * core/test/batch/conformance.test.ts.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContactForce, ContactReport } from '@tendril-sim/core';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { softwareGpu } from '../../studio/test/browser.ts';

interface Found {
  readonly adapter: string;
  readonly warnings: readonly string[];
  readonly schemes: readonly {
    readonly integrator: string;
    /** In lengths of a rod. */
    readonly distance: number;
    readonly moved: number;
    readonly energy: number;
    readonly reaction: number;
  }[];
  readonly hashes: readonly string[];
  readonly refused: string;
  /** In the long run alone. */
  readonly pairs?: {
    readonly distance: number;
    readonly forces: readonly ContactForce[];
    readonly reference: readonly ContactForce[];
    readonly hashes: readonly string[];
  };
  readonly contact: {
    readonly distance: number;
    readonly moved: number;
    readonly report: ContactReport;
    readonly reference: ContactReport;
    readonly lift: number;
    readonly warnings: readonly string[];
    readonly others: readonly string[];
    readonly hashes: readonly string[];
    /** Of two runs, some steps before. */
    readonly early: readonly string[];
    /** After the loss of the device, from the reference. */
    readonly lost: number;
    readonly remarks?: readonly string[];
  };
  readonly pulled: number;
  readonly lost: { readonly remarks?: readonly string[]; readonly distance: number; readonly time: number };
}

let found: Found;

beforeAll(async () => {
  const bundle = await build({
    entryPoints: ['packages/io/test/gpuProgram.ts'],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-'], {
    input: bundle.outputFiles[0].text,
    env: { ...process.env, ...softwareGpu() },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  found = JSON.parse(stdout) as Found;
}, 400_000);

describe('rods on the GPU', () => {
  test.each(['implicit-euler', 'bdf2', 'tr-bdf2'])('%s moves them as the reference does', (integrator) => {
    const scheme = found.schemes.find((one) => one.integrator === integrator);
    expect(scheme?.moved).toBeGreaterThan(0.05);
    expect(scheme?.distance).toBeLessThan(3e-6);
    expect(scheme?.energy).toBeCloseTo(1, 3);
    expect(scheme?.reaction).toBeCloseTo(1, 3);
  });

  test('the same bits in two runs, after a restore, and whether samples are read or not', () => {
    expect(new Set(found.hashes).size).toBe(1);
  });

  test('a rod that the device cannot move is moved beside it, and the user is told', () => {
    expect(found.warnings.join()).toMatch(/35 rods are on the GPU \(.*\); rod 'pinned' is on the CPU: it is pinned/);
  });

  test('contact between rods that are not alike is refused, not left out', () => {
    expect(found.refused).toMatch(
      /contact between rods on the GPU needs all rods there, alike; rod 'pinned' is pinned/,
    );
  });

  test.runIf(process.env.TENDRIL_LONG)('a hair across another moves and rests as in double precision', () => {
    if (!found.pairs) throw new Error('it did not run');
    const { distance, forces, reference, hashes } = found.pairs;
    // both end their iterations, which differ, where contacts miss by less than 2 % of the radius of 0.3 mm, and add that up over 13 steps in contact;
    // the reference itself ends 9e-5 lengths from where iterations down to 1e-6 radii lead
    expect(distance).toBeLessThan((5 * 0.02 * 3e-4) / 0.3);
    expect(reference.length).toBeGreaterThan(0);
    expect(forces.map(({ rod, other, kind }) => [rod, other, kind])).toEqual(
      reference.map(() => ['low', 'high', 'rod']),
    );
    const lift = (list: readonly ContactForce[]): number => list.reduce((sum, { force }) => sum + force[2], 0);
    expect(lift(forces) / lift(reference)).toBeCloseTo(1, 2);
    expect(new Set(hashes).size).toBe(1);
  });

  test('a rod that a hand pulls leaves the device and returns to it', () => {
    expect(found.pulled).toBeLessThan(3e-6);
  });

  test('a run goes on where the device is lost', () => {
    expect(found.lost.remarks?.join()).toMatch(/the GPU was lost/);
    expect(found.lost.distance).toBeLessThan(3e-6);
    expect(found.lost.time).toBeCloseTo(12 / 240, 12);
  });
});

describe('rods on the GPU among colliders', () => {
  test('move as in double precision', () => {
    const { distance, moved, lift, others } = found.contact;
    expect(moved).toBeGreaterThan(0.05);
    expect(distance).toBeLessThan(5e-5);
    expect(lift).toBeCloseTo(1, 2);
    expect(others).toEqual(expect.arrayContaining(['ball', 'bar', 'ring']));
  });

  test('report as in double precision', () => {
    const { report, reference, warnings } = found.contact;
    expect(reference.contacts).toBeGreaterThan(4);
    expect(Math.abs(report.contacts - reference.contacts)).toBeLessThan(3);
    expect(report.overlap).toBeCloseTo(reference.overlap, 4);
    expect(report.converged).toBe(reference.converged);
    expect(report.iterations).toBeGreaterThan(3);
    expect(warnings.join()).toMatch(/held inside collider 'ball'/);
  });

  test('the same bits in two runs, and after a restore', () => {
    expect(new Set(found.contact.hashes).size).toBe(1);
    expect(new Set(found.contact.early).size).toBe(1);
    expect([found.contact.hashes.length, found.contact.early.length]).toEqual([2, 2]);
  });

  test('go on where the device is lost', () => {
    expect(found.contact.remarks?.join()).toMatch(/the GPU was lost/);
    expect(found.contact.lost).toBeLessThan(5e-5);
  });
});

function runCommand(
  options: readonly string[],
  environment: Readonly<Record<string, string>>,
): { readonly code: number | null; readonly text: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tendril-gpu-'));
  const scene = join(folder, 'scene.json');
  writeFileSync(
    scene,
    JSON.stringify({
      tendril: 1,
      gravity: [0, 0, -9.81],
      rods: [
        {
          id: 'hair',
          shape: { type: 'straight', from: [0, 0, 0], to: [0.3, 0, 0] },
          edges: 10,
          inextensible: true,
          section: { type: 'circle', radius: 60e-6 },
          material: { E: 3.5e9, G: 1.2e9, density: 1300 },
        },
      ],
      pins: [{ rod: 'hair', at: 'start' }],
      time: { step: 0.004, duration: 0.02 },
      solver: { der: { twist: 'quasistatic' } },
    }),
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['packages/cli/bin/tendril.mjs', 'run', scene, '--out', join(folder, 'out'), ...options],
    { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', ...environment } },
  );
  return { code: status, text: stdout + stderr };
}

describe('tendril run --backend', () => {
  test('gpu says what computes', () => {
    const { code, text } = runCommand(['--backend', 'gpu'], softwareGpu());
    expect(text).toMatch(/computed by: SwiftShader.*single precision/);
    expect(code).toBe(0);
  });

  test('gpu without a GPU goes on without it, and says so', () => {
    const { code, text } = runCommand(['--backend', 'gpu'], { ...softwareGpu(), VK_ICD_FILENAMES: '/none' });
    expect(text).toMatch(/warning: no GPU: .*; the standard backend computes the rods/);
    expect(code).toBe(0);
  });

  test('auto leaves a software GPU alone', () => {
    const { code, text } = runCommand(['--backend', 'auto'], softwareGpu());
    expect(text).toMatch(/SwiftShader.* computes on the CPU; the standard backend computes the rods/);
    expect(code).toBe(0);
  });
});
