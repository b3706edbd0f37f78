// Not built, and plain: it must run on the old Node versions that it refuses.

/** What to say if this Node is too old; undefined if it is not. */
export function oldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 16)) return undefined;
  return [
    'holdfast: needs Node 22.16 or newer, but this is',
    `${process.versions.node} (${process.execPath}).`,
    'Get Node 24 from https://nodejs.org/en/download, or by:',
    '  nvm install 24',
    '  fnm install 24 && fnm use 24',
    '  brew install node',
    '  winget install OpenJS.NodeJS',
    'Then run `npm install -g @holdfast/cli` again.',
  ].join('\n');
}
