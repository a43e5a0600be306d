/** Which numbers of a function are integers: loop counters, and everything that indices are computed from. */
import ts from 'typescript';

/** Names of numbers from which indices are made, directly or through other names. */
export function findIntegers(
  body: ts.FunctionDeclaration,
  functions: ReadonlyMap<string, ts.FunctionDeclaration>,
): Set<string> {
  const integers = new Set<string>();
  const collect = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) integers.add(node.text);
    else ts.forEachChild(node, collect);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isElementAccessExpression(node)) collect(node.argumentExpression);
    if (ts.isForStatement(node) && node.initializer && ts.isVariableDeclarationList(node.initializer))
      for (const { name } of node.initializer.declarations) integers.add(name.getText());
    if (ts.isCallExpression(node)) {
      const called = functions.get(node.expression.getText());
      if (called && called !== body) {
        const inner = findIntegers(called, functions);
        called.parameters.forEach(({ name, type }, k) => {
          if (inner.has(name.getText()) && type?.getText() === 'number') collect(node.arguments[k]);
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(body);
  // an integer is made of integers
  for (let size = -1; size !== integers.size; ) {
    size = integers.size;
    const spread = (node: ts.Node): void => {
      if (ts.isVariableDeclaration(node) && node.initializer && integers.has(node.name.getText()))
        collect(node.initializer);
      ts.forEachChild(node, spread);
    };
    spread(body);
  }
  return integers;
}
