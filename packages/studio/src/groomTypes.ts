/** What the grooming panel asks of the worker. */
import type { HairType, StylePreset } from '@tendril-sim/core';
import type { Frame, Loaded } from './protocol.ts';

export interface GroomSettings {
  /** A style by name; the other numbers then come from it. */
  readonly preset?: StylePreset;
  readonly hair: HairType;
  /** Strands that are computed, and hairs that are drawn between them. */
  readonly guides: number;
  readonly hairs: number;
  /** [m] */
  readonly length: number;
  /** Lengths vary by up to this part. */
  readonly jitter: number;
  /** Of the curl [m]; radius 0 is straight. */
  readonly radius: number;
  readonly pitch: number;
  /** How far curls are out of step [rad]. */
  readonly frizz: number;
  /** How far tips are drawn together, 0…1. */
  readonly clump: number;
  /** How far the hair leans back where it leaves the skin. */
  readonly lie: number;
  /** Where it grows, a formula of the place; empty: chosen by the shape of the mesh. */
  readonly scalp: string;
}

/** Operations on all hair at once. */
export type Reshaping = 'puff' | 'smooth' | 'wrap';
export type Brush = 'comb' | 'cut' | 'curl' | 'straighten';
/** `plays …`: an animation of the mesh, by its name. */
export type HeadMotion = 'mouse' | 'shake' | 'nod' | 'turn' | `plays ${string}`;
type Point = readonly [number, number, number];

/** How a hairstyle was made, from the bare head on: small enough for a link, and done again by whoever opens it. */
export interface Recipe {
  readonly head: 'head' | 'ball';
  readonly settings: GroomSettings;
  readonly actions: readonly RecipeAction[];
}

export type RecipeAction =
  /** `path`: points of the brush, three numbers each [0.1 mm]; `curl`: radius and pitch [m]. */
  | {
      readonly kind: 'stroke';
      readonly brush: Brush;
      readonly radius: number;
      readonly strength: number;
      readonly curl?: readonly [number, number];
      readonly path: readonly number[];
    }
  | { readonly kind: 'trim'; readonly length: number }
  /** `strength`: 0 to 1. */
  | { readonly kind: 'shape'; readonly how: Reshaping; readonly strength: number }
  | { readonly kind: 'hairs'; readonly hairs: number; readonly clump: number };

/** What is kept of grooming from one visit to the next. */
export interface KeptGroom {
  /** The hairstyle's file. */
  readonly style: Uint8Array;
  readonly settings: GroomSettings;
  readonly head: string;
  /** The file of a mesh of one's own. */
  readonly mesh?: Uint8Array;
  /** The file of a texture on it. */
  readonly texture?: Uint8Array;
  readonly recipe?: Recipe;
}

export type GroomAction =
  | { readonly kind: 'open'; readonly head: 'head' | 'ball'; readonly settings: GroomSettings }
  | { readonly kind: 'mesh'; readonly bytes: ArrayBuffer; readonly name: string; readonly settings: GroomSettings }
  /** A PNG picture that gives the mesh its colours. */
  | { readonly kind: 'texture'; readonly bytes: ArrayBuffer; readonly name: string }
  /** `what`: the setting that has changed; those of the hairs leave the styling as it is. */
  | { readonly kind: 'grow'; readonly settings: GroomSettings; readonly what: string }
  | {
      readonly kind: 'stroke';
      readonly brush: Brush;
      readonly from: Point;
      readonly to: Point;
      readonly radius: number;
      readonly strength: number;
      readonly settings: GroomSettings;
      /** The brush is taken off. */
      readonly end: boolean;
    }
  | { readonly kind: 'trim'; readonly length: number }
  | { readonly kind: 'shape'; readonly how: Reshaping; readonly strength: number }
  | { readonly kind: 'undo' | 'redo' | 'show' | 'save' | 'keep' }
  | { readonly kind: 'recall'; readonly kept: KeptGroom }
  | { readonly kind: 'replay'; readonly recipe: Recipe }
  | { readonly kind: 'load'; readonly bytes: ArrayBuffer; readonly name: string }
  | { readonly kind: 'simulate'; readonly motion: HeadMotion };

export interface GroomFacts {
  readonly settings: GroomSettings;
  readonly head: string;
  /** Names of the animations of a mesh of one's own. */
  readonly animations: readonly string[];
  readonly guides: number;
  readonly hairs: number;
  readonly elements: number;
  /** Shortest and longest [m]. */
  readonly length: readonly [number, number];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Of the last action [ms]. */
  readonly spent: number;
  /** What is worth saying about it. */
  readonly note?: string;
}

export interface Groomed {
  readonly error?: string;
  readonly facts?: GroomFacts;
  /** Where other hairs are to be drawn than before. */
  readonly loaded?: Loaded;
  readonly frame?: Frame;
  /** The hairstyle's file. */
  readonly bytes?: Uint8Array;
  readonly kept?: KeptGroom;
  /** How what is shown, or what the scene is made of, came about; absent where a file was opened. */
  readonly recipe?: Recipe;
  /** A scene of it, and the files that it names. */
  readonly text?: string;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}
