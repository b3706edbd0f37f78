import type { Key } from 'ink';

const CONTROLS = {
  a: 'home',
  b: 'left',
  c: 'interrupt',
  d: 'leave',
  e: 'end',
  f: 'right',
  h: 'backspace',
  i: 'tab',
  j: 'newline',
  k: 'kill-rest',
  l: 'redraw',
  m: 'enter',
  n: 'down',
  o: 'expand',
  p: 'up',
  u: 'kill-line',
  w: 'kill-word',
  y: 'yank',
} as const;
const METAS = { b: 'word-left', f: 'word-right', d: 'kill-word-right' } as const;

type Name = (typeof CONTROLS)[keyof typeof CONTROLS] | (typeof METAS)[keyof typeof METAS] | 'delete' | 'escape';

/** What a keypress means in the chat: an action, or text to insert. */
export type Stroke = { readonly type: 'text'; readonly text: string } | { readonly type: Name };

const nameIn = (names: Readonly<Record<string, Name>>, key: string): Name | undefined => names[key];

/** Translates a key event of ink; several characters in one event become several strokes. Pure. */
export function strokesOf(input: string, key: Key): Stroke[] {
  if (key.eventType === 'release') return [];
  const named = nameOf(input, key);
  if (named !== undefined) return [{ type: named }];
  if (key.ctrl || key.meta) return [];
  return splitInput(input);
}

function nameOf(input: string, key: Key): Name | undefined {
  const jumps = key.ctrl || key.meta;
  if (key.return) return key.meta || key.shift ? 'newline' : 'enter';
  if (key.leftArrow) return jumps ? 'word-left' : 'left';
  if (key.rightArrow) return jumps ? 'word-right' : 'right';
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.home) return 'home';
  if (key.end) return 'end';
  if (key.backspace) return key.meta || key.ctrl ? 'kill-word' : 'backspace';
  if (key.delete) return key.meta || key.ctrl ? 'kill-word-right' : 'delete';
  if (key.tab) return 'tab';
  if (key.escape) return 'escape';
  if (key.ctrl) return nameIn(CONTROLS, input);
  return key.meta ? nameIn(METAS, input) : undefined;
}

/**
 * A trailing line end is Enter. One in the middle is a line break: it comes from a paste in a terminal without bracketed
 * paste, and a prompt must not be sent before the user has seen it.
 */
function splitInput(input: string): Stroke[] {
  const strokes: Stroke[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') strokes.push({ type: 'text', text });
    text = '';
  };
  const plain = input.replace(/\r\n/g, '\r');
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at] ?? '';
    const code = plain.charCodeAt(at);
    const isLast = at === plain.length - 1;
    if (character === '\t' && !isLast) text += '  ';
    else if (code >= 0x20 && code !== 0x7f) text += character;
    else {
      const name = code === 0x7f ? 'backspace' : nameIn(CONTROLS, String.fromCharCode(code + 96));
      const isInner = name === 'enter' && !isLast;
      if (isInner) text = text.replace(/\\$/, '');
      flush();
      if (isInner) strokes.push({ type: 'newline' });
      else if (name !== undefined) strokes.push({ type: name });
    }
  }
  flush();
  return strokes;
}
