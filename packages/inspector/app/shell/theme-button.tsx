import { switchTheme, useTheme } from './theme.ts';

/** Switches between light and dark. */
export function ThemeButton() {
  const isDark = useTheme() === 'dark';
  return (
    <button type="button" onClick={switchTheme} aria-label={`Switch to the ${isDark ? 'light' : 'dark'} theme`}>
      {isDark ? '☀' : '☾'}
    </button>
  );
}
