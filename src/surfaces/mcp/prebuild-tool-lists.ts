import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Tool } from '../../kernel/tool.ts'

/** The start is complete by then, and the first requests are served. */
const START_DELAY_MS = 2000

/**
 * Builds the wire form of all tools in advance, one tool per event-loop turn. It takes a third of a second, which the first request would
 * otherwise wait for.
 */
export function prebuildToolLists(tools: readonly Tool[]): { stop: () => void } {
  const stopping = new AbortController()
  const { signal } = stopping
  async function read(): Promise<void> {
    await setTimeout(START_DELAY_MS, undefined, { signal, ref: false })
    for (const tool of tools) {
      void tool.wire
      await setImmediate(undefined, { signal, ref: false })
    }
  }
  // Aborting is the only way in which it rejects.
  void read().catch(() => {})
  return { stop: () => stopping.abort() }
}
