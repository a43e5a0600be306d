/**
 * Joins numbered pictures to an animated WebP, the moving picture of README.md: Chromium encodes each, and this file writes the container.
 * `npm run film -- docs/images/knot.webp 12 frames/knot-*.png`: file, pictures per second, pictures.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { launchBrowser } from '../packages/studio/test/browser.ts';

/** A chunk of a RIFF file: name, length, content, and a byte that makes the length even. */
function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** The chunks of a still WebP that hold its picture: frames have no colour profile of their own. */
function pictureOf(still: Buffer): Buffer {
  const kept: Buffer[] = [];
  let at = 12;
  while (at < still.length) {
    const length = still.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (/^(VP8[ L]|ALPH)$/.test(still.toString('latin1', at, at + 4))) kept.push(still.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** An animated WebP that repeats for ever, from still ones of equal size in lossy format. */
function animate(stills: readonly Buffer[], width: number, height: number, milliseconds: number): Buffer {
  const sizes = Buffer.alloc(6);
  sizes.writeUIntLE(width - 1, 0, 3);
  sizes.writeUIntLE(height - 1, 3, 3);
  const frames = stills.map((still) => {
    const head = Buffer.alloc(16);
    sizes.copy(head, 6);
    head.writeUIntLE(milliseconds, 12, 3);
    return chunk('ANMF', Buffer.concat([head, pictureOf(still)]));
  });
  const animation = 0x02;
  const content = Buffer.concat([
    Buffer.from('WEBP'),
    chunk('VP8X', Buffer.concat([Buffer.from([animation, 0, 0, 0]), sizes])),
    chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0])),
    ...frames,
  ]);
  return chunk('RIFF', content);
}

const [file, rate, ...pictures] = process.argv.slice(2);
if (pictures.length === 0) throw new Error('expected a file, pictures per second, and the pictures');
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  const stills: Buffer[] = [];
  let size = { width: 0, height: 0 };
  for (const picture of pictures) {
    const source = `data:image/png;base64,${readFileSync(picture).toString('base64')}`;
    const { data, ...found } = await page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return { data: canvas.toDataURL('image/webp', 0.82), width: image.width, height: image.height };
    }, source);
    size = found;
    stills.push(Buffer.from(data.slice(data.indexOf(',') + 1), 'base64'));
  }
  writeFileSync(file, animate(stills, size.width, size.height, Math.round(1000 / Number(rate))));
  console.log(`${file}: ${stills.length} pictures`);
} finally {
  await browser.close();
}
