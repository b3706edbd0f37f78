import { render } from 'preact';
import type { ReportData } from '../src/report/types.ts';
import { Report } from './report/report.tsx';
import { App } from './shell/app.tsx';
import { startTheme } from './shell/theme.ts';

// The same program is the application and, where a page carries a report's data, that report.
startTheme();
const place = document.getElementById('app');
const data = document.getElementById('report-data')?.textContent;
if (place) render(data ? <Report data={JSON.parse(data) as ReportData} /> : <App />, place);
