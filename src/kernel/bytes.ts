/** What a value takes when it is sent. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** As many of the first as may be shown and fit into the room, each with the sign that separates it from the next. */
export function firstThatFit<T>(all: readonly T[], { room, most }: { room: number; most: number }): { items: T[]; bytes: number } {
  const items: T[] = []
  let bytes = 0
  for (const item of all.slice(0, most)) {
    const own = bytesOf(item) + 1
    if (bytes + own > room) break
    bytes += own
    items.push(item)
  }
  return { items, bytes }
}
