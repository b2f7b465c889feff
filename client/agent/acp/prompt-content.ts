/** A message of a device as a prompt: content blocks that this agent can take. */
import type { ContentBlock, PromptCapabilities } from '@agentclientprotocol/sdk';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isMessage, type Message } from '../../core/frames.ts';
import { makePrivateFolder } from '../private-file.ts';

/** A message that is a prompt. */
export type PromptMessage = Message<'text'> | Message<'image'> | Message<'file'>;

/** Where content comes from, and where it is put for an agent that takes it as a file. */
export interface ContentSource {
  download: (fileId: string) => Promise<Blob>;
  /** A folder of ours. */
  folder: string;
}

/** Images go along where the agent takes them; everything else becomes a file on this machine, and a link to it. */
export async function promptOf(message: PromptMessage, capabilities: PromptCapabilities, source: ContentSource): Promise<ContentBlock[]> {
  if (isMessage(message, 'text')) return [{ type: 'text', text: message.payload.content }];
  if (isMessage(message, 'image')) return imagePrompt(message, capabilities, source);
  const { file_id, name, mime_type } = message.payload;
  const content = await source.download(file_id);
  return [{ type: 'text', text: `I send you the file "${name}".` }, await asFile(content, { fileId: file_id, name, mimeType: mime_type }, source)];
}

async function imagePrompt({ payload }: Message<'image'>, { image }: PromptCapabilities, source: ContentSource): Promise<ContentBlock[]> {
  const { file_id: fileId, url, caption = '', alt = '' } = payload;
  const words: ContentBlock = { type: 'text', text: caption || 'I send you this image.' };
  if (fileId === undefined) return [words, { type: 'resource_link', name: alt || 'image', uri: url }];
  const content = await source.download(fileId);
  const mimeType = content.type || 'image/jpeg';
  if (image === true) return [words, { type: 'image', mimeType, data: Buffer.from(await content.arrayBuffer()).toString('base64') }];
  const name = `image.${/^image\/([a-z0-9]+)/.exec(mimeType)?.[1] ?? 'bin'}`;
  return [words, await asFile(content, { fileId, name, mimeType }, source)];
}

async function asFile(content: Blob, file: { fileId: string; name: string; mimeType: string }, { folder }: ContentSource): Promise<ContentBlock> {
  const place = join(folder, file.fileId);
  await makePrivateFolder(place);
  const path = join(place, safeName(file.name));
  await writeFile(path, new Uint8Array(await content.arrayBuffer()), { mode: 0o600 });
  return { type: 'resource_link', name: file.name, uri: pathToFileURL(path).href, mimeType: file.mimeType, size: content.size };
}

/** A name that stays in its folder, whatever the device called it. */
function safeName(name: string): string {
  const last = name
    .replace(/^.*[\\/]/s, '')
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '_');
  return last.slice(-100) || 'file';
}
