export { billingOf, type Combination, type JobResult, runJob, type Settings } from './job.ts';
export {
  type LeftOut,
  type ProbeShares,
  READ_PRICES,
  type Report,
  type ReportPlan,
  type ReportRow,
  reportOf,
} from './report.ts';
export type { CallTrace, FoldTrace } from './trace.ts';
