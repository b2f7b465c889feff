import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';

const ROOT = join(import.meta.dirname, '..');
const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') }) as {
  durable_objects: { bindings: { name: string; class_name: string }[] };
  migrations: { new_sqlite_classes?: string[] }[];
  [resources: string]: unknown;
};
const described = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { cloudflare: { bindings: Record<string, { description: string }> } }
).cloudflare.bindings;
const secrets = [...readFileSync(join(ROOT, '.dev.vars.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm)];
const objects = config.durable_objects.bindings.map(({ name }) => name);

describe('the deploy form', () => {
  it('asks for the one secret, and offers no value for it', () => {
    expect(secrets.map(([, name, value]) => [name, value])).toEqual([['LINEUP_OWNER_KEY', '']]);
  });

  it('describes every secret and every Durable Object, and nothing else', () => {
    expect(Object.keys(described).toSorted()).toEqual(['LINEUP_OWNER_KEY', ...objects].toSorted());
    for (const { description } of Object.values(described)) expect(description).not.toBe('');
  });

  it('makes every Durable Object with SQLite', () => {
    const classes = config.durable_objects.bindings.map(({ class_name }) => class_name);
    expect(config.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes ?? []).toSorted()).toEqual(classes.toSorted());
  });

  it('needs nothing that has to be made by hand', () => {
    for (const resource of ['kv_namespaces', 'r2_buckets', 'd1_databases', 'services']) expect(config[resource], resource).toEqual([]);
    expect(config['queues']).toEqual({ producers: [], consumers: [] });
  });
});
