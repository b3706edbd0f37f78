import { HoldfastError } from 'holdfast';

/** Loads a package that only some users need. Throws BAD_CONFIG with the command that installs it. */
export async function importPeer<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    if (code !== 'ERR_MODULE_NOT_FOUND' || !String(message).includes(`'${name}'`)) throw error;
    throw new HoldfastError(
      'BAD_CONFIG',
      `${name} is not installed: run npm install ${name}`,
      { package: name },
      error,
    );
  }
}
