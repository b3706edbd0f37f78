export { createView, type View, type ViewKind, type ViewOptions, viewKind } from './view/view.ts';
