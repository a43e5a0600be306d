/** How finely the view draws, on a clock of its own. */
import { describe, expect, it } from 'vitest';
import { createQuality, type Quality } from '../src/view/quality.ts';

interface Bench {
  readonly quality: Quality;
  /** Draws a picture that takes so long [ms]. */
  draw(cost: number, fine?: boolean): void;
}

function bench(software: boolean): Bench {
  let time = 0;
  const quality = createQuality(
    software,
    () => 1,
    () => time,
  );
  return {
    quality,
    draw(cost, fine = false) {
      quality.drew(fine);
      time += cost;
      quality.measure();
    },
  };
}

describe('quality', () => {
  it('draws a part of many hairs first where a processor draws, and all of few', () => {
    const { quality, draw } = bench(true);
    quality.begin(6000);
    expect(quality.share).toBe(0.25);
    quality.begin(0);
    expect(quality.share).toBe(1);
    quality.begin(300);
    draw(900);
    draw(900);
    expect(quality.share).toBe(1);
    const card = bench(false).quality;
    card.begin(6000);
    expect(card.share).toBe(1);
  });

  it('leaves hairs out at once where a picture takes long, and takes them back when it does not', () => {
    const { quality, draw } = bench(false);
    quality.begin(6000);
    draw(900);
    // shaders are compiled for the first: it says nothing
    expect(quality.share).toBe(1);
    draw(900);
    expect(quality.share).toBe(0.25);
    for (let k = 0; k < 5; k++) draw(900);
    // eight hundred of them at least
    expect(quality.share).toBeCloseTo(800 / 6000, 12);
    for (let k = 0; k < 400; k++) draw(16);
    expect(quality.share).toBe(1);
  });

  it('lowers the resolution of rods alone, by and by', () => {
    const { quality, draw } = bench(true);
    quality.begin(0);
    for (let k = 0; k < 200; k++) draw(100);
    expect(quality.ratio).toBe(0.7);
    expect(quality.share).toBe(1);
    for (let k = 0; k < 400; k++) draw(16);
    expect(quality.ratio).toBe(1);
  });

  it('asks for the fine picture once, when it stands still; a slow one later and with fewer pixels', () => {
    const { quality, draw } = bench(true);
    quality.begin(0);
    draw(20);
    expect(quality.rest(0.3)).toBe(false);
    expect(quality.rest(0.1)).toBe(true);
    draw(30, true);
    expect(quality.rest(9)).toBe(false);
    expect(quality.fineRatio).toBe(2);
    quality.begin(6000);
    draw(20);
    draw(20);
    // four times the pixels and four times the hairs of what took 30 ms: half a second, one and a half times that
    expect(quality.rest(0.6)).toBe(false);
    expect(quality.rest(0.2)).toBe(true);
    draw(1400, true);
    expect(quality.fineRatio).toBeCloseTo(2 * Math.sqrt(1000 / 1400), 12);
    draw(9000, true);
    expect(quality.fineRatio).toBe(1.6);
    // one that is going to be slow has fewer pixels from the first
    quality.begin(6000);
    for (let k = 0; k < 40; k++) draw(140);
    expect(quality.rest(9)).toBe(true);
    expect(quality.fineRatio).toBe(1.6);
    // by a graphics card only where hairs were left out
    const card = bench(false);
    card.quality.begin(100);
    card.draw(16);
    expect(card.quality.rest(5)).toBe(false);
  });
});
