/** The scene as text, and what is wrong with it. */
import { useSignal } from '@preact/signals';
import type { Problem } from '@tendril-sim/io';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { checkText } from '../acting.ts';
import { needSchema } from '../schema.ts';
import { change, undo } from '../session.ts';
import * as state from '../state.ts';
import { type CodeView, createCodeView } from './codeView.ts';
import { remedyOf } from './problems.ts';

const nameOfScene = (): string => `${state.caseId.value} ${state.sceneName.value}`;

/** A pause in typing after which the text is read [ms]. */
const pause = 320;

export function Editor(): JSX.Element {
  const draft = useSignal(state.text.value);
  const problems = useSignal<readonly Problem[]>(state.problems.value);
  const host = useRef<HTMLDivElement>(null);
  const code = useRef<CodeView | undefined>(undefined);
  const timer = useRef(0);

  const show = (found: readonly Problem[]): void => {
    problems.value = found;
    code.current?.mark(found);
  };
  const read = async (text: string): Promise<void> => {
    const found = await checkText(text);
    if (draft.value !== text) return;
    show(found);
    if (found.length === 0) void change(text, 'typing');
  };
  const type = (text: string): void => {
    draft.value = text;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => void read(text), pause);
  };

  useEffect(() => {
    if (!host.current) return undefined;
    // what completion offers
    void needSchema();
    code.current = createCodeView(host.current, draft.value, { changed: type, undoBefore: undo });
    let scene = nameOfScene();
    const stops = [
      // what others change in the scene shows here
      state.text.subscribe((text) => {
        const isOther = scene !== nameOfScene();
        scene = nameOfScene();
        if (text === draft.value) return;
        clearTimeout(timer.current);
        draft.value = text;
        if (isOther) code.current?.open(text);
        else code.current?.write(text);
      }),
      state.problems.subscribe(show),
    ];
    return () => {
      for (const stop of stops) stop();
      clearTimeout(timer.current);
      code.current?.destroy();
    };
  }, []);

  return (
    <div class="editor">
      <div class="editor-box" ref={host} />
      <div id="scene-problems" class="problems" role="status">
        {problems.value.length === 0 ? (
          <p class="good small">The scene is sound.</p>
        ) : (
          <ul>
            {problems.value.slice(0, 12).map((problem) => {
              const remedy = remedyOf(problem, draft.value);
              return (
                <li key={`${problem.line} ${problem.column} ${problem.message}`}>
                  <button type="button" class="link" onClick={() => code.current?.go(problem)}>
                    {problem.line !== undefined ? `${problem.line}:${problem.column}` : 'scene'}
                  </button>{' '}
                  {problem.path && <code>{problem.path}</code>} {problem.message}
                  {remedy && (
                    <button type="button" class="remedy" onClick={() => repair(remedy.text)}>
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

  function repair(text: string): void {
    code.current?.write(text);
    type(text);
  }
}
