/**
 * Mutants of a source: one operator, sign, factor or comparison changed. A mutant that no test notices shows what the tests do not check.
 */
import ts from 'typescript';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** Place in the text, and what stands there instead. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

const swaps: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
  [ts.SyntaxKind.LessThanToken, '>='],
  [ts.SyntaxKind.GreaterThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '>'],
  [ts.SyntaxKind.GreaterThanEqualsToken, '<'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
]);

/** A number in an index, a loop or the size of an array is an address, not physics: changing it breaks everything or nothing. */
function isAddress(node: ts.Node): boolean {
  for (let at: ts.Node | undefined = node; at; at = at.parent) {
    if (
      ts.isElementAccessExpression(at.parent ?? at) &&
      (at.parent as ts.ElementAccessExpression).argumentExpression === at
    )
      return true;
    if (ts.isNewExpression(at)) return true;
    if (ts.isForStatement(at.parent ?? at) && (at.parent as ts.ForStatement).statement !== at) return true;
    if (ts.isBlock(at) || ts.isSourceFile(at)) return false;
  }
  return false;
}

/** Names that become indices: const o = 3 * i. */
const isIndexName = (node: ts.Node): boolean => {
  let at: ts.Node | undefined = node;
  while (at && !ts.isVariableDeclaration(at) && !ts.isBlock(at)) at = at.parent;
  return at !== undefined && ts.isVariableDeclaration(at) && /^[a-z][0-9]?$/.test(at.name.getText());
};

export function findMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, after: string): void => {
    const start = node.getStart();
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, start, end: node.getEnd(), before: node.getText(), after });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
    if (ts.isBinaryExpression(node) && !isAddress(node) && !isIndexName(node)) {
      const after = swaps.get(node.operatorToken.kind);
      if (after !== undefined) add(node.operatorToken, after);
    }
    if (
      ts.isNumericLiteral(node) &&
      !isAddress(node) &&
      !isIndexName(node) &&
      /^(0\.5|2|3|4|6|8|12|0\.25)$/.test(node.text)
    )
      add(node, `(1.1 * ${node.text})`);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken && !isAddress(node)) {
      if (!ts.isNumericLiteral(node.operand)) add(node, node.operand.getText());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
