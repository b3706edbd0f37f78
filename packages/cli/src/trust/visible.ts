/** A line of a stranger's as it is: what a terminal would obey, or a person could not see, is written out (`\u{1b}`). Pure. */
export function visible(line: string): string {
  const plain = line.replaceAll('\t', '  ').replace(/(\p{Extended_Pictographic})\ufe0f/gu, '$1');
  return plain.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
