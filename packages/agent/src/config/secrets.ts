import { maskSecrets } from 'holdfast';
import { KEY_VARIABLES } from '../providers/index.ts';

const WORDS = ['key', 'token', 'bearer', 'credential', 'credentials', 'authorization'];
const ENDINGS = ['apikey', 'secret', 'secretkey', 'privatekey', 'accesskey', 'password', 'authtoken', 'accesstoken'];

const NAMED_KEY = /(?:token|secret|key|passw(?:or)?d|pass|credentials?)$/i;

/** What to do with a key in a file. */
export const KEY_ADVICE = `keys belong in the environment (${KEY_VARIABLES.join(', ')}), or where \`holdfast setup\` saves them, never in a configuration: remove it, and replace the key if others have seen it`;

/** The same for a password that a variable may hold. Pure. */
export function variableAdvice(variable: string): string {
  return `a password belongs in the environment (${variable}), never in a file: remove it, and replace it if others have seen it`;
}

/** Whether a name suggests a key or a password. Pure. */
export function namesKey(name: string): boolean {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  return WORDS.includes(plain) || ENDINGS.some((ending) => plain.endsWith(ending));
}

/** Whether a value contains a key, a token or a password, at any depth. Pure. */
export function holdsKey(value: unknown, seen: Set<unknown> = new Set()): boolean {
  if (typeof value === 'string') return maskSecrets(value) !== value;
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  return Object.entries(value).some(
    ([name, one]) => holdsKey(one, seen) || (typeof one === 'string' && isKey(name, one)),
  );
}

/** A variable or a header named like a key whose value is not just a reference. */
function isKey(name: string, value: string): boolean {
  if (/^(?:proxy-)?authorization$/i.test(name)) return !value.includes('${');
  return NAMED_KEY.test(name) && maskSecrets(`${name}: ${value}`).includes('[masked]');
}
