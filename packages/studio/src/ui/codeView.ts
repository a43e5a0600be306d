/** The text of the scene in CodeMirror: YAML with colours, words that the schema allows, and problems where they are. */
import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab, redoDepth, undo, undoDepth } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, HighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Problem } from '@tendril-sim/io';
import * as state from '../state.ts';
import { wordsAt } from './sceneWords.ts';
import type { SchemaNode } from './schemaForm.ts';
import { placeAt } from './yamlPlace.ts';

export interface CodeView {
  /** Writes what is different in another text of the same scene; undo brings back what was there. */
  write(text: string): void;
  /** Shows another scene. */
  open(text: string): void;
  mark(problems: readonly Problem[]): void;
  /** To the place of a problem. */
  go(problem: Problem): void;
  destroy(): void;
}

interface Handlers {
  /** The visitor has changed the text. */
  changed(text: string): void;
  /** Undo, where nothing was typed. */
  undoBefore(): void;
}

const colors = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], class: 'y-name' },
  { tag: [tags.content, tags.atom, tags.number], class: 'y-value' },
  { tag: [tags.string, tags.attributeValue], class: 'y-string' },
  { tag: tags.comment, class: 'y-comment' },
]);

function complete(context: CompletionContext): CompletionResult | null {
  const { doc } = context.state;
  const schema = state.schema.value as SchemaNode | undefined;
  const place = placeAt(doc.toString(), context.pos);
  if (!schema || !place) return null;
  // nothing opens by itself between words: only at a word, after the name of a field, or when it is asked for
  if (!context.explicit && place.kind === 'name' && place.from === context.pos) return null;
  const words = wordsAt(place, schema, state.loaded.value?.values);
  if (words.length === 0) return null;
  return {
    from: place.from,
    validFor: /^[\w.-]*$/,
    options: words.map(({ label, detail, info, text, kind }) => ({
      label,
      apply: text,
      type: kind === 'name' ? 'property' : 'constant',
      ...(detail && { detail }),
      ...(info && { info }),
    })),
  };
}

const placeOf = ({ line = 1, column = 1 }: Problem, view: EditorView): { from: number; to: number } => {
  const { doc } = view.state;
  const { from, to, text } = doc.line(Math.min(Math.max(1, line), doc.lines));
  const start = Math.min(from + column - 1, to);
  const word = /^[\w.-]+/.exec(text.slice(start - from))?.[0] ?? '';
  return { from: start, to: Math.min(to, start + Math.max(1, word.length)) };
};

const basics: Extension = [
  lineNumbers(),
  foldGutter(),
  lintGutter(),
  history(),
  drawSelection(),
  bracketMatching(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  indentUnit.of('  '),
  yaml(),
  syntaxHighlighting(colors),
  autocompletion({ override: [complete], icons: false }),
  EditorView.contentAttributes.of({
    'aria-label': 'Scene as YAML. Escape, then Tab, leaves the text.',
    'aria-describedby': 'scene-problems',
    // it has the focus by itself; axe does not know that of text that is edited
    tabindex: '0',
    spellcheck: 'false',
    autocapitalize: 'off',
  }),
];

const keys = (undoBefore: () => void): Extension =>
  keymap.of([
    { key: 'Tab', run: acceptCompletion },
    {
      key: 'Mod-z',
      run: (view) => {
        if (undoDepth(view.state) + redoDepth(view.state) > 0) return undo(view);
        undoBefore();
        return true;
      },
    },
    ...defaultKeymap,
    ...historyKeymap,
    indentWithTab,
  ]);

export function createCodeView(parent: HTMLElement, text: string, { changed, undoBefore }: Handlers): CodeView {
  let isWritten = false;
  const listener = EditorView.updateListener.of(({ docChanged, state: now }) => {
    if (docChanged && !isWritten) changed(now.doc.toString());
  });
  const extensions = [basics, keys(undoBefore), listener];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  return {
    write(next) {
      const before = view.state.doc.toString();
      if (next === before) return;
      let from = 0;
      while (from < before.length && before[from] === next[from]) from++;
      let same = 0;
      while (
        same < Math.min(before.length, next.length) - from &&
        before[before.length - 1 - same] === next[next.length - 1 - same]
      )
        same++;
      isWritten = true;
      view.dispatch({
        changes: { from, to: before.length - same, insert: next.slice(from, next.length - same) },
      });
      isWritten = false;
    },
    open: (next) => view.setState(EditorState.create({ doc: next, extensions })),
    mark(problems) {
      const found = problems.map((problem): Diagnostic => {
        const { path, message } = problem;
        return { ...placeOf(problem, view), severity: 'error', message: path ? `${path} ${message}` : message };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    go(problem) {
      const { from, to } = placeOf(problem, view);
      view.dispatch({
        selection: { anchor: from, head: to },
        effects: EditorView.scrollIntoView(from, { y: 'center' }),
      });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
