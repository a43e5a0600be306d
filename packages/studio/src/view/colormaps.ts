/**
 * Colours of quantities: perceptually uniform, told apart by colour-blind eyes too. Sequential for sizes that begin at zero
 * (viridis, by its control points), diverging about zero for those with a sign (blue – grey – orange).
 */
import type { ColorMap } from '@tendril-sim/bridge/three';

export const sequential: ColorMap = [
  [70, 50, 126],
  [64, 70, 137],
  [54, 92, 141],
  [46, 110, 142],
  [39, 127, 142],
  [33, 145, 140],
  [38, 162, 134],
  [58, 181, 117],
  [94, 201, 98],
  [136, 205, 66],
  [184, 205, 40],
  [232, 202, 36],
];

/** On a dark page: viridis from where it is light enough to be seen. */
export const sequentialDark: ColorMap = [
  [104, 100, 200],
  [88, 124, 206],
  [66, 148, 200],
  [48, 168, 184],
  [52, 186, 158],
  [92, 202, 124],
  [146, 214, 88],
  [204, 222, 62],
  [253, 231, 80],
];

export const diverging: ColorMap = [
  [36, 86, 184],
  [56, 116, 206],
  [92, 148, 219],
  [138, 179, 226],
  [184, 204, 226],
  [214, 214, 214],
  [236, 205, 170],
  [240, 180, 118],
  [234, 150, 72],
  [219, 117, 35],
  [190, 84, 12],
];

export type ColorBy = 'plain' | 'curvature' | 'twist' | 'tension' | 'contact';

export const quantities: Readonly<
  Record<Exclude<ColorBy, 'plain'>, { readonly label: string; readonly unit: string; readonly signed: boolean }>
> = {
  curvature: { label: 'Curvature', unit: '1/m', signed: false },
  twist: { label: 'Twist', unit: 'rad/m', signed: true },
  tension: { label: 'Tension', unit: 'N', signed: true },
  contact: { label: 'Contact force', unit: 'N', signed: false },
};

export function mapOf(by: ColorBy, dark: boolean): ColorMap | undefined {
  if (by === 'plain') return undefined;
  return quantities[by].signed ? diverging : dark ? sequentialDark : sequential;
}

export function cssGradient(map: ColorMap): string {
  return `linear-gradient(90deg, ${map.map(([r, g, b]) => `rgb(${r} ${g} ${b})`).join(', ')})`;
}

/** Of models, in a comparison: Okabe and Ito's colours, lightened for tubes. */
export const laneColors = ['#e8a33d', '#4aa8e0', '#3bb58f', '#d98bbd'] as const;
