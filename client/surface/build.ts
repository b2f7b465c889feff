/** Builds the surface page: one file with its script inside, since its Content-Security-Policy lets it load none. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';

const HERE = import.meta.dirname;

/** Adds `surface-frame.txt` to a build: text, so that no file server shows it without the headers that the relay gives it. */
export function surfacePage(): Plugin {
  return {
    name: 'surface-page',
    apply: 'build',
    async generateBundle() {
      const template = await readFile(join(HERE, 'page.html'), 'utf8');
      const script = await bundleScript(join(HERE, 'outer.ts'), 'es');
      this.emitFile({ type: 'asset', fileName: 'surface-frame.txt', source: template.replace('/* outer.ts */', () => insideElement(script)) });
    },
  };
}

/** `import bridge from 'virtual:surface-bridge'`: the bridge as the text of a script, built for itself. */
const bridgeAsText: Plugin = {
  name: 'bridge-as-text',
  resolveId: (id) => (id === 'virtual:surface-bridge' ? '\0virtual:surface-bridge' : null),
  async load(id) {
    if (id !== '\0virtual:surface-bridge') return null;
    return `export default ${JSON.stringify(insideElement(await bundleScript(join(HERE, 'bridge.ts'), 'iife')))};`;
  },
};

async function bundleScript(file: string, format: 'es' | 'iife'): Promise<string> {
  const output = await build({
    configFile: false,
    root: HERE,
    logLevel: 'warn',
    plugins: [bridgeAsText],
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
