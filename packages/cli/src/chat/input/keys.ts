import type { Key } from 'ink';

/** What a key means here, whatever it is called. */
export type Stroke =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type:
        | 'enter'
        | 'newline'
        | 'backspace'
        | 'delete'
        | 'left'
        | 'right'
        | 'up'
        | 'down'
        | 'home'
        | 'end'
        | 'word-left'
        | 'word-right'
        | 'kill-line'
        | 'kill-rest'
        | 'kill-word'
        | 'kill-word-right'
        | 'yank'
        | 'tab'
        | 'escape'
        | 'interrupt'
        | 'leave'
        | 'redraw';
    };

type Name = Exclude<Stroke['type'], 'text'>;

const CONTROLS: Readonly<Record<string, Name>> = {
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
  p: 'up',
  u: 'kill-line',
  w: 'kill-word',
  y: 'yank',
};
const METAS: Readonly<Record<string, Name>> = { b: 'word-left', f: 'word-right', d: 'kill-word-right' };

/** What ink tells of keys, as strokes. Characters that came at once are taken apart. Pure. */
export function strokesOf(input: string, key: Key): Stroke[] {
  if (key.eventType === 'release') return [];
  const named = nameOf(input, key);
  if (named !== undefined) return [{ type: named }];
  if (key.ctrl || key.meta) return [];
  return apart(input);
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
  if (key.ctrl) return CONTROLS[input];
  return key.meta ? METAS[input] : undefined;
}

/**
 * A line end behind everything is Enter. One in the middle came with more text at once: from a paste in a terminal that does
 * not say so, and nothing is sent that nobody has seen.
 */
function apart(input: string): Stroke[] {
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
      const name = code === 0x7f ? 'backspace' : CONTROLS[String.fromCharCode(code + 96)];
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
