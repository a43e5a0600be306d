/** Tubes as a browser draws them: Chromium with SwiftShader, which computes on the processor. */
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, it } from 'vitest';
import { findChromium } from '../../studio/test/browser.ts';

const NODES = 11;
const HEIGHT = 220;

/** Draws a straight rod that hangs along a tangent, seen from the side, and returns how many pixels of each row of the picture it covers. */
const script = `
import { OrthographicCamera, Scene, WebGLRenderer } from 'three';
import { createRodObject } from './src/three/index.ts';

globalThis.widths = (slope) => {
  const rod = { closed: false, nodeCount: ${NODES}, edgeCount: ${NODES - 1}, edgeRadius: new Float64Array(${NODES - 1}).fill(0.05) };
  const nodePosition = Float64Array.from({ length: 3 * ${NODES} }, (_, k) => [slope, 0, -1][k % 3] * (Math.floor(k / 3) / ${NODES - 1}));
  const edgeDirector = Float64Array.from({ length: 3 * ${NODES - 1} }, (_, k) => [0, 1, 0][k % 3]);
  const tubes = createRodObject([rod], { stripe: false });
  tubes.update([{ nodePosition, edgeDirector }]);
  const scene = new Scene();
  scene.add(tubes.object);
  const camera = new OrthographicCamera(-0.5, 0.5, 0.1, -1.1, 0.1, 10);
  camera.up.set(0, 0, 1);
  camera.position.set(0, -2, 0);
  camera.lookAt(0, 0, 0);
  const renderer = new WebGLRenderer({ preserveDrawingBuffer: true });
  renderer.setSize(200, ${HEIGHT});
  renderer.setClearColor('#ffffff', 0);
  renderer.render(scene, camera);
  const gl = renderer.getContext();
  const pixels = new Uint8Array(4 * 200 * ${HEIGHT});
  gl.readPixels(0, 0, 200, ${HEIGHT}, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  return Array.from({ length: ${HEIGHT} }, (_, row) => {
    let count = 0;
    for (let k = 0; k < 200; k++) if (pixels[4 * (200 * row + k) + 3] > 0) count++;
    return count;
  });
};`;

it('have the same width everywhere, whichever way they point', async () => {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: 'packages/bridge', loader: 'ts' },
    bundle: true,
    format: 'esm',
    write: false,
  });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  try {
    const page = await browser.newPage();
    await page.addScriptTag({ content: outputFiles[0].text, type: 'module' });
    for (const slope of [0.1, 0, -0.1]) {
      const widths = (await page.evaluate(`widths(${slope})`)) as number[];
      // without its ends
      const inner = widths.filter((_, row) => row > 0.15 * HEIGHT && row < 0.85 * HEIGHT);
      expect(Math.min(...inner), `slope ${slope}`).toBeGreaterThanOrEqual(19);
      expect(Math.max(...inner), `slope ${slope}`).toBeLessThanOrEqual(22);
    }
  } finally {
    await browser.close();
  }
});
