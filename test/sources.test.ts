/** What no source may hold, and what the lock file may not. */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse, read, sources, walk } from './files.ts';

describe('sources', () => {
  const found = { any: [] as string[], code: [] as string[] };
  for (const path of sources()) {
    const file = parse(path);
    const where = (node: ts.Node): string =>
      `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${node.parent.getText().slice(0, 80)}`;
    walk(file, (node) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) found.any.push(where(node));
      const called = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression : undefined;
      if (called && ts.isIdentifier(called) && ['eval', 'Function'].includes(called.text)) found.code.push(where(node));
    });
  }

  it('are found', () => {
    expect(sources().length).toBeGreaterThan(50);
  });

  it('have no any', () => {
    expect(found.any).toEqual([]);
  });

  it('make no code at run time', () => {
    expect(found.code).toEqual([]);
  });
});

describe('package-lock.json', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; link?: boolean; integrity?: string; inBundle?: boolean }>;
  };

  it('names no host', () => {
    const urls = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://'));
    expect(urls.map(([name]) => name)).toEqual([]);
  });

  it('holds the checksum of everything that is installed from elsewhere', () => {
    const outside = Object.entries(packages).filter(([name, { link }]) => name.startsWith('node_modules/') && !link);
    expect(outside.length).toBeGreaterThan(10);
    expect(outside.filter(([, { integrity, inBundle }]) => !integrity && !inBundle).map(([name]) => name)).toEqual([]);
  });
});
