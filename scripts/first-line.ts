import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The first line that a program prints, whole, however it arrives. Rejects if the program ends without one. */
export function firstLine({ stdout }: Pick<ChildProcess, 'stdout'>): Promise<string> {
  if (!stdout) throw new Error('its output is not piped');
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error('the program ended before it printed a line')));
  });
}
