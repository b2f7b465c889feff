/** Builds the surface page: one file with its script inside, since its Content-Security-Policy lets it load none. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

const HERE = import.meta.dirname;

/** Adds `surface-frame.html` to a build. */
export function surfacePage(): Plugin {
  return {
    name: 'surface-page',
    apply: 'build',
    async generateBundle() {
      const template = await readFile(join(HERE, 'page.html'), 'utf8');
      const script = await bundleScript(join(HERE, 'outer.ts'), 'es');
      this.emitFile({ type: 'asset', fileName: 'surface-frame.html', source: template.replace('/* outer.ts */', () => insideElement(script)) });
    },
  };
}

/** `import source from './x.ts?script'`: the text of a module that was built for itself. */
const scriptImports: Plugin = {
  name: 'script-imports',
  enforce: 'pre',
  async load(id) {
    const [file, query] = id.split('?');
    if (file === undefined || query !== 'script') return null;
    return `export default ${JSON.stringify(insideElement(await bundleScript(file, 'iife')))};`;
  },
};

async function bundleScript(file: string, format: 'es' | 'iife'): Promise<string> {
  const output = await build({
    configFile: false,
    root: HERE,
    logLevel: 'warn',
    plugins: [scriptImports],
    build: {
      write: false,
      target: 'es2023',
      modulePreload: false,
      rolldownOptions: { input: file, output: { format, codeSplitting: false } },
    },
  });
  if (Array.isArray(output) || !('output' in output)) throw new Error(`${file} did not build into one script.`);
  return output.output[0].code;
}

/** A script that stands in an element must not end it. */
function insideElement(script: string): string {
  return script.replaceAll(/<(\/script|script|!--)/gi, String.raw`\x3c$1`);
}
