/**
 * Pictures of the GPU page's hair without a browser, through the npm package `webgpu`; or its benchmark.
 * `node packages/studio/gpuPicture.ts --out folder [--style long] [--strands 10000] [--hairs 10] [--frames 90] [--size 960x960] [--measure]`
 * A frame every 30 is written as a BMP file.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openField } from '@tendril-sim/core/batch';
import { makeBust } from './src/gpuHair/bust.ts';
import { openDrawing } from './src/gpuHair/drawing.ts';
import { openGpuDevice } from './src/gpuHair/gpuDevice.ts';
import { describeMeasurement, hairsPerStrand, measure } from './src/gpuHair/measure.ts';
import { createMotion, type MotionId, motionIds } from './src/gpuHair/motion.ts';
import { FRAME, openHair } from './src/gpuHair/simulation.ts';
import { growStyle, type StyleId, styleIds } from './src/gpuHair/style.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'out' },
    style: { type: 'string', default: 'long' },
    strands: { type: 'string', default: '10000' },
    hairs: { type: 'string' },
    frames: { type: 'string', default: '90' },
    every: { type: 'string', default: '30' },
    size: { type: 'string', default: '960x960' },
    motion: { type: 'string', default: 'turns' },
    wind: { type: 'string', default: '0' },
    around: { type: 'string', default: '0.5' },
    distance: { type: 'string', default: '1.35' },
    color: { type: 'string', default: '0.5,0.3,0.16' },
    iterations: { type: 'string', default: '8' },
    measure: { type: 'boolean', default: false },
  },
});

function oneOf<T extends string>(name: string, value: string, all: readonly T[]): T {
  const found = all.find((one) => one === value);
  if (!found) throw new Error(`--${name} is ${value}; it is one of ${all.join(', ')}`);
  return found;
}

/** Kept: its devices end with it. */
let gpu: GPU;

async function openDevice(): Promise<GPUDevice> {
  // DAWN_NODE: file of Dawn's module, on machines without node_modules
  const dawn = createRequire(import.meta.url)(process.env.DAWN_NODE ?? 'webgpu') as { create(options: string[]): GPU };
  gpu = dawn.create([]);
  const { device, name } = await openGpuDevice(gpu);
  console.log(`adapter: ${name}`);
  device.addEventListener('uncapturederror', (event) =>
    console.error((event as GPUUncapturedErrorEvent).error.message),
  );
  return device;
}

/** A picture without compression, upside down as the format has it. */
function encodeBmp(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const head = 54;
  const bytes = Buffer.alloc(head + 4 * width * height);
  bytes.write('BM');
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(head, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(32, 28);
  bytes.set(pixels, head);
  return bytes;
}

async function readPixels(device: GPUDevice, picture: GPUTexture): Promise<Uint8Array> {
  const { width, height } = picture;
  const row = 256 * Math.ceil((4 * width) / 256);
  const buffer = device.createBuffer({ size: row * height, usage: 1 | 8 });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow: row }, [width, height]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(1);
  const padded = new Uint8Array(buffer.getMappedRange());
  const pixels = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) pixels.set(padded.subarray(row * y, row * y + 4 * width), 4 * width * y);
  buffer.destroy();
  return pixels;
}

async function takePictures(device: GPUDevice, style: StyleId, motionId: MotionId): Promise<void> {
  const strands = Number(values.strands);
  const [width, height] = values.size.split('x').map(Number);
  const bust = makeBust();
  const shapes = growStyle(style, strands, openField(bust.table));
  const iterations = Number(values.iterations) as 8;
  const hair = await openHair(device, { shapes, bust, touches: false, iterations });
  const drawing = await openDrawing(device, 'bgra8unorm', bust.mesh);
  const count = drawing.setHair(hair.batch, values.hairs ? Number(values.hairs) : hairsPerStrand(strands));
  console.log(`${strands} strands, ${count} hairs`);
  const picture = device.createTexture({ size: [width, height], format: 'bgra8unorm', usage: 0x10 | 0x1 });
  const [red, green, blue] = values.color.split(',').map(Number);
  const motion = createMotion(motionId);
  motion.wind = Number(values.wind);
  const orbit = { around: Number(values.around), above: 0.08, distance: Number(values.distance) };
  mkdirSync(values.out, { recursive: true });
  for (let frame = 0; frame <= Number(values.frames); frame++) {
    if (frame % Number(values.every) === 0) {
      const encoder = device.createCommandEncoder();
      drawing.draw(encoder, picture.createView(), { orbit, pose: hair.pose, color: [red, green, blue], width, height });
      device.queue.submit([encoder.finish()]);
      const path = join(values.out, `hair-${style}-${String(frame).padStart(4, '0')}.bmp`);
      writeFileSync(path, encodeBmp(await readPixels(device, picture), width, height));
      const { unsettled, overlap } = await hair.batch.readCounts();
      console.log(`${path}: ${unsettled} of ${strands} strands not settled, overlap ${(1e3 * overlap).toFixed(3)} mm`);
    }
    hair.advance(motion.advance(FRAME));
    await device.queue.onSubmittedWorkDone();
  }
}

const device = await openDevice();
const style = oneOf('style', values.style, styleIds);
if (values.measure) {
  const bust = makeBust();
  const skin = openField(bust.table);
  for await (const one of measure(device, bust, (count) => growStyle(style, count, skin)))
    console.log(describeMeasurement(one));
} else await takePictures(device, style, oneOf('motion', values.motion, motionIds));
process.exit(0);
