/** A hairstyle as a scene that runs: guides as super-helices, the head in their way, and a motion. */
import type { Hairstyle } from '@tendril-sim/core';
import { encodeHairstyle, headMotions, writeHairScene } from '@tendril-sim/io';
import type { Groomed, HeadMotion } from '../../groomTypes.ts';
import { type Mesh, toObj } from './heads.ts';

/** More guides than this are too slow to look at: every nth is simulated, and hairs follow those. */
const guideLimit = 48;

export function sceneOfStyle(style: Hairstyle, mesh: Mesh, motion: HeadMotion): Groomed {
  const path = motion === 'mouse' ? undefined : headMotions[motion];
  const text = writeHairScene(style, {
    title: 'Hair on a head that moves',
    hairFile: 'hair.hairstyle',
    headFile: 'head.obj',
    motion: path,
    edges: 2 * style.elements,
    every: Math.ceil(style.guideRoots.count / guideLimit),
    duration: path ? path.keys[path.keys.length - 1].time + 0.5 : 4,
    step: 0.016,
    output: 0.032,
  });
  return {
    text,
    files: [
      { name: 'hair.hairstyle', bytes: encodeHairstyle(style, 'studio') },
      { name: 'head.obj', bytes: new TextEncoder().encode(toObj(mesh)) },
    ],
  };
}
