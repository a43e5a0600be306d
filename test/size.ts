/** Sizes of functions and files in the sources, which a reader pays for: `size.test.ts` lets them only fall. */
import ts from 'typescript';
import { read, walk } from './files.ts';

export interface LongFunction {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly lines: number;
  readonly parameters: number;
}

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  (ts.isFunctionDeclaration(node) ||
    ts.isArrowFunction(node) ||
    ts.isFunctionExpression(node) ||
    ts.isMethodDeclaration(node)) &&
  node.body !== undefined;

function nameOf(node: ts.FunctionLikeDeclaration): string {
  if (node.name) return node.name.getText();
  const { parent } = node;
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : '(unnamed)';
}

/** All functions of a file, those within others too. Comments before a function do not count, those in it do. */
export function listFunctions(file: string, text: string = read(file)): LongFunction[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: LongFunction[] = [];
  walk(source, (node) => {
    if (!isFunction(node)) return;
    const first = source.getLineAndCharacterOfPosition(node.getStart()).line;
    const last = source.getLineAndCharacterOfPosition(node.end).line;
    found.push({
      file,
      line: first + 1,
      name: nameOf(node),
      lines: last - first + 1,
      parameters: node.parameters.length,
    });
  });
  return found;
}
