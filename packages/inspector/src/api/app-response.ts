import { createHash } from 'node:crypto';
import { type AppFiles, appFiles, missingPage } from '../app-files.ts';
import { ApiProblem } from './problem.ts';

/** The files of the page, by name. */
const FILES: Readonly<Record<string, { readonly type: string; readonly of: keyof AppFiles }>> = {
  '': { type: 'text/html; charset=utf-8', of: 'html' },
  'app.js': { type: 'text/javascript; charset=utf-8', of: 'js' },
  'app.css': { type: 'text/css; charset=utf-8', of: 'css' },
};

const etags = new Map<string, string>();

function etagOf(text: string): string {
  const etag = etags.get(text) ?? `"${createHash('sha256').update(text).digest('base64url')}"`;
  etags.set(text, etag);
  return etag;
}

function builtFiles(): AppFiles {
  const missing = missingPage();
  if (missing !== undefined) throw new ApiProblem(503, missing);
  return appFiles();
}

/** Only what this server sends: no other site, no inline script, no frame. A page's own styles are set by its script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** A file of the page; undefined if there is none of this name. `''` is the page itself. Throws ApiProblem if it was not built. */
export function appResponse(name: string, known: string | null): Response | undefined {
  const file = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
  if (!file) return undefined;
  const text = builtFiles()[file.of];
  const headers = { etag: etagOf(text), 'cache-control': 'no-cache' };
  if (known === headers.etag) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, 'content-type': file.type } });
}
