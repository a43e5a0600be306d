/** Converts SVG to PNG with a font that is part of the package, so pictures look the same on every machine. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Bitmap } from '../apng.ts';

const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) =>
  fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}`)),
);

export function renderPng(svg: string, zoom = 2): Uint8Array {
  return render(svg, zoom).asPng();
}

/** The picture as pixels. */
export function renderBitmap(svg: string, zoom: number): Bitmap {
  const { width, height, pixels } = render(svg, zoom);
  return { width, height, pixels };
}

function render(svg: string, zoom: number): ReturnType<import('@resvg/resvg-js').Resvg['render']> {
  // a native library: loaded by the first picture
  const { Resvg } = createRequire(import.meta.url)('@resvg/resvg-js') as typeof import('@resvg/resvg-js');
  const renderer = new Resvg(svg, {
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'DejaVu Sans', sansSerifFamily: 'DejaVu Sans' },
    fitTo: { mode: 'zoom', value: zoom },
  });
  return renderer.render();
}
