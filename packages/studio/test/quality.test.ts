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

  it('asks for fine pictures when it stands still, and for the next ones slowly where they take long', () => {
    const { quality, draw } = bench(true);
    quality.begin(0);
    draw(20);
    expect(quality.rest(0.3)).toBe(false);
    expect(quality.rest(0.1)).toBe(true);
    // as many as are worth it, one after the other
    for (let k = 0; k < quality.passes; k++) {
      expect(quality.rest(0)).toBe(true);
      draw(30, true);
    }
    expect(quality.rest(9)).toBe(false);
    // something moves: the mean begins anew
    quality.wake();
    draw(20);
    expect(quality.rest(0.4)).toBe(true);
    quality.begin(6000);
    draw(20);
    draw(20);
    // four times the hairs of what took 30 ms, and one and a half times that
    expect(quality.rest(0.34)).toBe(false);
    expect(quality.rest(0.1)).toBe(true);
    draw(1400, true);
    // twice as long for other things as for the next one
    expect(quality.rest(2.7)).toBe(false);
    expect(quality.rest(0.2)).toBe(true);
    const card = bench(false);
    card.quality.begin(100);
    card.draw(16);
    expect(card.quality.rest(0.4)).toBe(true);
    expect(card.quality.passes).toBe(32);
  });
});
