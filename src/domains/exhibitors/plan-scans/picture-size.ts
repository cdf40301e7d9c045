/** Reads the size of a PNG or JPEG from its first bytes; null if they do not contain it. */
export function findPictureSize(head: Buffer): { width: number; height: number } | null {
  if (head.length >= 24 && head.toString('latin1', 1, 4) === 'PNG') return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  return head[0] === 0xff && head[1] === 0xd8 ? findJpegSize(head) : null
}

/** Markers of JPEG frames, which contain the size. C4, C8 and CC are other segments. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function findJpegSize(head: Buffer): { width: number; height: number } | null {
  for (let at = 2; at + 9 <= head.length && head[at] === 0xff;) {
    const marker = head[at + 1]!
    if (isFrame(marker)) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    at += 2 + head.readUInt16BE(at + 2)
  }
  return null
}
