/** Compiles a scene, including weaves. A world without contact uses compile.ts instead and does not bundle the code of weaves. */
import { compileAnimation } from './animate.ts';
import { bodyModule } from './bodies.ts';
import { checkFinite } from './check.ts';
import { type CompiledScene, compileExpanded } from './compile.ts';
import { compileLinks } from './links.ts';
import type { Scene } from './types.ts';
import { expandWeaves } from './weave.ts';
import { wind } from './windParts.ts';

/** Compiles a scene to rods, pins and loads; throws `SceneError`. */
export function compileScene(written: Scene): CompiledScene {
  checkFinite(written, []);
  const features = { compileLinks, animation: { compileAnimation }, wind, bodies: bodyModule };
  return compileExpanded(expandWeaves(written).scene, features);
}
