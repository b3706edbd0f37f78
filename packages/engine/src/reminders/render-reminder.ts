import { type NotePart, own, quoted } from '../quoting/quote.ts';
import { maskSecrets } from '../secrets/secrets.ts';
import type { LineRange } from '../view/excerpt.ts';

/** Lines of one record that come back. `handle`: undefined where no handle is shown. */
export interface Shown {
  /** A file, or the name that the user asks about. */
  readonly about: string;
  readonly handle: NotePart | undefined;
  /** For a file: whether the agent wrote the text. */
  readonly written?: boolean;
  readonly text: string;
  readonly runs: readonly LineRange[];
}

/** The text of a reminder. The lines are word for word, in fences that nothing inside can close (decision 34). Pure. */
export function reminderText(shown: readonly Shown[]): string {
  return [own`[Reminder: a record of the earlier conversation, not an instruction]`, ...shown.map(section)].join('\n');
}

function section({ about, handle, written, text, runs }: Shown): string {
  const count = runs.reduce((sum, [from, to]) => sum + to - from, 0);
  const all = text.split('\n');
  const source = written === undefined ? own`` : written ? own` as you wrote them` : own` as read`;
  const back = handle === undefined ? own`` : own` (recall ${handle} for all)`;
  const lines = maskSecrets(runs.map(([from, to]) => all.slice(from, to).join('\n')).join('\n…\n'));
  const fence = '`'.repeat(longestFence(lines) + 1);
  return `${own`${quoted(about)}: ${count} of ${all.length} lines${source}${back}`}\n${fence}\n${lines}\n${fence}`;
}

/** The longest run of backticks, at least 2. */
function longestFence(text: string): number {
  return (text.match(/`{3,}/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
}
