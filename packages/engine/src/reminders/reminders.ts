import { missingLines } from './missing-lines.ts';
import { reminderText } from './render-reminder.ts';

/** Folded lines that come back when the newest messages are about them. */
export const reminders = { missingLines, reminderText };
