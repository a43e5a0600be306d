/** Copies that bring a rod back after a failed step or trial. */
import { evaluatePins, rebuildFrames, turnHeldFrames } from './kinematics.ts';
import type { DerRod } from './rod.ts';
import type { Workspace } from './stage.ts';

export interface Snapshot {
  readonly q: Float64Array;
  readonly v: Float64Array;
  readonly edgeReference: Float64Array;
  readonly jointReferenceTwist: Float64Array;
  readonly edgeTension: Float64Array;
  readonly edgeTangent: Float64Array;
  readonly acceleration: Float64Array;
  readonly heldTangent: Float64Array;
  readonly heldDirector: Float64Array;
  readonly heldTheta: Float64Array;
  /** Of `keepState` alone. */
  readonly history: Float64Array;
}

export function createSnapshot(der: DerRod): Snapshot {
  return {
    q: der.q.slice(),
    v: der.v.slice(),
    edgeReference: der.edgeReference.slice(),
    jointReferenceTwist: der.jointReferenceTwist.slice(),
    edgeTension: der.edgeTension.slice(),
    edgeTangent: der.edgeTangent.slice(),
    acceleration: der.acceleration.slice(),
    heldTangent: der.held.tangent.slice(),
    heldDirector: der.held.director.slice(),
    heldTheta: der.held.theta.slice(),
    history: der.history.slice(),
  };
}

export function takeSnapshot(snapshot: Snapshot, der: DerRod): void {
  snapshot.q.set(der.q);
  snapshot.v.set(der.v);
  snapshot.edgeReference.set(der.edgeReference);
  snapshot.jointReferenceTwist.set(der.jointReferenceTwist);
  snapshot.edgeTension.set(der.edgeTension);
  snapshot.edgeTangent.set(der.edgeTangent);
  snapshot.acceleration.set(der.acceleration);
  snapshot.heldTangent.set(der.held.tangent);
  snapshot.heldDirector.set(der.held.director);
  snapshot.heldTheta.set(der.held.theta);
}

/** Keeps the state alone, for a rod whose frames may be behind it. */
export function keepState(snapshot: Snapshot, der: DerRod): void {
  snapshot.q.set(der.q);
  snapshot.v.set(der.v);
  snapshot.edgeReference.set(der.edgeReference);
  snapshot.jointReferenceTwist.set(der.jointReferenceTwist);
  snapshot.edgeTension.set(der.edgeTension);
  snapshot.acceleration.set(der.acceleration);
  snapshot.history.set(der.history);
}

/** The counterpart of `keepState`; what follows from the state is left to the caller. */
export function returnToState(der: DerRod, snapshot: Snapshot): void {
  der.q.set(snapshot.q);
  der.v.set(snapshot.v);
  der.edgeReference.set(snapshot.edgeReference);
  der.jointReferenceTwist.set(snapshot.jointReferenceTwist);
  der.edgeTension.set(snapshot.edgeTension);
  der.acceleration.set(snapshot.acceleration);
  der.history.set(snapshot.history);
}

export function returnToSnapshot(der: DerRod, snapshot: Snapshot, work: Workspace, t: number): void {
  der.q.set(snapshot.q);
  der.v.set(snapshot.v);
  der.edgeReference.set(snapshot.edgeReference);
  der.jointReferenceTwist.set(snapshot.jointReferenceTwist);
  der.edgeTension.set(snapshot.edgeTension);
  der.edgeTangent.set(snapshot.edgeTangent);
  der.acceleration.set(snapshot.acceleration);
  evaluatePins(der, t);
  der.held.tangent.set(snapshot.heldTangent);
  der.held.director.set(snapshot.heldDirector);
  der.held.theta.set(snapshot.heldTheta);
  turnHeldFrames(der.held);
  rebuildFrames(der, work.edgeWork);
}
