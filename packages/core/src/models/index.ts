/** The models there are. One file, so that a page can put a table in its place which fetches models when a scene names them. */
import type { Model } from '../model.ts';
import { cosseratModel } from './cosserat/model.ts';
import { derModel } from './der/model.ts';
import { fiberModel } from './fiber/model.ts';
import { helixModel } from './helix/model.ts';
import { massSpringModel } from './massspring/model.ts';
import { strandModel } from './strand/model.ts';

/** In the order of their arrival. */
export const models: Readonly<Partial<Record<string, Model>>> = {
  der: derModel,
  helix: helixModel,
  strand: strandModel,
  fiber: fiberModel,
  cosserat: cosseratModel,
  massspring: massSpringModel,
};
