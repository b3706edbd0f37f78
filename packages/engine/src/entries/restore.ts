export { UNCALIBRATED } from '../size/tokens.ts';
export {
  type CarriedNote,
  type CarriedView,
  carriedNote,
  continueView,
  readCarriedNote,
} from '../state/carried-note.ts';
export { type BareState, restoreState, withoutNewest } from '../state/restore-state.ts';
