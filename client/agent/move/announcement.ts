/** What the old conversation says of the new one: a text with a link, in both languages of the app, so that one tap leads there. */

/** The text, in Markdown. `url` pairs one device within an hour. */
export function announcement(url: string): string {
  const { host, protocol } = new URL(url);
  const english = protocol === 'http:' ? ', and in the network of that machine alone' : '';
  const chinese = protocol === 'http:' ? '，手机要和那台电脑在同一个网络里' : '';
  return `**This conversation goes on at [${host}](${url})**

Open the link to pair this device there and go on. It works once, within an hour${english}.

打开上面的链接，在那里配对这台设备，接着聊。链接只能用一次，一小时内有效${chinese}。`;
}
