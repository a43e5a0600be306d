export { massSpringModel as massspring } from './model.ts';
