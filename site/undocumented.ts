/** Public symbols, methods and fields without a doc comment: what the API reference would show without a word. */
import { existsSync, readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { read, root } from '../test/files.ts';

interface Exports {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Folders of the packages that programs import, and where the sources of their `dist` are. */
const importable = [
  ['packages/core', 'src'],
  ['packages/io', 'src'],
  ['packages/bridge', 'src'],
  ['packages/sweep', 'src'],
  ['cases', '.'],
] as const;

/** Sources of the entry points that the packages export, from their manifests; `models/*` stands for every model. */
export const entryPoints: readonly string[] = importable.flatMap(([folder, sources]) => {
  const { exports } = JSON.parse(read(`${folder}/package.json`)) as Exports;
  const types = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : [target.types]));
  return types.flatMap((path) => {
    const source = posix.join(folder, path.replace('./dist', sources).replace(/\.d\.ts$/, '.ts'));
    const [before, after] = source.split('*');
    if (after === undefined) return [source];
    const found = readdirSync(join(root, before)).map((one) => `${before}${one}${after}`);
    return found.filter((one) => existsSync(join(root, one)));
  });
});

/** A field with one value, such as `type: 'circle'`, only tells the interface from others. */
const isTag = (member: ts.TypeElement): boolean =>
  ts.isPropertySignature(member) && member.type !== undefined && ts.isLiteralTypeNode(member.type);

/** Methods and fields of interfaces. Those of WebGPU are left out: its standard documents them. */
function membersOf(declarations: readonly ts.Declaration[]): ts.TypeElement[] {
  const own = declarations.filter((node) => !node.getSourceFile().fileName.endsWith('/webgpu.ts'));
  const members = own.filter(ts.isInterfaceDeclaration).flatMap((node) => [...node.members]);
  return members.filter((one) => (ts.isMethodSignature(one) || ts.isPropertySignature(one)) && !isTag(one));
}

/** `file: name` of every exported symbol, and of every method and field of an exported interface, without a doc comment. */
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
        (node) => !ts.isSourceFile(node) && /\/(src|cases)\//.test(node.getSourceFile().fileName),
      );
      if (own.length === 0) continue;
      const place = `${own[0].getSourceFile().fileName.slice(root.length + 1)}: ${symbol.name}`;
      if (target.getDocumentationComment(checker).length === 0) found.add(place);
      for (const member of membersOf(own))
        if (ts.getJSDocCommentsAndTags(member).length === 0) found.add(`${place}.${member.name?.getText()}`);
    }
  }
  return [...found].sort();
}
