import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Tool } from '../../kernel/tool.ts'

/** Delay before the tool lists are serialized, in which the server starts and answers its first requests. */
const START_DELAY_MS = 2000

/**
 * Serializes all tools for `tools/list` in advance, one tool per event-loop turn. This takes a third of a second, which the first request
 * would otherwise wait for.
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
  // Stopping the server aborts the delays, so that their promises reject. That is not an error.
  void read().catch(() => {})
  return { stop: () => stopping.abort() }
}
