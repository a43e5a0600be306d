export { cosseratModel as cosserat } from './model.ts';
