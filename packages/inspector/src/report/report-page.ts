import { appFiles, hashSource } from '../app-files.ts';
import type { ReportData } from './types.ts';

/**
 * A report as one file that loads nothing. Its data is JSON in a script that browsers do not run; the application renders it as
 * text. Throws if the application was not built.
 */
export function reportPage(title: string, data: ReportData): string {
  const { js, css } = appFiles();
  const script = inside(js, 'script');
  const style = inside(css, 'style');
  const policy = `default-src 'none'; style-src ${hashSource(style)}; script-src ${hashSource(script)}; img-src data:; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escaped(title)} · Holdfast</title><style>${style}</style></head>
<body><div id="app"></div><noscript>This report needs JavaScript.</noscript>
<script type="application/json" id="report-data">${jsonText(data)}</script>
<script type="module">${script}</script></body></html>
`;
}

/** JSON that cannot end its script element or start a comment in it. */
function jsonText(data: ReportData): string {
  return JSON.stringify(data).replace(
    /[<\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Our own code; the check makes sure that it does not close its element early. */
function inside(text: string, element: 'script' | 'style'): string {
  if (new RegExp(`</${element}|<!--`, 'i').test(text)) throw new Error(`the built application contains </${element}`);
  return text;
}

function escaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
}
