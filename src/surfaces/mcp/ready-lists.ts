import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Tool } from '../../kernel/tool.ts'

/** By then a start is over, and whoever waited for it has been answered. */
const AFTER_MS = 2000

/** What all tools show is read from their schemas in a third of a second: one tool a turn before anybody asks, and not at once for the first who does. */
export function readyLists(tools: readonly Tool[]): { stop: () => void } {
  const stopping = new AbortController()
  const { signal } = stopping
  async function read(): Promise<void> {
    await setTimeout(AFTER_MS, undefined, { signal, ref: false })
    for (const tool of tools) {
      void tool.wire
      await setImmediate(undefined, { signal, ref: false })
    }
  }
  // Stopped, it has nothing to tell.
  void read().catch(() => {})
  return { stop: () => stopping.abort() }
}
