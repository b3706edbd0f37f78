import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from './context.ts';
import { orWrongUse, WrongUse } from './failure.ts';
import { openHome } from './home.ts';

/** A secret of the user: the environment variable that sets it, or the file in the home folder that keeps it. */
interface Secret {
  readonly variable: string;
  readonly file: string;
  readonly leastBytes: number;
}

/**
 * The secret that turns API keys into names of their owners, so that a restarted proxy recognizes conversations without storing
 * keys. Proxies that share a store share the variable. Throws WrongUse.
 */
export function proxySecret(context: Context): Uint8Array {
  const secret = { variable: 'HOLDFAST_PROXY_SECRET', file: 'proxy-secret', leastBytes: 32 };
  return given(context, secret) ?? kept(context, secret, () => randomBytes(32));
}

const TOKEN = { variable: 'HOLDFAST_SERVE_TOKEN', file: 'serve-token', leastBytes: 16 };

/** The token that the user chose for `holdfast serve`, if any. Throws WrongUse. */
export function givenToken(context: Context): string | undefined {
  return given(context, TOKEN)?.toString();
}

/** The token of this user's servers (`serve`, `proxy`, `ui`). It survives restarts, unless the home folder is read-only. */
export function ownToken(context: Context): string {
  const create = () => randomBytes(24).toString('base64url');
  try {
    return kept(context, TOKEN, create).toString().trim();
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error;
    context.tell(`${error.message}; until then, the token changes with each start`);
    return create();
  }
}

function given({ env }: Context, { variable, leastBytes }: Secret): Buffer | undefined {
  const text = Buffer.from(env[variable] ?? '');
  if (text.length > 0 && text.length < leastBytes)
    throw new WrongUse(`${variable} is too short: use at least ${leastBytes} characters`);
  return text.length === 0 ? undefined : text;
}

function kept(context: Context, { variable, file, leastBytes }: Secret, create: () => string | Buffer): Buffer {
  const path = join(openHome(context), file);
  return orWrongUse(`keep ${path}`, `set HOLDFAST_HOME or ${variable}`, () => {
    if (!existsSync(path)) write(path, create());
    const secret = readFileSync(path);
    if (secret.length >= leastBytes) return secret;
    throw new WrongUse(`${path} is damaged: delete it to get a new one`);
  });
}

/** Another process may read the file as soon as it exists, so it appears complete; the first of two writers wins. */
function write(path: string, secret: string | Buffer): void {
  const draft = `${path}-${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, secret, { flag: 'wx', mode: 0o600 });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
