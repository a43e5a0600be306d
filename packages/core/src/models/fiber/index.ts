export { fiberModel as fiber } from './model.ts';
