export { strandModel as strand } from './model.ts';
