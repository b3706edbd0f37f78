import { useLayoutEffect, useRef } from 'preact/hooks';

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Single keys, while nobody types, chooses or has a dialog open. The newest component with a key gets it. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is painted: a key pressed as soon as it is there counts.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, defaultPrevented } = event;
      const action = latest.current[key];
      if (!action || defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('dialog[open]') || (isField(target) && key !== 'Escape')) return;
      event.preventDefault();
      action(event);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [role="slider"]');
}

/** Moves the focus among elements by a step, starting at the first. */
export function moveFocus(selector: string, by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
