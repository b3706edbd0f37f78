export { reportPage } from './report-page.ts';
export type { ReportColumn, ReportData, ReportFold, ReportRowData, ReportRun, ReportTalk } from './types.ts';
