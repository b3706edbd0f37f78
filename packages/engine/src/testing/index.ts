export type { Broken, Fixture, FixtureCall, FixtureResult } from './fixture.ts';
export { checkDialect, type Finding, type RegisterTest, testDialect } from './test-dialect.ts';
