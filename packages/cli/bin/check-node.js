// npm runs this before it installs the package, and shows what it prints only if it fails. In the repository, which brings its
// own Node, it lets any pass.
import { oldNode } from './node-version.js';

const why = oldNode();
if (why !== undefined && /[/\\]node_modules[/\\]/.test(import.meta.url)) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
