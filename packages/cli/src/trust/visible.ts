/** Untrusted text for review: control, invisible and look-alike characters are spelled out (`\u{1b}`). Pure. */
export function visible(line: string): string {
  const plain = line.replaceAll('\t', '  ').replace(/(\p{Extended_Pictographic})\ufe0f/gu, '$1');
  return plain
    .replace(UNSEEN, escaped)
    .replace(/\w+:\/\/[^\s"'`<>]+/g, (address) => address.replace(/\P{ASCII}/gu, escaped))
    .replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => (/[a-z]/i.test(word) ? word.replace(FOREIGN, escaped) : word));
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\p{Default_Ignorable_Code_Point}\u{2800}]/gu;
/** Letters that can pass for Latin ones in a Latin word; scripts written without blanks between words cannot. */
const FOREIGN = /(?![\p{sc=Latin}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}])\p{L}/gu;

function escaped(one: string): string {
  return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
}
