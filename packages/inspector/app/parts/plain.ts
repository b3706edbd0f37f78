// Characters that change the direction of text, and control characters other than tab and newline.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Foreign text, with characters replaced that could disguise other text. Pure. */
export function plain(text: string): string {
  return text.replace(REFUSED, '�');
}
