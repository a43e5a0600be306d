/**
 * Papers whose figures the cases repeat. A case names the figure and the claim that it shows (`Case.papers`); this file lists what
 * each paper contains, so that a figure that no case shows is reported with a reason instead of being left out.
 */
import type { SceneInput } from '@tendril-sim/io';
import type { PaperId } from './paperIds.ts';
import { bergou2008 } from './papers/bergou2008.ts';
import { hadap2006 } from './papers/hadap2006.ts';
import { lou2013 } from './papers/lou2013.ts';
import { michels2015 } from './papers/michels2015.ts';
import { romero2021 } from './papers/romero2021.ts';

/** One figure or claim of a paper, as a case shows it. */
export interface PaperClaim {
  /** Id of the paper. */
  readonly paper: PaperId;
  /** As in the paper's list of figures: `Fig. 1`. */
  readonly figure: string;
  /** What the paper says, in a sentence. */
  readonly claim: string;
  /** Quantities of `expect` that decide it, by the start of their names; default: all. */
  readonly quantities?: readonly string[];
  /** How the case differs from the paper without weakening the claim: other parameters, another method. */
  readonly remark?: string;
  /** What of the claim the case does not show, and why: the verdict is then "in part". */
  readonly missing?: string;
  /** Moments of the case's scene that show what the paper's figure shows; default: a picture of all times over each other. */
  readonly panels?: PaperPanels;
  /** A scene with the size of the paper's, to measure the time per step. */
  readonly timed?: TimedScene;
}

/** Path-traced pictures of a case's scene beside each other, in the order of the paper's figure. */
export interface PaperPanels {
  /** Another scene than the case's, where the paper has two figures of one experiment. */
  scene?(): SceneInput;
  /** In the order of the paper's figure. */
  readonly moments: readonly PaperMoment[];
  /** Width over height of a picture; default 1.5. */
  readonly aspect?: number;
  /** Pictures per line; default: up to three. */
  readonly columns?: number;
  /** Default: a camera that sees everything, rubber. */
  readonly look?: PanelLook;
}

/** Camera, materials and light, as the options of `tendril render`. */
export interface PanelLook {
  /** Turn about the upright axis [°]. */
  readonly azimuth?: number;
  /** Height of the eye [°]. */
  readonly elevation?: number;
  /** 2 shows half of what 1 shows. */
  readonly zoom?: number;
  /** The point that the camera looks at [m]; default: the middle of all that is shown. */
  readonly target?: readonly [number, number, number];
  /** Id of a rod or body that keeps its place in the picture. */
  readonly follow?: string;
  /** Factor on the radii of rods. */
  readonly thickness?: number;
  /** False: rubber has no stripe along d1. */
  readonly stripe?: boolean;
  /** A material for all rods, or `rod=material`. */
  readonly material?: readonly string[];
  /** A color for all rods, or `rod=#rrggbb`. */
  readonly color?: readonly string[];
  /** False: no floor. */
  readonly floor?: boolean;
}

/** A picture of the case's scene. */
export interface PaperMoment {
  /** [s]; the recorded frame closest to it is shown. */
  readonly time: number;
  /** What it shows, and where the paper has it. */
  readonly caption: string;
}

/** A scene for comparison with a row of a paper's table of times. */
export interface TimedScene {
  /** Row of the paper's table. */
  readonly row: string;
  /** The scene, with the size of the paper's. */
  scene(): SceneInput;
  /** Simulated time [s] before the measurement starts: contact has to be established first. */
  readonly from?: number;
  /** What differs from the paper's row. */
  readonly remark?: string;
}

/** A figure of a paper; `notShown` says why no case shows it. */
export interface PaperFigure {
  /** Number in the paper, such as `Fig. 3`. */
  readonly figure: string;
  /** What it shows. */
  readonly title: string;
  /** Why no case shows it. */
  readonly notShown?: string;
}

/** A paper, and the list of its figures. */
export interface Paper {
  /** Name in `tendril report --paper`. */
  readonly id: PaperId;
  /** Authors. */
  readonly authors: string;
  /** Title. */
  readonly title: string;
  /** Where and when it was published. */
  readonly published: string;
  /** What the paper is about, and what of it is repeated here. */
  readonly lead: string;
  /** Its figures. */
  readonly figures: readonly PaperFigure[];
  /** The paper's table of times [ms per step]. */
  readonly times?: PaperTimes;
}

/** A paper's table of times per step, and the machine it was measured on. */
export interface PaperTimes {
  readonly figure: string;
  readonly machine: string;
  readonly rows: readonly {
    readonly row: string;
    readonly vertices: number;
    readonly step: number;
    readonly total: number;
  }[];
}

/** All papers whose figures the cases repeat. */
export const papers: readonly Paper[] = [bergou2008, hadap2006, lou2013, michels2015, romero2021];

/** The paper with this id, or undefined. */
export function findPaper(id: string): Paper | undefined {
  return papers.find((paper) => paper.id === id);
}
