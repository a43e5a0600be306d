/** What the page and the worker say to each other. Arrays of frames are transferred, never copied. */
import type { RodFinish } from '@tendril-sim/bridge/three';
import type { CaseGroup, CaseTopic, CheckRow } from '@tendril-sim/cases';
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
  /** Colour that the scene gives it. */
  readonly color?: string;
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

/** A lane at an instant; `frameLayout.ts` says what is where in `data`. */
export interface LaneFrame {
  readonly data: Float32Array;
  /** Of hair: the guides, from which the hairs in `data` are made again; `data` is empty where they are not at hand. */
  readonly guides?: Float32Array;
  /** Largest distance of its centrelines from those of the first lane [m]. */
  readonly distance?: number;
  readonly stats: Float64Array;
  /** Arrows, `forceStride` numbers each; absent where they are not known. */
  readonly forces?: Float32Array;
  /** Of scenes in which anything can touch. */
  readonly contact?: ContactFacts;
  /** What steps have found so far that a reader must know: remarks, energy that nothing explains. */
  readonly doubts?: readonly string[];
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

/** Cuts a rod at a node, or pins it there. */
export interface OperateRequest {
  readonly run: number;
  readonly kind: 'cut' | 'pin';
  readonly rod: number;
  readonly node: number;
}

export interface LoadRequest {
  readonly run: number;
  readonly text: string;
  readonly name: string;
  /** The case that the scene is or began as: what it says about its controls. */
  readonly caseId: string | undefined;
  readonly variants: readonly Variant[];
  /** Continue from the state at this time [s] where only such fields have changed that it fits; undefined: start anew. */
  readonly from: number | undefined;
}

export interface Refusal {
  readonly problems: readonly Problem[];
}

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface Exchange<Ask, Answer> {
  readonly ask: Ask;
  readonly answer: Answer;
}

/** What the page asks, and what the worker answers. Each request is answered once, or fails with an error. */
export interface Requests {
  readonly schema: Exchange<null, object>;
  readonly 'case-text': Exchange<{ readonly id: string }, { readonly text: string }>;
  readonly load: Exchange<LoadRequest, Loaded | Refusal>;
  readonly 'check-text': Exchange<{ readonly text: string; readonly name: string }, Refusal>;
  readonly edit: Exchange<{ readonly text: string; readonly edits: readonly SceneEdit[] }, { readonly text: string }>;
  readonly operate: Exchange<OperateRequest, Loaded | Refusal>;
  /** Hairs of frames of which the guides are kept. */
  readonly hairs: Exchange<{ readonly run: number; readonly guides: Float32Array }, { readonly data: Float32Array }>;
  readonly groom: Exchange<GroomAction, Groomed>;
  /** Files that a scene may name. */
  readonly attach: Exchange<{ readonly files: readonly NamedFile[] }, null>;
  readonly check: Exchange<
    { readonly id: string; readonly model: string | undefined },
    { readonly rows: readonly CheckRow[] }
  >;
  readonly preview: Exchange<{ readonly id: string; readonly patience: number }, Preview>;
  readonly recording: Exchange<{ readonly bytes: ArrayBuffer; readonly name: string }, ReadRecording>;
  readonly import: Exchange<{ readonly bytes: ArrayBuffer; readonly name: string }, Imported>;
  readonly export: Exchange<ExportRequest, { readonly parts: readonly Uint8Array[] }>;
}

export type RequestKind = keyof Requests;
export type Ask<K extends RequestKind> = Requests[K]['ask'];
export type Answer<K extends RequestKind> = Requests[K]['answer'];

/** One of all requests, with the number by which its answer is known. */
export type Request = {
  [K in RequestKind]: { readonly type: 'request'; readonly id: number; readonly kind: K; readonly body: Ask<K> };
}[RequestKind];

/** What needs no answer. Those for another run than the present one are ignored. */
export type Command =
  | { readonly type: 'until'; readonly run: number; readonly time: number; readonly every: number }
  | { readonly type: 'restart'; readonly run: number }
  | { readonly type: 'rest'; readonly run: number }
  | { readonly type: 'hand'; readonly run: number; readonly hand: HandMessage };

export type ToWorker = Request | Command;

/** What happens to a run. */
export type RunEvent =
  | { readonly type: 'frame'; readonly run: number; readonly frame: Frame; readonly pull?: number }
  | { readonly type: 'failed'; readonly run: number; readonly failure: Failure }
  /** Of each lane and pin: whether it was let go. */
  | { readonly type: 'pins'; readonly run: number; readonly released: readonly (readonly boolean[])[] };

export interface Progress {
  readonly done: number;
  readonly of: number;
  readonly what: string;
}

export type FromWorker =
  | { readonly type: 'answer'; readonly id: number; readonly body: Answer<RequestKind> }
  | { readonly type: 'error'; readonly id: number; readonly message: string; readonly isFetch: boolean }
  | ({ readonly type: 'progress'; readonly id: number } & Progress)
  | RunEvent;

export interface ExportRequest {
  readonly format: ExportFormat;
  /** Of the recording that is open, not of a run. */
  readonly recorded: boolean;
  readonly frames: readonly Frame[];
}

/** What a run can be saved as. */
export type ExportFormat = 'tendril' | 'usda' | 'glb' | 'vtk' | 'csv' | 'parquet';

export interface CaseInfo {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly models: readonly string[];
  readonly group: CaseGroup;
  readonly topics: readonly CaseTopic[];
  readonly finish?: RodFinish;
}

/** By what rods are coloured first; `plain`: by model, or by the colours of the scene. */
export type FirstColor = 'plain' | 'curvature' | 'twist';

export interface Failure {
  readonly title: string;
  readonly message: string;
  readonly remedy: string;
  readonly rod: string | undefined;
  readonly lane: number;
}

/** A quantity of the scene that matters most, above all other fields. */
export interface Control {
  readonly path: readonly (string | number)[];
  /** Places with the same value in other rods, which change with it. */
  readonly also?: readonly (readonly (string | number)[])[];
  readonly label: string;
  readonly symbol?: string;
  readonly unit?: string;
  /** Of what is shown: the value of the scene times `factor`. */
  readonly low: number;
  readonly high: number;
  readonly factor: number;
  readonly value: number;
  /** Where theory says that something happens, and what. */
  readonly threshold?: { readonly at: number; readonly what: string };
}

export interface Loaded {
  readonly lanes: readonly LaneInfo[];
  readonly time: TimeInfo;
  readonly kept: Kept;
  /** Time of the first frame [s]: that of the state from which it continues. */
  readonly start: number;
  /** As written, units unread. */
  readonly values: unknown;
  readonly controls: readonly Control[];
  readonly colorBy: FirstColor;
  readonly colliders: readonly ColliderInfo[];
  readonly gravity: readonly [number, number, number];
  readonly title: string;
  /** Direction from which to look at it first. */
  readonly look?: readonly [number, number, number];
  /** Hairs on a head: one that a hand can move, or one that goes its own way. */
  readonly hair?: 'movable' | 'driven';
}

export const isRefusal = (answer: object): answer is Refusal => 'problems' in answer;

export interface Preview {
  readonly lane: LaneInfo;
  readonly data: Float32Array;
  readonly colliders: readonly ColliderInfo[];
  readonly gravity: readonly [number, number, number];
  readonly colorBy: FirstColor;
}

export interface ReadRecording {
  readonly loaded: Loaded;
  readonly frames: readonly Frame[];
  /** The scene that was recorded, as YAML. */
  readonly text: string;
}

export interface Imported {
  /** A whole scene, of curves. */
  readonly text?: string;
  /** A thing in the way, of a mesh. */
  readonly collider?: object;
  /** An animated mesh, to grow hair on. */
  readonly isCharacter?: true;
}
