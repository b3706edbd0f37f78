import type { Remark } from '@holdfast/agent/transcripts';
import type { JobResult } from '../job.ts';
import type { Plan } from '../plan.ts';
import type { Report } from '../report.ts';

export function pageOf(report: Report, _jobs: readonly JobResult[], _remarks: readonly Remark[], _plan: Plan): string {
  return JSON.stringify(report);
}
