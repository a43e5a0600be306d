/** A figure as shapes, from back to front, which `figureSvg.ts` and `figurePdf.ts` write. Lengths in pixels of the page, y downwards. */

export type Point = readonly [x: number, y: number];

/** `#rrggbb`, or `rgb(r g b)` with whole numbers. */
export type Paint = string;

export type Shape =
  | {
      readonly type: 'line';
      readonly points: readonly Point[];
      readonly closed?: boolean;
      readonly stroke: Paint;
      readonly width: number;
      /** Ends at its last point, instead of a half disc beyond it. */
      readonly isCut?: boolean;
      /** What it stands for, for who works on the figure. */
      readonly name?: string;
    }
  | { readonly type: 'area'; readonly points: readonly Point[]; readonly fill: Paint }
  | { readonly type: 'disc'; readonly at: Point; readonly radius: number; readonly fill: Paint; readonly name?: string }
  | {
      readonly type: 'text';
      /** Of the baseline: its start, middle or end. */
      readonly at: Point;
      readonly anchor?: 'start' | 'middle' | 'end';
      readonly words: string;
      readonly size: number;
      readonly bold?: boolean;
      readonly fill: Paint;
    }
  /** A rectangle whose colours go evenly from left to right. */
  | {
      readonly type: 'scale';
      readonly at: Point;
      readonly width: number;
      readonly height: number;
      readonly colors: readonly Paint[];
    };

export interface Figure {
  readonly width: number;
  readonly height: number;
  /** None: transparent. */
  readonly background: Paint | undefined;
  readonly title: string;
  readonly shapes: readonly Shape[];
}
