/** Scenes in links: what comes out is what went in, and never more than a link may hold. */
import { deflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { LinkTooLong, linkTextLimit, packText, unpackText } from '../src/link.ts';

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
