/** A hairstyle as a scene that runs: guides as super-helices, the head in their way, and a motion. */
import { type Hairstyle, hasInside } from '@tendril-sim/core';
import { encodeHairstyle, headMotions, readAnimatedSkin, writeHairScene } from '@tendril-sim/io';
import type { Groomed, HeadMotion } from '../../groomTypes.ts';
import type { Head } from './head.ts';
import { toObj } from './heads.ts';

/** More guides than this are too slow to look at: every nth is simulated, and hairs follow those. */
const guideLimit = 48;
const hairFile = 'hair.hairstyle';

export function sceneOfStyle(style: Hairstyle, head: Head, motion: HeadMotion): Groomed {
  const common = {
    hairFile,
    edges: 2 * style.elements,
    every: Math.ceil(style.guideRoots.count / guideLimit),
    step: 0.016,
    output: 0.032,
  };
  const hair = { name: hairFile, bytes: encodeHairstyle(style, 'studio') };
  if (motion.startsWith('plays ') && head.file) {
    const skin = readAnimatedSkin(head.file, head.name, { animation: motion.slice('plays '.length) });
    const text = writeHairScene(style, {
      ...common,
      title: `Hair on ${head.name}`,
      headFile: head.name,
      solid: hasInside(head.coarse),
      animation: { name: skin.name, start: 0 },
      duration: skin.frames[skin.frames.length - 1].time + 0.5,
    });
    return { text, files: [hair, { name: head.name, bytes: head.file }] };
  }
  const path = motion === 'mouse' ? undefined : headMotions[motion as keyof typeof headMotions];
  const text = writeHairScene(style, {
    ...common,
    title: 'Hair on a head that moves',
    headFile: 'head.obj',
    motion: path,
    duration: path ? path.keys[path.keys.length - 1].time + 0.5 : 4,
  });
  return { text, files: [hair, { name: 'head.obj', bytes: new TextEncoder().encode(toObj(head.coarse)) }] };
}
