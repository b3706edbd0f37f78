import { completions } from '../commands.ts';
import { continued, type Draft, draftOf, EMPTY, edit, insertPaste, textOf } from './draft.ts';
import type { Stroke } from './keys.ts';
import { type History, type Walk, walked } from './prompt-history.ts';

/** The input line: a draft, earlier prompts and completion. Stateful. `models` complete `/model`. */
export function createPromptLine(history: History, models: readonly string[]) {
  let draft: Draft = EMPTY;
  let killed = '';
  let walk: Walk | undefined;
  let offered: readonly string[] = [];
  const set = (next: Draft) => {
    draft = next;
    walk = undefined;
  };

  function submitted(): string | undefined {
    const longer = continued(draft);
    if (longer) {
      set(longer);
      return undefined;
    }
    const text = textOf(draft);
    if (text.trim() === '') return undefined;
    set(EMPTY);
    history.add(text);
    return text;
  }

  function walkBy(step: -1 | 1): void {
    const next = walked(history.entries, walk, step, textOf(draft));
    if (!next) return;
    draft = draftOf(next.text);
    walk = next.walk;
  }

  function complete(): void {
    const text = textOf(draft);
    const found = draft.cursor === draft.atoms.length ? completions(text, models) : [];
    const [first = ''] = found;
    const common = found.reduce((start, one) => commonStart(start, one), first);
    if (common.length > text.length) set(draftOf(common));
    offered = found.length > 1 ? found : [];
  }

  return {
    get draft() {
      return draft;
    },
    /** The completions, if there are several. */
    get offered() {
      return offered;
    },
    get isEmpty() {
      return draft.atoms.length === 0;
    },
    /** Handles a stroke; returns the text to send on Enter. */
    take(stroke: Stroke): string | undefined {
      offered = [];
      if (stroke.type === 'enter') return submitted();
      if (stroke.type === 'tab') {
        complete();
        return undefined;
      }
      const edited = edit(draft, stroke, killed);
      if (edited) {
        const isMove = edited.draft.atoms === draft.atoms;
        draft = edited.draft;
        if (!isMove) walk = undefined;
        killed = edited.killed ?? killed;
      } else if (stroke.type === 'up') walkBy(-1);
      else if (stroke.type === 'down') walkBy(1);
      return undefined;
    },
    paste(text: string): void {
      set(insertPaste(draft, text));
    },
    /** Inserts a text before the draft. */
    fill(text: string): void {
      const own = textOf(draft);
      if (text.trim() === '') return;
      set(draftOf(own.trim() === '' ? text : `${text}\n${own}`));
    },
    /** Clears the draft; a yank restores it. */
    clear(): void {
      killed = textOf(draft) || killed;
      set(EMPTY);
    },
  };
}

function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a.slice(0, at);
}
