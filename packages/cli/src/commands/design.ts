/** `tendril design`: natural shapes for which rods stay as they are drawn, written into the scene. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createWorld, type Rod, type Scene, SceneError, type World } from '@tendril-sim/core';
import { createFileResolver, editSceneText, parseScene, type SceneEdit, sceneValues } from '@tendril-sim/io';
import { openWithin, writeFileAtomic } from '@tendril-sim/io/node';
import { exitCode, UsageError } from '../exit.ts';
import { explained, loadSource } from '../source.ts';
import { formatNumber, formatTable, formatWarning, good, type Terminal } from '../terminal.ts';

export interface DesignOptions {
  readonly out?: string;
  readonly rod?: readonly string[];
  readonly force?: boolean;
  readonly quiet?: boolean;
}

export async function design(reference: string, options: DesignOptions, terminal: Terminal): Promise<number> {
  const { out, force = false } = options;
  if (out === undefined) throw new UsageError('name the scene to write: --out designed.yaml');
  if (existsSync(out) && !force) throw new UsageError(`'${out}' exists; add --force to replace it`);
  if (!existsSync(reference)) throw new UsageError(`there is no scene file '${reference}'`);
  const source = await loadSource(reference, {});
  const text = readFileSync(reference, 'utf8');
  const chosen = chooseRods(source.scene, text, options.rod);
  const world = explained(source, () => createWorld(askForEquilibrium(source.scene, chosen)));
  const edits = chosen.map((r): SceneEdit => ({ path: ['rods', r, 'natural'], value: describeNatural(world.rods[r]) }));
  const designed = editSceneText(text, edits);
  const files = createFileResolver(openWithin(dirname(reference)));
  const written = createWorld(parseScene(designed, out, { files }).scene);
  writeFileAtomic(out, designed, { overwrite: force });
  for (const warning of world.warnings) terminal.err(formatWarning(warning));
  if (!options.quiet) {
    terminal.out(formatSag(written, chosen));
    terminal.out(
      `${good('✓ done')}: natural shapes of ${chosen.length} ${chosen.length === 1 ? 'rod' : 'rods'} in ${out}\n`,
    );
  }
  return exitCode.done;
}

/** Indices of the rods to design: those named, or all; rods from files cannot be written into the scene. */
function chooseRods({ rods }: Scene, text: string, names: readonly string[] | undefined): number[] {
  const { rods: written } = (sceneValues(text) ?? {}) as { readonly rods?: readonly unknown[] };
  const own = written?.length ?? 0;
  if (!names) return Array.from({ length: Math.min(own, rods.length) }, (_, r) => r);
  return names.map((name) => {
    const r = rods.findIndex(({ id }) => id === name);
    if (r < 0)
      throw new UsageError(
        `there is no rod '${name}'; there is ${rods
          .map(({ id }) => id)
          .slice(0, 10)
          .join(', ')}`,
      );
    if (r >= own) throw new UsageError(`rod '${name}' comes from a file; give its rods natural: equilibrium instead`);
    return r;
  });
}

function askForEquilibrium(scene: Scene, chosen: readonly number[]): Scene {
  return {
    ...scene,
    rods: scene.rods.map((rod, r) => {
      if (!chosen.includes(r)) return rod;
      if ((rod.model ?? 'der') !== 'der')
        throw new SceneError(['rods', r, 'model'], `design is for model der; this rod is ${rod.model}`);
      return { ...rod, natural: 'equilibrium' as const };
    }),
  };
}

/** Curvature and twist, constant over each half edge: values at the middles of the halves, which the scene reads back exactly. */
function describeNatural({ halfStrainRest, edgeLengthRest, edgeCount, length, nodeArc }: Rod): object {
  const component = (k: number): object => ({
    along: Array.from({ length: 2 * edgeCount }, (_, half) => {
      const j = half >> 1;
      const middle =
        nodeArc[j] + (half & 1 ? 0.75 : 0.25) * ((j + 1 < nodeArc.length ? nodeArc[j + 1] : length) - nodeArc[j]);
      return [middle / length, halfStrainRest[3 * half + k] / (edgeLengthRest[j] / 2)];
    }),
  });
  return { curvature: [component(0), component(1), component(2)] };
}

/** How far the rods of the written scene move when gravity and other loads act. */
function formatSag(world: World, chosen: readonly number[]): string {
  const before = world.samples.map(({ nodePosition }) => nodePosition.slice());
  const reports = world.equilibrate(0);
  const rows = chosen.map((r) => {
    const sag = world.samples[r].nodePosition.reduce((most, x, k) => Math.max(most, Math.abs(x - before[r][k])), 0);
    const { rod, converged, stable } = reports[r];
    return { sag, cells: [rod, formatNumber(sag, 3), converged ? (stable ? 'yes' : 'no') : 'not converged'] };
  });
  const shown = rows.sort((a, b) => b.sag - a.sag).slice(0, 10);
  return formatTable(
    [{ title: 'rod' }, { title: 'largest displacement [m]' }, { title: 'stable' }],
    shown.map(({ cells }) => cells),
  );
}
