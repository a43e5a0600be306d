/**
 * Elementary functions with correctly rounded results: of all doubles, the one nearest to the true value. Engines differ in the last digit of
 * `Math.sin`, `Math.exp`, `Math.hypot` and the like; these give the same bits everywhere, because they consist of operations that
 * IEEE 754 defines to the last bit. `Math.sqrt`, `abs`, `floor`, `fround` and others that the standard of the language defines exactly
 * are used as they are. docs/notes/elementary-functions.md has the method, the errors and the cost.
 */
export { cosh, exp, expm1, log, log1p, log2, log10, pow, sinh, tanh } from './exponential.ts';
export { acos, asin, atan, atan2 } from './inverse.ts';
export { cbrt, hypot, hypotOf, square } from './roots.ts';
export { cos, sin, tan } from './trigonometric.ts';
