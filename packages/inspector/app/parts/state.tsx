import type { ComponentChildren } from 'preact';
import { sentence } from './format.ts';
import { plain } from './plain.ts';

/** Says that something is on its way. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="state loading" role="status">
      Loading {what}…
    </p>
  );
}

/** Says that there is nothing, and what to do about it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Says what went wrong, with a way to try again. */
export function Problem({ error, retry }: { readonly error: string; readonly retry?: () => void }) {
  return (
    <div class="state problem" role="alert">
      <h2>That did not work</h2>
      <p>{plain(sentence(error))}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
