import { homedir } from 'node:os';
import { join } from 'node:path';
import { holdfast } from '@holdfast/integrations/opencode';
import { sqlite } from '@holdfast/sessions';

export const Holdfast = holdfast({
  recall: true, // lets the model read again what was folded
  store: sqlite(join(homedir(), '.holdfast', 'opencode.db')), // without it, conversations are kept in memory
});
