import { isPath } from './file-use.ts';

/** How tools name the file or page that a result shows, at its start or end. */
const SHOWN = [
  /^\s*<path>([^<\n]{1,400})<\/path>\s*<type>file/,
  /(?:^|\n)\[File: (\S{1,400}) \(\d+ lines total\)\]/,
  /(?:^|\n)(?:Call id: \S+\s+Observation:\s+)?(?:URL|Address|- Page URL|Page URL): (https?:\/\/\S{1,1000})/,
  /result of running `cat -n` on (?:a snippet of )?(\S{1,400}?):?\s/,
  /\n\(Open file: (?!n\/a\))(\S{1,400})\)/,
];

/** The file or page that a result says it shows; undefined if it does not say it in a known form. Pure. */
export function resultFile(output: string): string | undefined {
  const ends = output.length > 1_200 ? `${output.slice(0, 1_000)}\n${output.slice(-200)}` : output;
  for (const shown of SHOWN) {
    const [, file] = shown.exec(ends) ?? [];
    if (file !== undefined && (isPath(file) || /^https?:/.test(file))) return file;
  }
  return undefined;
}
