/** Names that several files still share. To be emptied: take a name out when you have renamed or merged its types. */
const STILL_SHARED: readonly string[] = `
  Answer ApiProblem ApiRequest Call Caller Candidate Charge Choice Context Conversation Costs CrewEvent
  CrewRun CrewSession CrewSetup Fields Finding FoldMark FoldStack Found Gate GeminiRequest Given History
  Keep Label Lane Ledger Line Lookup Match McpTool Measure Measured Media Moment Named NextTurn Note
  NoteLine OpenCalls Original Outcome Outgoing Part Parts Plan Problem Program Reach Reader Reading Recall
  RecordedRequest Refusal RegisterTest Repeats Reply Report Role Route RunStatus SentRequest Sessions Shape
  Shown Signal Size Snapshot Span Spent Spoken Step Stop Summary Totals Values View Walk
`
  .trim()
  .split(/\s+/);

const EXPORTED = /^export (?:declare |abstract )*(?:class|interface|type|enum) (\w+)/gm;

/**
 * Types and classes that more than one file exports by the same name, unless `still` lists them; and listed names that are
 * shared no longer. One line each. Pure.
 */
export function sharedNames(
  files: readonly (readonly [path: string, source: string])[],
  still: readonly string[] = STILL_SHARED,
): string[] {
  const places = new Map<string, string[]>();
  for (const [path, source] of files) {
    if (!/^packages\/[^/]+\/(?:src|app)\//.test(path) || /\.test\.tsx?$/.test(path)) continue;
    for (const [, name = ''] of source.matchAll(EXPORTED)) places.set(name, [...(places.get(name) ?? []), path]);
  }
  const shared = [...places].filter(([, paths]) => paths.length > 1);
  const listed = new Set(still);
  return [
    ...shared
      .filter(([name]) => !listed.has(name))
      .map(([name, paths]) => `${name} is exported by ${paths.join(' and ')}: rename one, or share it`),
    ...still
      .filter((name) => (places.get(name)?.length ?? 0) < 2)
      .map((name) => `${name} is shared no longer: take it out of the list in scripts/shared-names.ts`),
  ];
}
