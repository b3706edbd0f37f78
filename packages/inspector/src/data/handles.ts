import { messageHandle, type WindowState } from 'holdfast';

type Revisions = WindowState['revisions'];

/** The handle of a message, as the model knows it. Pure. */
export function handleAt(index: number, revisions: Revisions): string {
  return runHandle(index, index, revisions);
}

/** The handle of a run of messages: `m12-m40`. Pure. */
export function runHandle(from: number, to: number, revisions: Revisions): string {
  const [, revision, scope] = revisionAt(from, revisions);
  const first = messageHandle(from, revision);
  const name = from === to ? first : `${first}-${messageHandle(to, revisionAt(to, revisions)[1])}`;
  return scope === undefined ? name : `${name}@${scope}`;
}

function revisionAt(index: number, revisions: Revisions): Revisions[number] {
  return revisions.findLast(([from]) => from <= index) ?? [0, 0];
}
