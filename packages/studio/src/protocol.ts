/** What the page and the worker say to each other. Arrays of frames are transferred, never copied. */
import type { CaseGroup, CheckRow } from '@tendril-sim/cases';
import type { Problem, SceneEdit } from '@tendril-sim/io';
import type { GroomAction, Groomed } from './groomTypes.ts';

/** One model (and integrator) that runs the scene; several make a comparison. */
export interface Variant {
  /** `der`, or `der/implicit-euler`. */
  readonly id: string;
  readonly label: string;
}

export interface RodInfo {
  readonly id: string;
  readonly model: string;
  readonly closed: boolean;
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** [m] */
  readonly length: number;
  readonly square: boolean;
  readonly nodeArc: Float32Array;
  readonly edgeRadius: Float32Array;
  readonly halfEI1: Float32Array;
  readonly halfEI2: Float32Array;
  /** Positions at the start, for a ghost. */
  readonly nodePosition: Float32Array;
}

export type Solid =
  | { readonly type: 'sphere'; readonly radius: number }
  | { readonly type: 'box'; readonly size: readonly [number, number, number] }
  | { readonly type: 'cylinder'; readonly radius: number; readonly height: number };

export interface BodyInfo {
  readonly id: string;
  readonly solid: Solid | undefined;
  /** Only its inertia is known: the solid is one that has it. */
  readonly assumed: boolean;
}

export interface PinInfo {
  readonly rod: number;
  readonly node: number;
  /** Whether it holds a frame: then it can be twisted. */
  readonly clamps: boolean;
  /** Let go. */
  readonly released?: boolean;
}

/** A thing in the way, as far as it is understood; others are left out. */
export interface ColliderInfo {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A variant as it runs, or why it does not. */
export interface LaneInfo {
  readonly variant: Variant;
  readonly refused: string | undefined;
  readonly rods: readonly RodInfo[];
  readonly bodies: readonly BodyInfo[];
  readonly pins: readonly PinInfo[];
  /** Colliders that move, by number: where they are is in each frame. */
  readonly moving: readonly number[];
  readonly warnings: readonly string[];
}

/** The numbers of a frame that plots show; see `statNames`. */
export const statNames = [
  'kinetic',
  'bending',
  'twisting',
  'stretching',
  'potential',
  'total',
  'curvature',
  'twist',
  'tension',
] as const;
export type StatName = (typeof statNames)[number];

/** What an arrow of force stands for. */
export const forceKinds = ['contact', 'pin', 'link', 'load'] as const;
export type ForceKind = (typeof forceKinds)[number];
/** Numbers of an arrow: its kind, where it begins [m], the force [N]. */
export const forceStride = 7;

/**
 * A lane at an instant. `data`: for each rod nodePosition (3 a node), edgeDirector (3 an edge), curvature and twist (1 a
 * node), tension (1 an edge), contact force (1 a node); then for each body, and each collider that moves, position and
 * orientation w x y z.
 */
export interface LaneFrame {
  readonly data: Float32Array;
  readonly stats: Float64Array;
  /** Arrows, `forceStride` numbers each; absent where they are not known. */
  readonly forces?: Float32Array;
  /** Of scenes in which anything can touch. */
  readonly contact?: ContactFacts;
  /** Of the steps since the last frame [ms of computing a second of simulated time]. */
  readonly cost: number;
}

/** How things touch, and how well that was solved. */
export interface ContactFacts {
  /** Places that carry force. */
  readonly touching: number;
  /** Deepest overlap of two surfaces that press on each other [m]; 0 where none does. */
  readonly overlap: number;
  /** Of the last step. */
  readonly iterations: number;
  /** Of all steps so far: how many were not solved to the tolerance. */
  readonly missed: number;
  readonly steps: number;
}

/** Numbers that a rod has in a frame. */
export function rodSize({ nodeCount, edgeCount }: { readonly nodeCount: number; readonly edgeCount: number }): number {
  return 6 * nodeCount + 4 * edgeCount;
}

export interface Frame {
  readonly time: number;
  readonly lanes: readonly LaneFrame[];
}

export interface TimeInfo {
  readonly duration: number;
  readonly step: number;
  /** The scene says no time, or shows its modes: in words. */
  readonly note?: string;
}

/** `cut`: other rods go on from the present state. */
export type Kept = 'state' | 'restarted' | 'cut';

export type HandMessage =
  | { readonly kind: 'pull'; readonly rod: number; readonly node: number; readonly target: readonly number[] }
  | { readonly kind: 'drop' }
  | { readonly kind: 'move-pin'; readonly pin: number; readonly offset: readonly number[] }
  | { readonly kind: 'twist-pin'; readonly pin: number; readonly by: number }
  | { readonly kind: 'twist-end'; readonly rod: number; readonly end: 'start' | 'end'; readonly by: number }
  | { readonly kind: 'release-pin'; readonly pin: number }
  /** A spring that holds a place, where the model takes no pin. */
  | { readonly kind: 'nail'; readonly rod: number; readonly node: number }
  /** All pins and obstacles together, as of a head with its hair [m]. */
  | { readonly kind: 'move-all'; readonly offset: readonly number[] }
  | { readonly kind: 'wind'; readonly velocity: readonly number[] };

export type ToWorker =
  | { readonly type: 'cases' }
  | {
      readonly type: 'load';
      readonly ticket: number;
      readonly text: string;
      readonly name: string;
      readonly variants: readonly Variant[];
      /** Go on from the present state where only such fields have changed that it still fits. */
      readonly keep: boolean;
    }
  | { readonly type: 'check-text'; readonly ticket: number; readonly text: string; readonly name: string }
  | { readonly type: 'edit'; readonly ticket: number; readonly text: string; readonly edits: readonly SceneEdit[] }
  | { readonly type: 'until'; readonly time: number; readonly every: number }
  | { readonly type: 'case-text'; readonly ticket: number; readonly id: string }
  | { readonly type: 'restart'; readonly run: number }
  | { readonly type: 'rest' }
  | { readonly type: 'groom'; readonly ticket: number; readonly action: GroomAction }
  /** Files that a scene may name. */
  | { readonly type: 'attach'; readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[] }
  | { readonly type: 'hand'; readonly hand: HandMessage }
  /** Cuts a rod at a node, or pins it there; answered by `loaded` or `refused`. */
  | {
      readonly type: 'operate';
      readonly ticket: number;
      readonly kind: 'cut' | 'pin';
      readonly rod: number;
      readonly node: number;
    }
  | { readonly type: 'check'; readonly ticket: number; readonly id: string; readonly model: string | undefined }
  | { readonly type: 'preview'; readonly ticket: number; readonly id: string; readonly patience: number }
  | { readonly type: 'recording'; readonly ticket: number; readonly bytes: ArrayBuffer; readonly name: string }
  | { readonly type: 'import'; readonly ticket: number; readonly bytes: ArrayBuffer; readonly name: string }
  | {
      readonly type: 'export';
      readonly ticket: number;
      readonly format: ExportFormat;
      /** Of the recording that is open, not of a run. */
      readonly recorded: boolean;
      readonly frames: readonly Frame[];
    };

/** What a run can be saved as. */
export type ExportFormat = 'tendril' | 'usda' | 'glb' | 'vtk' | 'csv' | 'parquet';

export interface CaseInfo {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly models: readonly string[];
  readonly group: CaseGroup;
  readonly colorBy: 'curvature' | 'twist';
}

export interface Failure {
  readonly title: string;
  readonly message: string;
  readonly remedy: string;
  readonly rod: string | undefined;
  readonly lane: number;
}

export interface Loaded {
  readonly type: 'loaded';
  readonly ticket: number;
  readonly lanes: readonly LaneInfo[];
  readonly time: TimeInfo;
  readonly kept: Kept;
  /** As written, units unread. */
  readonly values: unknown;
  readonly colliders: readonly ColliderInfo[];
  readonly gravity: readonly [number, number, number];
  readonly title: string;
  /** Direction from which to look at it first. */
  readonly look?: readonly [number, number, number];
  /** Hairs on a head: one that a hand can move, or one that goes its own way. */
  readonly hair?: 'movable' | 'driven';
}

export type FromWorker =
  | {
      readonly type: 'cases';
      readonly cases: readonly CaseInfo[];
      readonly models: readonly string[];
      readonly schema: object;
    }
  | Loaded
  | {
      readonly type: 'refused';
      readonly ticket: number;
      readonly problems: readonly Problem[];
      readonly values: unknown;
    }
  | { readonly type: 'checked-text'; readonly ticket: number; readonly problems: readonly Problem[] }
  | { readonly type: 'edited'; readonly ticket: number; readonly text: string }
  | { readonly type: 'case-text'; readonly ticket: number; readonly text: string }
  | { readonly type: 'frame'; readonly run: number; readonly frame: Frame }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** Of each lane and pin: whether it was let go. */
  | { readonly type: 'pins'; readonly run: number; readonly released: readonly (readonly boolean[])[] }
  | { readonly type: 'pull-force'; readonly force: number }
  | {
      readonly type: 'check-progress';
      readonly ticket: number;
      readonly done: number;
      readonly of: number;
      readonly what: string;
    }
  | {
      readonly type: 'check-rows';
      readonly ticket: number;
      readonly rows: readonly CheckRow[];
      readonly error?: string;
    }
  | {
      readonly type: 'preview';
      readonly ticket: number;
      readonly lane: LaneInfo | undefined;
      readonly data: Float32Array;
      readonly colliders: readonly ColliderInfo[];
      readonly twists: boolean;
    }
  | {
      readonly type: 'recording';
      readonly ticket: number;
      readonly loaded: Omit<Loaded, 'type' | 'ticket'> | undefined;
      readonly frames: readonly Frame[];
      readonly text: string;
      readonly error?: string;
    }
  | {
      readonly type: 'imported';
      readonly ticket: number;
      readonly text?: string;
      readonly collider?: object;
      readonly error?: string;
    }
  | {
      readonly type: 'exported';
      readonly ticket: number;
      readonly parts: readonly Uint8Array[];
      readonly error?: string;
    }
  | Groomed
  | { readonly type: 'broken'; readonly message: string };
