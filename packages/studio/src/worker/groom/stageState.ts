/** A head with hair in the making: the styles that led here, and how the present one is seen. */
import {
  guideClearance,
  type Hairs,
  type Hairstyle,
  hairsOf,
  layCurve,
  placesPerElement,
  poseGuides,
  SceneError,
} from '@tendril-sim/core';
import type { GroomSettings, Recipe } from '../../groomTypes.ts';
import type { Head } from './head.ts';
import { partHairs } from './parting.ts';

const historyDepth = 60;

export interface Step {
  readonly style: Hairstyle;
  readonly settings: GroomSettings;
  /** What led here; the same setting again takes the place of this step. */
  readonly what: string;
  /** From the bare head to here; undefined where a file was opened on the way. */
  readonly recipe: Recipe | undefined;
}

/** Guides as they are seen. */
export interface Pose {
  readonly nodes: number;
  readonly perElement: number;
  readonly position: Float64Array;
}

export interface Stage {
  head: Head | undefined;
  /** All styles that undo and redo lead to; the present one is at `at`. */
  steps: Step[];
  at: number;
  pose: Pose | undefined;
  hairs: Hairs | undefined;
  /** Which hairs the page has been told of: others are sent with all that is constant about them. */
  drawnHairs: string;
  /** Guides that the stroke has touched. */
  touched: Set<number>;
  /** A stroke changes this style; a step is kept when it ends. */
  working: Hairstyle | undefined;
  /** Where the brush has been [m], three numbers a point. */
  readonly brushPath: number[];
}

export function createStage(): Stage {
  return {
    head: undefined,
    steps: [],
    at: -1,
    pose: undefined,
    hairs: undefined,
    drawnHairs: '',
    touched: new Set(),
    working: undefined,
    brushPath: [],
  };
}

/** The present step. Throws SceneError where nothing has been grown. */
export function presentOf({ steps, at }: Stage): Step {
  if (!steps[at]) throw new SceneError([], 'nothing has been grown yet');
  return steps[at];
}

/** Makes a step the present one; what could be done again is gone. */
export function keepStep(stage: Stage, next: Step): void {
  const { steps, at } = stage;
  if (next.what !== '' && steps[at]?.what === next.what) stage.steps = [...steps.slice(0, at), next];
  else {
    stage.steps = [...steps.slice(Math.max(0, at + 2 - historyDepth), at + 1), next];
    stage.at = stage.steps.length - 1;
  }
  shape(stage, next.style);
}

/** Undoes (−1) or does again (1). */
export function travel(stage: Stage, by: number): void {
  stage.at = Math.min(stage.steps.length - 1, Math.max(0, stage.at + by));
  dropStroke(stage);
  shape(stage, presentOf(stage).style);
}

export function dropStroke(stage: Stage): void {
  stage.working = undefined;
  stage.touched = new Set();
  stage.brushPath.length = 0;
}

/** Finds out how a style is seen. */
export function shape(stage: Stage, style: Hairstyle): void {
  // even, so that every element has a place in its middle, from which helices can be fitted again
  const perElement = 2 * Math.ceil(placesPerElement(style) / 2);
  const { nodes, position } = poseGuides(style, perElement);
  stage.pose = { nodes, perElement, position };
  const field = stage.head?.field;
  if (field) {
    for (let g = 0; g < style.guideRoots.count; g++)
      layCurve(position, { first: 3 * nodes * g, nodes }, field, guideClearance);
  }
  const hairs = hairsOf(style);
  stage.hairs = hairs && partHairs(hairs, stage.pose);
}
