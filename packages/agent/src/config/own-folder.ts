import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The folder for what runs leave behind: `HOLDFAST_HOME`, otherwise `~/.holdfast`. It need not exist. */
export function stateFolder(env: Env, cwd: string): string {
  const { HOLDFAST_HOME } = env;
  return HOLDFAST_HOME ? resolve(cwd, HOLDFAST_HOME) : join(env.HOME || homedir(), '.holdfast');
}

/**
 * The folder with the user's own configuration and what they trust. A relative `HOLDFAST_HOME` does not count here: in a cloned
 * repository it would name a folder of that repository.
 */
export function userFolder(env: Env): string {
  const { HOLDFAST_HOME = '' } = env;
  return isAbsolute(HOLDFAST_HOME) ? resolve(HOLDFAST_HOME) : join(env.HOME || homedir(), '.holdfast');
}

/** The user's own configuration, which is always trusted. */
export function userConfigFile(env: Env): string {
  return join(userFolder(env), 'config.yml');
}

/** Where it is written down what the user trusts. */
export function trustFile(env: Env): string {
  return join(userFolder(env), 'trust.json');
}
