import { messageHandle, type WindowState } from 'holdfast';

type Eras = WindowState['eras'];

/** The handle of a message, as the model knows it. Pure. */
export function handleAt(index: number, eras: Eras): string {
  return runHandle(index, index, eras);
}

/** The handle of a run of messages: `m12-m40`. Pure. */
export function runHandle(from: number, to: number, eras: Eras): string {
  const [, revision, scope] = eraAt(from, eras);
  const first = messageHandle(from, revision);
  const name = from === to ? first : `${first}-${messageHandle(to, eraAt(to, eras)[1])}`;
  return scope === undefined ? name : `${name}@${scope}`;
}

function eraAt(index: number, eras: Eras): Eras[number] {
  return eras.findLast(([from]) => from <= index) ?? [0, 0];
}
