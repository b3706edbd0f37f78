/** For the command line alone; may change with any version. */
export { boundConnections, endSoon, maxConnections } from './http/connections.ts';
