import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { problemsOfChange, problemsOfDryRun, problemsOfKey, problemsOfRead, problemsOfRepeat } from '../effects.ts'
import { type Call, overExamples } from '../examples.ts'
import type { Kind } from './kind.ts'

export const effects: Kind = ({ tools, newStage }) => {
  const over = async (which: (tool: Tool) => boolean, check: (call: Call) => Promise<string[]>) =>
    overExamples(await newStage(), tools.filter(which), check)

  describe('their effects', () => {
    it('are none where they read', async () => {
      expect(await over(({ effect }) => effect === 'read', problemsOfRead)).toEqual([])
    })

    it('are there where they change, with one audit row of who did what where', async () => {
      expect(await over(({ effect }) => effect !== 'read', problemsOfChange)).toEqual([])
    })

    it('are not kept by a dry run, which foretells exactly what the call then does', async () => {
      expect(await over(({ previews }) => previews, problemsOfDryRun)).toEqual([])
    })

    it('happen once for one idempotency key', async () => {
      expect(await over(({ input }) => 'idempotencyKey' in input.shape, problemsOfKey)).toEqual([])
    })

    it('leave the same state when repeated, where they are marked idempotent', async () => {
      expect(await over(({ effect, wire }) => effect !== 'read' && wire.annotations.idempotentHint, problemsOfRepeat)).toEqual([])
    })
  })
}
