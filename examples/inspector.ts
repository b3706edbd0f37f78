import { createServer, type Server } from 'node:http';
import { createInspector } from '@holdfast/inspector';
import { sqlite } from '@holdfast/sessions';

export async function serveInspector(path: string, token: string, port = 8080): Promise<Server> {
  const store = await sqlite(path, { read_only: true });
  const inspector = createInspector({ store, host: 'ui', version: '1.0.0', token });
  const server = createServer((request, response) => inspector.listener(request, response));
  return server.listen(port, '127.0.0.1');
}
