/** Undo and redo of texts. Changes of the same kind in quick succession (a slider that moves) are one. */

export interface History {
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  push(text: string, kind: string, now: number): void;
  undo(): string | undefined;
  redo(): string | undefined;
  reset(text: string): void;
}

const depth = 300;
const together = 900;

export function createHistory(): History {
  let texts: string[] = [''];
  let at = 0;
  let lastKind = '';
  let lastTime = 0;
  return {
    get canUndo() {
      return at > 0;
    },
    get canRedo() {
      return at < texts.length - 1;
    },
    push(text, kind, now) {
      if (text === texts[at]) return;
      texts = texts.slice(0, at + 1);
      if (kind !== '' && kind === lastKind && now - lastTime < together && at > 0) texts[at] = text;
      else {
        texts.push(text);
        if (texts.length > depth) texts.shift();
      }
      at = texts.length - 1;
      lastKind = kind;
      lastTime = now;
    },
    undo() {
      if (at === 0) return undefined;
      lastKind = '';
      return texts[--at];
    },
    redo() {
      if (at >= texts.length - 1) return undefined;
      lastKind = '';
      return texts[++at];
    },
    reset(text) {
      texts = [text];
      at = 0;
      lastKind = '';
    },
  };
}
