/** What a camera sees, as a file that Chromium plays in its place: QR codes, one after the other, over and over. */
import { writeFile } from 'node:fs/promises';
import { encode } from 'uqr';

const WIDTH = 640;
const HEIGHT = 480;
/** Pictures of each code, at ten a second. */
const PICTURES = 12;
/** Paper and ink are not white and black in a picture that was taken. */
const PAPER = 214;
const INK = 38;
const TABLE = 120;

/** Writes a Y4M video that shows the codes of `texts`. @param inverted light on dark, as a dark terminal shows them */
export async function writeQrVideo(path: string, texts: readonly string[], inverted = false): Promise<void> {
  const colours = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  const pictures = texts.flatMap((text) => {
    const picture = [Buffer.from('FRAME\n'), drawn(text, inverted), colours];
    return Array.from({ length: PICTURES }, () => picture).flat();
  });
  await writeFile(path, Buffer.concat([Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`), ...pictures]));
}

/** The brightness of each pixel: a code on paper, on a table. */
function drawn(text: string, inverted: boolean): Buffer {
  const { data, size } = encode(text, { border: 4 });
  const module = Math.floor((HEIGHT * 0.7) / size);
  const [left, top] = [Math.floor((WIDTH - module * size) / 2), Math.floor((HEIGHT - module * size) / 2)];
  const bright = Buffer.alloc(WIDTH * HEIGHT, TABLE);
  data.forEach((row, y) =>
    row.forEach((dark, x) => {
      for (let line = 0; line < module; line++) {
        const start = (top + y * module + line) * WIDTH + left + x * module;
        bright.fill(dark === inverted ? PAPER : INK, start, start + module);
      }
    }),
  );
  return bright;
}
