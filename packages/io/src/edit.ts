/**
 * Edits the text of a scene; comments, order and units are preserved.
 */
import { Document, isMap, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import type { ScenePath } from './document.ts';
import type { SceneInput } from './schema.ts';

/** An edit of the text of a scene. */
export interface SceneEdit {
  /** The field. */
  readonly path: ScenePath;
  /** The value as it would be written in a file; undefined removes the field. */
  readonly value: unknown;
}

/** Maximum length of a line when a list or a group is written in one line. */
const lineWidth = 96;

/** The values as written: units not parsed, nothing checked. Undefined if the text is not YAML. */
export function sceneValues(text: string): unknown {
  const document = parseDocument(text, { merge: true });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch {
    return undefined;
  }
}

/** The text with the values at some paths replaced, added or removed. Text that is not YAML is returned unchanged. */
export function editSceneText(text: string, edits: readonly SceneEdit[]): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  for (const { path, value } of edits) {
    if (value === undefined) document.deleteIn(path);
    else setValue(document, path, value);
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** A number that replaces a number keeps its comment; everything else is rewritten. */
function setValue(document: Document, path: ScenePath, value: unknown): void {
  const present = document.getIn(path, true);
  if (isScalar(present) && (typeof value !== 'object' || value === null)) {
    present.value = value;
    // written as it is, not as the number before it was
    present.source = undefined;
    present.format = undefined;
    present.minFractionDigits = undefined;
    return;
  }
  const node = document.createNode(value);
  layOut(document, node);
  document.setIn(path, node);
}

/** A scene as readable YAML: short lists and groups in one line. */
export function formatScene(scene: SceneInput): string {
  // through JSON, so that fields which are undefined are absent
  const values = JSON.parse(JSON.stringify(scene)) as unknown;
  const document: Document = new Document(values);
  layOut(document, document.contents);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function layOut(document: Document, root: unknown): void {
  visit(root as Node, {
    Collection(_, node, path) {
      if (!isMap(node) && !isSeq(node)) return undefined;
      if (node === root && path.length === 0 && isMap(node) && document.contents === node) return undefined;
      const length = JSON.stringify(node.toJS(document)).length;
      const indent = 2 * path.length;
      if (length + indent <= lineWidth && !(isMap(node) && depthOf(node) > 3)) {
        node.flow = true;
        return visit.SKIP;
      }
      return undefined;
    },
  });
}

function depthOf(node: unknown): number {
  if (isMap(node)) return 1 + Math.max(0, ...node.items.map((pair) => depthOf(pair.value)));
  if (isSeq(node)) return 1 + Math.max(0, ...node.items.map(depthOf));
  return 0;
}
