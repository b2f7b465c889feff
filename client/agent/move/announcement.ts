/** What the old conversation says of the new one: a text with a link, in both languages of the app, so that one tap leads there. */

/** The text, in Markdown. `url` pairs one device within an hour. */
export function announcement(url: string): string {
  const { host, protocol } = new URL(url);
  const link = `[${host}](${url})`;
  // Direct mode is the one that plain http is spoken with.
  const english = protocol === 'http:' ? ', and only in the network of that machine' : '';
  const chinese = protocol === 'http:' ? '，手机要和那台机器在同一个网络里' : '';
  // In Chinese the emphasis ends before the comma: behind a full stop Markdown would not see its end.
  return `**This conversation goes on at ${link}.** Open the link to pair this device there. It works once, within an hour${english}.

**这段对话在 ${link} 继续**，打开链接，在那里配对这台设备。链接只能用一次，一小时内有效${chinese}。`;
}
