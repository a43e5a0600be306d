/** The files of the repository as the tests see them: sources, pages, and what a source imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** Tests and scripts run in the root of the repository. */
export const root: string = process.cwd();

const skipped = new Set(['node_modules', 'dist', 'out', 'coverage', '.git', '.gpu']);

/** Paths below a folder, relative to the root, with `/`, sorted. */
export function filesBelow(folder: string, ending: RegExp): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (skipped.has(entry.name)) continue;
      const child = join(path, entry.name);
      if (entry.isDirectory()) walk(child);
      else if (ending.test(entry.name)) found.push(relative(root, child).replaceAll('\\', '/'));
    }
  };
  walk(join(root, folder));
  return found.sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What the packages and the cases are made of; tests are not among them. */
export function sources(): string[] {
  const isTest = /(^|\/)test\//;
  return [
    ...filesBelow('packages', /\.ts$/),
    ...filesBelow('cases', /\.ts$/),
    ...filesBelow('benchmarks', /\.ts$/),
  ].filter((path) => !isTest.test(path));
}

export function pages(): string[] {
  return filesBelow('.', /\.md$/);
}

export function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
}

export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

const knownImports = new Map<string, readonly string[]>();

/** Module names that a source imports or re-exports, dynamic imports included. */
export function importsOf(path: string): readonly string[] {
  const known = knownImports.get(path);
  if (known) return known;
  const names: string[] = [];
  knownImports.set(path, names);
  walk(parse(path), (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      names.push((node.moduleSpecifier as ts.StringLiteral).text);
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      names.push(node.arguments[0].getText().slice(1, -1));
    }
  });
  return names;
}

/** The file that a relative import means, relative to the root. */
export function resolveImport(from: string, name: string): string {
  return relative(root, resolve(root, dirname(from), name)).replaceAll('\\', '/');
}
