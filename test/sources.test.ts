/** What no source may hold, and what the lock file may not. */
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { sweepSources } from '../packages/core/kernels/wgsl.ts';
import { parse, read, sources, walk } from './files.ts';

const booleans = [ts.SyntaxKind.BooleanKeyword, ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword];

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

  it('of core and the cases compute with functions that are the same in every engine', () => {
    // ECMAScript leaves the rounding of these to the engine; @tendril-sim/core/math has them correctly rounded
    const approximate = /\bMath\.(a?(sin|cos|tan)h?|atan2|exp|expm1|log|log1p|log2|log10|pow|hypot|cbrt)\b/;
    const computing = /^(packages\/(core|io|bridge)\/src|cases)\//;
    const wrong = sources()
      .filter((path) => computing.test(path))
      .flatMap((path) => {
        const places: string[] = [];
        walk(parse(path), (node) => {
          if (ts.isPropertyAccessExpression(node) && approximate.test(node.getText())) places.push(node.getText());
          // powers of two and those of big integers are exact everywhere
          if (ts.isBinaryExpression(node) && /^\*\*=?$/.test(node.operatorToken.getText()))
            if (node.left.getText() !== '2' && !/\dn$|^BigInt\(/.test(node.right.getText()))
              places.push(node.getText());
        });
        return places.map((place) => `${path}: ${place}`);
      });
    expect(wrong).toEqual([]);
  });

  it('name what a call switches on or off', () => {
    // kernels are made of these, and have no objects
    const lanes = new Set([...sweepSources, 'strand.ts'].map((file) => `packages/core/src/batch/${file}`));
    const switches = new Map<string, Set<number>>();
    const calls: (readonly [name: string, index: number, where: string])[] = [];
    for (const path of sources().filter((one) => one.startsWith('packages/'))) {
      const file = parse(path);
      walk(file, (node) => {
        if (ts.isFunctionLike(node) && !lanes.has(path)) {
          const owner = node.name ? node : node.parent;
          const name = (owner as ts.NamedDeclaration).name?.getText() ?? '';
          node.parameters.forEach(({ type, initializer }, k) => {
            const isBoolean = (type ?? initializer)?.kind;
            if (isBoolean === undefined || !booleans.includes(isBoolean)) return;
            switches.set(name, (switches.get(name) ?? new Set()).add(k));
          });
        }
        if (!ts.isCallExpression(node) || node.arguments.length < 2) return;
        const name = node.expression.getText().split('.').at(-1) as string;
        node.arguments.forEach(({ kind }, k) => {
          if (kind !== ts.SyntaxKind.TrueKeyword && kind !== ts.SyntaxKind.FalseKeyword) return;
          const { line } = file.getLineAndCharacterOfPosition(node.getStart());
          calls.push([name, k, `${path}:${line + 1} ${node.getText().slice(0, 80)}`]);
        });
      });
    }
    expect(switches.size).toBeGreaterThan(50);
    expect(calls.filter(([name, k]) => switches.get(name)?.has(k)).map(([, , where]) => where)).toEqual([]);
  });

  it('make no code at run time', () => {
    expect(found.code).toEqual([]);
  });
});

describe('package-lock.json', () => {
  interface Locked {
    readonly resolved?: string;
    readonly link?: boolean;
    readonly integrity?: string;
    readonly dependencies?: Record<string, string>;
    readonly optionalDependencies?: Record<string, string>;
  }
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> };

  it('names no host', () => {
    const urls = Object.entries(packages).filter(([, { resolved }]) => resolved?.includes('://'));
    expect(urls.map(([name]) => name)).toEqual([]);
  });

  it('holds the checksum of every package, those of other platforms included', () => {
    const outside = Object.entries(packages).filter(([name, { link }]) => name.includes('node_modules/') && !link);
    expect(outside.length).toBeGreaterThan(10);
    const loose = outside.filter(([, { integrity }]) => !integrity);
    expect(loose.map(([name]) => name)).toEqual([]);
  });

  it('is complete, parts for other platforms included: npm ci refuses it otherwise', () => {
    const missing = Object.entries(packages).flatMap(([owner, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !foldersAbove(owner).some((folder) => packages[`${folder}node_modules/${name}`]))
        .map((name) => `${owner} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  /** Folders in which the dependencies of a package may lie, from its own up to the root. */
  function foldersAbove(owner: string): string[] {
    const parts = owner.split('/');
    return parts.map((_, k) => `${parts.slice(0, parts.length - k).join('/')}/`).concat('');
  }
});
