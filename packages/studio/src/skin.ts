/** Skin of the bust, as the studio (WebGL), its stills (path-traced) and `hair.html` (WebGPU) draw it. */

/** sRGB. */
export const skinColor = '#e4bba8';

/** The same in linear light, for shaders. */
export const skinLight: readonly [number, number, number] = [0.78, 0.5, 0.39];

/** How far beyond the edge of its shadow skin is lit, red, green, blue: light that enters it leaves it beside, red light the farthest. */
export const skinWrap: readonly [number, number, number] = [0.34, 0.17, 0.11];
