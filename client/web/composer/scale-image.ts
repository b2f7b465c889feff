/** Makes a picture small enough to send. A photo of a phone's camera is larger than anybody looks at. */

/** Longest side of a sent picture, in pixels. */
const LONGEST_SIDE = 2_048;
/** Pictures below this many bytes go as they are: what is gained is not worth what is lost. */
const SMALL_ENOUGH = 1_048_576;
const QUALITIES = [0.85, 0.7, 0.5];

/** Formats that a canvas can draw and that lose nothing but detail: no animation, no vectors. */
const SCALABLE: readonly string[] = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/heic', 'image/bmp'];

/**
 * The picture, scaled down when it is large; the same file when it is small, is no picture, or cannot be drawn here.
 * The result can still be over the limit: whoever sends it checks.
 * @param limit in bytes
 */
export async function scaleImage(file: File, limit: number): Promise<File> {
  if (!SCALABLE.includes(file.type) || file.size <= Math.min(SMALL_ENOUGH, limit)) return file;
  const bitmap = await decode(file);
  if (bitmap === null) return file;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const context = canvas.getContext('2d');
  if (!context) return file;
  // JPEG has no transparency: what was clear becomes paper, not black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
    if (blob && blob.size <= limit) return blob.size < file.size ? new File([blob], jpegName(file.name), { type: 'image/jpeg' }) : file;
  }
  return file;
}

async function decode(file: File): Promise<ImageBitmap | null> {
  try {
    return await createImageBitmap(file);
  } catch {
    // A picture that this browser cannot read may still be one that the agent can.
    return null;
  }
}

function jpegName(name: string): string {
  return `${name.replace(/\.[^.]+$/, '')}.jpg`;
}
