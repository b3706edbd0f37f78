/** Signals by which agents hand over: `[ROUTE_CLERK]`, `[ASK NOW]`. They are for the crew, not for people. */
const MARKER = /[ \t]*\[(?:ROUTE_[A-Z0-9_]+|[A-Z]{2,}(?:[ _][A-Z0-9]{2,})+)\]/g;
/** The beginning of one, at the end of a text that still grows. */
const BEGUN = /[ \t]*\[[A-Z][A-Z0-9_ ]*$/;

/** A text of an agent without signals. Pure. */
export function withoutMarkers(text: string, isGrowing = false): string {
  const clean = text.replace(MARKER, '');
  return (isGrowing ? clean.replace(BEGUN, '') : clean).trim();
}
