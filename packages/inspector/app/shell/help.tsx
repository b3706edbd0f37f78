import { useEffect, useRef } from 'preact/hooks';

const KEYS = [
  ['/', 'search'],
  ['j, k', 'next, previous session or message'],
  ['Enter', 'open'],
  ['←, →', 'previous, next call of a session'],
  ['Home, End', 'first, newest call'],
  ['u', 'up: from a fold to its session, from a session to the list'],
  ['t', 'light or dark'],
  ['Esc', 'leave a field, close a dialog'],
  ['?', 'this help'],
] as const;

/** The keys, in a dialog. */
export function Help({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="keys">
      <h2 id="keys">Keys</h2>
      <dl>
        {KEYS.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
