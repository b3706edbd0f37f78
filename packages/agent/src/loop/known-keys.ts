import { savedKeys } from '../config/credentials.ts';

/** The keys of every provider, by the usual names, and saved ones: a tool may show one that this provider does not use. */
export function knownKeys(): (string | undefined)[] {
  const names = Object.keys(process.env).filter((name) => /_(?:API_KEY|AUTH_TOKEN)$/.test(name));
  return [...names.map((name) => process.env[name]), ...savedKeys(process.env)];
}
