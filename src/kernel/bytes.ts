export const jsonByteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * Takes items from the start of the list until `maxItems` items or `maxBytes` bytes of JSON are reached. Each item counts one byte for its
 * separator.
 */
export function takeWithinBytes<T>(
  all: readonly T[],
  { maxBytes, maxItems }: { maxBytes: number; maxItems: number },
): { items: T[]; bytes: number } {
  const items: T[] = []
  let bytes = 0
  for (const item of all.slice(0, maxItems)) {
    const own = jsonByteLength(item) + 1
    if (bytes + own > maxBytes) break
    bytes += own
    items.push(item)
  }
  return { items, bytes }
}
