/** Data that the stages of a contact step share. Built once per world (contactWorld.ts). */
import type { Bundle } from '../model.ts';
import type { Samples, StepRequest } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import type { BundlePlace } from './bundlePlace.ts';
import type { ContactSet } from './contactSet.ts';
import type { ColliderSearch } from './detect/colliderSearch.ts';
import type { Finder } from './detect/finderData.ts';
import type { MissedContactDetector } from './detect/missedContacts.ts';
import type { EnergyCheck } from './energy.ts';
import type { Links } from './links/linkData.ts';
import type { ContactReport } from './report.ts';
import type { Collider } from './shapes/collider.ts';
import type { IslandSolver } from './solve/islandSolver.ts';
import type { Island, IslandBuilder, Marks, SystemMarks, Systems } from './solve/islands.ts';
import type { SingleRodSolver } from './solve/singleRods.ts';
import type { SolveLog } from './solve/solveLog.ts';
import type { WarmStart } from './warmStart.ts';

export interface ContactContext {
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
  readonly bundles: readonly Bundle[];
  readonly colliders: readonly Collider[];
  readonly links: Links;
  readonly systems: Systems;
  /** Bundle and index of each rigid body; undefined for a body that no bundle moves. */
  readonly placeOfBody: readonly (BundlePlace | undefined)[];

  readonly finder: Finder;
  readonly search: ColliderSearch;
  readonly missed: MissedContactDetector;
  readonly islands: IslandBuilder;
  readonly solver: IslandSolver;
  readonly singleRods: SingleRodSolver;
  readonly log: SolveLog;
  readonly energies: EnergyCheck;

  /** Contacts of the current attempt, sorted by key. */
  readonly contacts: ContactSet;
  /** Contacts in the order of detection, before sorting. */
  readonly found: ContactSet;
  /** Contacts of the island being solved. */
  readonly islandContacts: ContactSet;
  readonly warmStart: WarmStart;

  readonly everySystem: Marks;
  /** Systems that the models' own steps leave out. */
  readonly leftOut: Marks;
  /** Systems of one island; overwritten by every call that needs such marks. */
  readonly islandMarks: SystemMarks;
  /** Systems that are stepped in substeps. */
  readonly substepMarks: SystemMarks;
  /** How each system was moved in the current attempt: 0, STEPPED or NEEDS_RECHECK. */
  readonly stepped: Uint8Array;
  /** Islands that the current attempt could not move; their systems are back at its start. */
  readonly failedIslands: Island[];

  /** Report on the current call of `advance`, and on all calls since the world's step began. */
  readonly report: ContactReport;
  readonly stepReport: ContactReport;
  /** Iterations, shifts and substeps of the current call of `advance`. */
  readonly outcome: { iterations: number; iterationsMax: number; shifts: number; substeps: number };
  /** How often a step or substep may still be halved because the contact solver does not converge. */
  retriesLeft: number;
  /** How often the island that is stepped in substeps may still be halved because its step is no solution: see `findViolation` in islandStep.ts. */
  violationsLeft: number;
  readonly settings: ContactSettings;
}

export interface ContactSettings {
  /** How often a step of dt may be halved, which may itself be a substep of the world's step. */
  readonly halvings: (dt: number) => number;
  /** Called before each substep of an island's step, which begins at t. Throws if the step has too many substeps or was cancelled. */
  readonly spend: (t: number) => void;
  /** True if an island with missed contacts may continue from its current state: only ADMM can. */
  readonly canResume: boolean;
  /** True if measuring penetration is cheap for every collider. */
  readonly hasCheapShapes: boolean;
  readonly hasRestitution: boolean;
  /** True if the solver satisfies the contact law, so that steps which violate it can be rejected. */
  readonly keepsLaw: boolean;
  /** `ContactContext.retriesLeft` at the start of a step; 0 if the scene limits the solver's iterations. */
  readonly retries: number;
  /** Tolerance of the solver, relative to `IslandSolver.scaleOf`. */
  readonly tolerance: number;
}

/** Values of `ContactContext.stepped`. */
export const STEPPED = 1;
/** Solved roughly, near an impact: the next pass must solve it again. */
export const NEEDS_RECHECK = 2;

/** Systems that one attempt moves, and how. */
export interface StepAttempt extends StepRequest {
  /** Leave deep penetration to the next step, and accept an island whose contact solver did not converge, instead of failing. */
  readonly acceptsUnconverged: boolean;
  /** Accept, and report, an island whose step is no solution (`findViolation`): the step cannot be halved any more. */
  readonly acceptsViolation: boolean;
  /** Systems that take part. All others stay where they are. */
  readonly within: Marks;
  readonly warmStart: WarmStart;
}
