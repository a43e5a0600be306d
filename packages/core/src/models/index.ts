/** All models, with all of their parts. */
import type { Model } from '../model.ts';
import { cosserat } from './cosserat/index.ts';
import { der } from './der/index.ts';
import { fiber } from './fiber/index.ts';
import { helix } from './helix/index.ts';
import { massspring } from './massspring/index.ts';
import { strand } from './strand/index.ts';

export const models: readonly Model[] = [der, helix, strand, fiber, cosserat, massspring];
