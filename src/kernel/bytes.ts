/** Maximum size of a result if the call does not ask for more. A larger result would fill too much of an assistant's context. */
export const DEFAULT_MAX_RESULT_BYTES = 25_000
/** Maximum size of the lists in a result of `DEFAULT_MAX_RESULT_BYTES`, which leaves room for its other fields. */
export const DEFAULT_MAX_LIST_BYTES = DEFAULT_MAX_RESULT_BYTES - 5_000
/** Maximum size of the lists in a result if the call asks for more rows than the default, or for a single item with all its details. */
export const MAX_RESULT_LIST_BYTES = 72_000

export const jsonByteLength = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * Takes items from the start of the list until `maxItems` items or `maxBytes` bytes of JSON are reached. Each item counts one byte for its
 * separator.
 */
export function takeItemsWithinByteLimit<T>(
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
