/** Numbers of the acceleration of iterations (mixing.ts) that the kernels share: numbers of a contact, earlier iterates that are combined, over-relaxation. */
export const MIXING_NUMBERS = 6;
export const MIXING_WINDOW = 6;
export const MIXING_RELAXATION = 1.7;
