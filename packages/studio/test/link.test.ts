/** Scenes in links, and how they are looked at: what comes out is what went in, and never more than a link may hold. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LinkTooLong, linkTextLimit, packText, unpackText } from '../src/link.ts';
import { readShot, type Shot, writeShot } from '../src/shot.ts';

it('keeps text as it is', async () => {
  const text = 'tendril: 1\ntitle: Größe \u{1f9f5}\n';
  expect(await unpackText(await packText(text))).toBe(text);
});

it('refuses a small link that inflates to a huge text, before it has', async () => {
  const bomb = deflateRawSync(Buffer.alloc(100 * 2 ** 20)).toString('base64url');
  expect(bomb.length).toBeLessThan(200_000);
  const before = process.memoryUsage().rss;
  await expect(unpackText(bomb)).rejects.toThrow(LinkTooLong);
  expect(process.memoryUsage().rss - before).toBeLessThan(60 * 2 ** 20);
  await expect(packText(' '.repeat(linkTextLimit + 1))).rejects.toThrow(LinkTooLong);
});

describe('how a scene is looked at', () => {
  const known = ['der', 'helix', 'der/midpoint'];
  const read = (address: string): Shot => readShot(new URLSearchParams(address), known);

  it('comes back as it went into the link', () => {
    const shot: Shot = {
      camera: { position: [1.25, -3e-5, 12000], target: [0, 0.5, -0.75], aspect: 1.6 },
      time: 0.125,
      variants: ['helix', 'der/midpoint'],
      overlay: true,
      colorBy: 'tension',
      panel: 'theory',
    };
    expect(read(`case=x${writeShot(shot)}`)).toEqual(shot);
    expect(writeShot({})).toBe('');
    expect(writeShot({ time: 0 })).toBe('&t=0');
  });

  it('is left out where it is not well formed', () => {
    const nothing = {
      camera: undefined,
      time: undefined,
      variants: undefined,
      overlay: undefined,
      colorBy: undefined,
      panel: undefined,
    };
    for (const address of [
      'case=x',
      'camera=1,2,3,4,5,6&t=&compare=&color=&panel=',
      'camera=1,2,3,1,2,3,1&t=-1&compare=der,unknown&color=red&panel=gallery',
      'camera=1,2,3,4,5,6,0&t=soon',
      'camera=1,2,3,4,5,NaN,1&t=Infinity',
      'camera=1,2,,4,5,6,1',
    ])
      expect(read(address), address).toEqual(nothing);
    expect(read('compare=der,der,helix').variants).toEqual(['der', 'helix']);
  });
});
