/** Public symbols without a doc comment: what the API reference would show without a word. */
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../test/files.ts';

/** Sources of the entry points that the packages export. */
export const entryPoints: readonly string[] = [
  'packages/core/src/index.ts',
  'packages/core/src/world/create.ts',
  'packages/core/src/contact/index.ts',
  'packages/core/src/kernels/index.ts',
  'packages/core/src/batch/index.ts',
  'packages/io/src/index.ts',
  'packages/io/src/node.ts',
  'packages/bridge/src/three/index.ts',
  'packages/bridge/src/rapier/index.ts',
];

/** `file: name` of every exported symbol without a doc comment at any of its declarations. */
export function undocumented(): string[] {
  const program = ts.createProgram(
    entryPoints.map((path) => join(root, path)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      noLib: true,
      types: [],
    },
  );
  const checker = program.getTypeChecker();
  const found = new Set<string>();
  for (const path of entryPoints) {
    const source = program.getSourceFile(join(root, path));
    const module = source && checker.getSymbolAtLocation(source);
    for (const symbol of module ? checker.getExportsOfModule(module) : []) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const declarations = target.declarations ?? [];
      // symbols of other packages are counted there; a file exported as a namespace has a comment at its head
      const own = declarations.filter(
        (node) => !ts.isSourceFile(node) && node.getSourceFile().fileName.includes('/src/'),
      );
      if (own.length === 0 || target.getDocumentationComment(checker).length > 0) continue;
      found.add(`${own[0].getSourceFile().fileName.slice(root.length + 1)}: ${symbol.name}`);
    }
  }
  return [...found].sort();
}
