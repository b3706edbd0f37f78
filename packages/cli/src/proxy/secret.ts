import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';

const BYTES = 32;
const VARIABLE = 'HOLDFAST_PROXY_SECRET';

/**
 * The secret that turns API keys into names of their owners, so that a restarted proxy recognizes conversations without storing
 * keys. From a file that it creates, readable only by its owner; proxies that share a store share the variable. Throws WrongUse.
 */
export function proxySecret(context: Context): Uint8Array {
  const given = context.env[VARIABLE] ?? '';
  if (given !== '') {
    if (Buffer.byteLength(given) < BYTES)
      throw new WrongUse(`${VARIABLE} is too short: use at least ${BYTES} characters`);
    return Buffer.from(given);
  }
  const path = join(openHome(context), 'proxy-secret');
  try {
    // Another proxy may have created it.
    writeFileSync(path, randomBytes(BYTES), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new WrongUse(`cannot write ${path} (${code}): set HOLDFAST_HOME or ${VARIABLE}`, error);
  }
  const secret = readFileSync(path);
  if (secret.length < BYTES) throw new WrongUse(`${path} is damaged: delete it, and the proxy creates another`);
  return secret;
}
