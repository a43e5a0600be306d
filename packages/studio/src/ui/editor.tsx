/** The scene as text: line numbers, colours, and what is wrong with it where it is wrong. */
import { useSignal } from '@preact/signals';
import type { Problem } from '@tendril-sim/io';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { checkText } from '../acting.ts';
import { change } from '../session.ts';
import * as state from '../state.ts';
import { remedyOf } from './problems.ts';

/** A pause in typing after which the text is read [ms]. */
const pause = 320;

export function Editor(): JSX.Element {
  const draft = useSignal(state.text.value);
  const problems = useSignal<readonly Problem[]>(state.problems.value);
  const area = useRef<HTMLTextAreaElement>(null);
  const back = useRef<HTMLPreElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const timer = useRef(0);
  const typed = useRef(false);

  // what others change in the scene shows here, unless it is what was typed
  useEffect(
    () =>
      state.text.subscribe((text) => {
        if (!typed.current || text !== draft.value) draft.value = text;
        typed.current = false;
      }),
    [draft],
  );
  useEffect(
    () =>
      state.problems.subscribe((found) => {
        problems.value = found;
      }),
    [problems],
  );

  const read = async (text: string): Promise<void> => {
    const found = await checkText(text);
    if (draft.value !== text) return;
    problems.value = found;
    if (found.length > 0) return;
    typed.current = true;
    void change(text, 'typing');
  };
  const type = (text: string): void => {
    draft.value = text;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void read(text), pause);
  };
  const scroll = (): void => {
    if (!area.current) return;
    if (back.current) {
      back.current.scrollTop = area.current.scrollTop;
      back.current.scrollLeft = area.current.scrollLeft;
    }
    if (gutter.current) gutter.current.scrollTop = area.current.scrollTop;
  };
  const key = (event: KeyboardEvent): void => {
    const element = area.current;
    if (!element || event.key !== 'Tab' || event.ctrlKey || event.altKey) return;
    if (element.dataset.leave === 'true') return;
    event.preventDefault();
    if (event.shiftKey) {
      const { selectionStart } = element;
      const line = element.value.lastIndexOf('\n', selectionStart - 1) + 1;
      if (element.value.slice(line, line + 2) === '  ') element.setRangeText('', line, line + 2, 'end');
      element.setSelectionRange(Math.max(line, selectionStart - 2), Math.max(line, selectionStart - 2));
    } else element.setRangeText('  ', element.selectionStart, element.selectionEnd, 'end');
    type(element.value);
  };
  const go = ({ line = 1, column = 1 }: Problem): void => {
    const element = area.current;
    if (!element) return;
    const lines = draft.value.split('\n');
    const offset = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    element.focus();
    element.setSelectionRange(
      offset,
      offset + Math.max(1, (/^[\w.-]+/.exec(draft.value.slice(offset))?.[0] ?? ' ').length),
    );
    element.scrollTop = Math.max(0, (line - 6) * 19);
    scroll();
  };
  const lines = draft.value.split('\n');
  const wrong = new Set(problems.value.map(({ line }) => line));
  return (
    <div class="editor">
      <div class="editor-box">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {lines.map((_, k) => (
            <span key={k} class={wrong.has(k + 1) ? 'wrong' : ''}>
              {k + 1}
            </span>
          ))}
        </div>
        <div class="editor-text">
          <pre ref={back} aria-hidden="true">
            {lines.map((line, k) => (
              <div key={k} class={wrong.has(k + 1) ? 'wrong' : ''}>
                {highlight(line)}
              </div>
            ))}
          </pre>
          <textarea
            ref={area}
            value={draft.value}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            wrap="off"
            aria-label="Scene as YAML. Escape, then Tab, leaves the text."
            aria-invalid={problems.value.length > 0}
            aria-describedby="scene-problems"
            onInput={(event) => type(event.currentTarget.value)}
            onScroll={scroll}
            onKeyDown={(event) => {
              if (event.key === 'Escape') event.currentTarget.dataset.leave = 'true';
              else if (event.key !== 'Tab') event.currentTarget.dataset.leave = 'false';
              key(event);
            }}
            onFocus={(event) => {
              event.currentTarget.dataset.leave = 'false';
            }}
          />
        </div>
      </div>
      <div id="scene-problems" class="problems" role="status">
        {problems.value.length === 0 ? (
          <p class="good small">The scene is sound.</p>
        ) : (
          <ul>
            {problems.value.slice(0, 12).map((problem) => {
              const remedy = remedyOf(problem, draft.value);
              return (
                <li key={`${problem.line} ${problem.column} ${problem.message}`}>
                  <button type="button" class="link" onClick={() => go(problem)}>
                    {problem.line !== undefined ? `${problem.line}:${problem.column}` : 'scene'}
                  </button>{' '}
                  {problem.path && <code>{problem.path}</code>} {problem.message}
                  {remedy && (
                    <button type="button" class="remedy" onClick={() => type(remedy.text)}>
                      {remedy.label}
                    </button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </div>
  );
}

/** Keys, numbers, words and comments of a line of YAML. */
function highlight(line: string): (JSX.Element | string)[] {
  const out: (JSX.Element | string)[] = [];
  const pattern =
    /(#.*$)|("(?:[^"\\]|\\.)*"|'[^']*')|([A-Za-z_][\w-]*)(?=\s*:)|([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(\s?(?:[a-zA-Zµ°]+(?:\/[\w^²³]+)?))?/g;
  let at = 0;
  for (const found of line.matchAll(pattern)) {
    if (found.index > at) out.push(line.slice(at, found.index));
    const kind = found[1] ? 'comment' : found[2] ? 'string' : found[3] ? 'name' : 'value';
    out.push(
      <span key={found.index} class={`y-${kind}`}>
        {found[0]}
      </span>,
    );
    at = found.index + found[0].length;
  }
  out.push(line.slice(at) || (line === '' ? '\u200b' : ''));
  return out;
}
