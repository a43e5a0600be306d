/** Copies that restore a rod after a failed step or trial. */
import { cloneArrays, copyArrays } from '../snapshot.ts';
import { evaluatePins, rebuildFrames, turnHeldFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';

/** State that a rod keeps from step to step, except `history`. */
const STATE = ['q', 'v', 'edgeReference', 'jointReferenceTwist', 'edgeTension', 'acceleration'] as const;
/** Arrays from which frames are transported. */
const FRAMES = ['edgeTangent'] as const;
const HELD = ['tangent', 'director', 'theta'] as const;
const HISTORY = ['history'] as const;

type Names = (typeof STATE)[number] | (typeof FRAMES)[number] | (typeof HISTORY)[number];

/** Only `keepState` writes `history`. */
export interface Snapshot extends Readonly<Record<Names, Float64Array>> {
  readonly held: Readonly<Record<(typeof HELD)[number], Float64Array>>;
}

export function createSnapshot(der: DerRod): Snapshot {
  return { ...cloneArrays(der, [...STATE, ...FRAMES, ...HISTORY]), held: cloneArrays(der.held, HELD) };
}

export function takeSnapshot(snapshot: Snapshot, der: DerRod): void {
  copyArrays(snapshot, der, STATE);
  copyArrays(snapshot, der, FRAMES);
  copyArrays(snapshot.held, der.held, HELD);
}

/** Saves only the state, for a rod whose frames may be outdated. */
export function keepState(snapshot: Snapshot, der: DerRod): void {
  copyArrays(snapshot, der, STATE);
  copyArrays(snapshot, der, HISTORY);
}

/** The counterpart of `keepState`; the caller updates derived quantities. */
export function returnToState(der: DerRod, snapshot: Snapshot): void {
  copyArrays(der, snapshot, STATE);
  copyArrays(der, snapshot, HISTORY);
}

/** The counterpart of `takeSnapshot`; `t` is the time of the snapshot. */
export function returnToSnapshot(der: DerRod, snapshot: Snapshot, work: Workspace, t: number): void {
  copyArrays(der, snapshot, STATE);
  copyArrays(der, snapshot, FRAMES);
  evaluatePins(der, t);
  copyArrays(der.held, snapshot.held, HELD);
  turnHeldFrames(der.held);
  rebuildFrames(der, work.edgeWork);
}
