const EXIT =
  /\b(?:exit(?:ed)?(?:[ _]?(?:with|code|status))+|exit(?:ed)?(?=[:=])|return ?code)[^\w-]{1,4}(-?\d{1,3})\b/i;

/** The exit code that a command's output reports near its start or end. */
export function exitCode(output: string): number | undefined {
  const match = EXIT.exec(output.slice(0, 400)) ?? EXIT.exec(output.slice(-300));
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
