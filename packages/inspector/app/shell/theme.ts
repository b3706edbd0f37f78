import { useSyncExternalStore } from './external-store.ts';

export type Theme = 'light' | 'dark';

const KEY = 'holdfast-theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const readers = new Set<() => void>();

/** The current theme: the reader's choice, else the system's. */
function theme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

/** Applies the stored or system theme, and follows the system until the reader chooses. */
export function startTheme(): void {
  apply();
  system.addEventListener('change', apply);
}

/** Switches between light and dark, and remembers it if the browser allows. */
export function switchTheme(): void {
  const next = theme() === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A page from a file, or a browser without storage: the choice lasts as long as the page.
  }
  set(next);
}

/** Rerenders when the theme changes. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, theme);
}

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

function apply(): void {
  set(stored() ?? (system.matches ? 'dark' : 'light'));
}

function stored(): Theme | undefined {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'dark' || kept === 'light' ? kept : undefined;
  } catch {
    return undefined;
  }
}

function set(next: Theme): void {
  document.documentElement.dataset.theme = next;
  for (const reader of readers) reader();
}
