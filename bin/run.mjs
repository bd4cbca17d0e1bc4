// Runs a module on Node 24, or prints how to get it; npm puts the node of the devDependency first in PATH.
import { pathToFileURL } from 'node:url';

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `Mailwright needs Node 24 and this is ${process.version}: run "npm ci" (it brings Node 24 as a devDependency; ` +
      'install scripts must be allowed), or install Node 24.',
  );
  process.exit(1);
}
const [, , module] = process.argv;
process.argv.splice(1, 1);
await import(pathToFileURL(module).href);
