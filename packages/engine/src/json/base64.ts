/** The digits of base64, in order. */
export const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes as base64. In chunks of whole groups: appending single characters takes seconds for a large picture. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 6144) {
    const codes: number[] = [];
    const end = Math.min(bytes.length, from + 6144);
    for (let i = from; i < end; i += 3) {
      const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
      for (let shift = 18; shift >= 0; shift -= 6) codes.push(BASE64.charCodeAt((group >> shift) & 63));
    }
    text += String.fromCharCode(...codes);
  }
  const spare = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - spare) + '='.repeat(spare);
}
