/** A scene that asks for its modes and says no time: the modes themselves, one after the other, slowed down to be seen. */
import { describeLeftBranches, type EquilibriumReport, SceneError, type World } from '@tendril-sim/core';
import { layoutOfLane } from '../frameLayout.ts';
import type { LaneFrame, LaneInfo } from '../protocol.ts';
import type { Lane } from './lane.ts';

/** Seconds a mode is shown, and how often it swings in that time. */
const shown = 2.4;
const swings = 3;

export function createModePlayer(
  world: World,
  info: LaneInfo,
  write: (world: World, info: LaneInfo) => Omit<LaneFrame, 'cost'>,
): Lane | undefined {
  const count = Math.min(world.scene.modes?.count ?? 6, 8);
  let modes: ReturnType<World['modes']>;
  let doubts: readonly string[] = [];
  try {
    if (world.scene.modes?.about !== 'initial') doubts = describeDoubts(world.equilibrate(), world.time);
    modes = world.modes(count);
  } catch (error) {
    if (error instanceof SceneError) return undefined;
    throw error;
  }
  const rest = write(world, info);
  const stepSize = 1 / 60;
  const duration = shown * Math.max(1, ...modes.map(({ shapes }) => shapes.length));
  let time = 0;
  const frame = (): LaneFrame => {
    const data = rest.data.slice();
    const k = Math.floor(time / shown);
    const phase = Math.sin((2 * Math.PI * swings * (time - k * shown)) / shown);
    const layout = layoutOfLane(info);
    info.rods.forEach((rod, r) => {
      const shape = modes[r].shapes[Math.min(k, modes[r].shapes.length - 1)];
      const size = 0.12 * rod.length * phase;
      const o = layout.rods[r].position;
      if (shape) for (let i = 0; i < 3 * rod.nodeCount; i++) data[o + i] += size * shape.nodeDisplacement[i];
    });
    return { data, stats: rest.stats.slice(), cost: 0 };
  };
  const rates = modes[0]?.omega ?? [];
  const list = Array.from(rates.slice(0, count), (omega) => `${(omega / (2 * Math.PI)).toPrecision(4)} Hz`);
  return {
    info,
    world: undefined,
    duration,
    stepSize,
    note: [`Natural modes, slowed down: ${list.join(', ')}`, ...doubts].join('. '),
    failure: undefined,
    get time() {
      return time;
    },
    step() {
      time += stepSize;
    },
    frame,
  };
}

/** What is wrong with the equilibrium about which the modes are found. */
function describeDoubts(reports: readonly EquilibriumReport[], time: number): string[] {
  const missed = reports.filter(({ converged }) => !converged);
  return [
    ...missed.map(({ rod, reason = 'no convergence' }) => `No equilibrium was found for rod '${rod}': ${reason}`),
    ...describeLeftBranches(time, reports),
  ];
}
