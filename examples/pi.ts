import { homedir } from 'node:os';
import { join } from 'node:path';
import { holdfast } from '@holdfast/integrations/pi';
import { sqlite } from '@holdfast/sessions';

export default holdfast({
  recall: true, // lets the model read again what was folded
  store: sqlite(join(homedir(), '.holdfast', 'pi.db')), // without it, conversations are kept in memory
});
