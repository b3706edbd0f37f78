import { HoldfastError } from 'holdfast';
import type { Vendor } from '../http/api-error.ts';

/** Where requests for one vendor's API go. */
export interface Upstream {
  readonly vendor: Vendor;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path before the path of each request, without a slash at its end. */
  readonly base: string;
}

/** The addresses of upstream APIs, from the caller; the vendors' own by default. */
export interface UpstreamAddresses {
  readonly anthropic?: string | URL;
  readonly openai?: string | URL;
  readonly gemini?: string | URL;
}

const PUBLIC: Readonly<Record<Vendor, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
};

/** Reads the addresses. Throws BAD_CONFIG for one that is not a plain http or https URL. */
export function readUpstreams(given: UpstreamAddresses = {}): Readonly<Record<Vendor, Upstream>> {
  return {
    anthropic: read('anthropic', given.anthropic),
    openai: read('openai', given.openai),
    gemini: read('gemini', given.gemini),
  };
}

function read(vendor: Vendor, given: string | URL = PUBLIC[vendor]): Upstream {
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  // The address itself may hold a password, so the error does not repeat it.
  if (!isPlain)
    throw new HoldfastError(
      'BAD_CONFIG',
      `invalid upstream for ${vendor}: expected a URL such as ${PUBLIC[vendor]}, without user name, query and fragment`,
    );
  return { vendor, origin: url.origin, base: url.pathname.replace(/\/+$/, '') };
}

/**
 * The path to ask upstream for. A base that ends in the version the path starts with repeats nothing. Base URLs of OpenAI's
 * clients include their version, whatever it is called (`/v4`, `/openai`): it takes the place of the path's. Pure.
 */
export function upstreamPath({ vendor, base }: Upstream, path: string): string {
  const [version = ''] = /^\/v1(?:beta)?(?=[/?]|$)/.exec(path) ?? [];
  const isInBase = base.endsWith(version) || (vendor === 'openai' && base !== '');
  return base + (isInBase ? path.slice(version.length) : path);
}
