export { helixModel as helix } from './model.ts';
