export { handleMcp } from './handle-mcp.ts';
export { serveStdio } from './serve-stdio.ts';
