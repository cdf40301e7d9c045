import { describe, expect, it } from 'vitest'
import type { Tool } from '../../../src/kernel/tool.ts'
import { problemsOfKey, problemsOfRepeat } from '../effects.ts'
import { type Call, overExamples } from '../examples.ts'
import { type Performed, problemsIn } from '../performed.ts'
import type { Kind } from './kind.ts'

export const effects: Kind = ({ tools, newStage, performed, rehearsed }) => {
  const over = async (which: (tool: Tool) => boolean, check: (call: Call) => Promise<string[]>) =>
    overExamples(await newStage(), tools.filter(which), check)

  const reads = ({ call }: Pick<Performed, 'call'>) => call.tool.effect === 'read'

  describe('their effects', () => {
    it('are none where they read', async () => {
      expect(problemsIn(await performed(), (one) => (reads(one) ? one.effects : []))).toEqual([])
    })

    it('are there where they change, with one audit row of who did what where', async () => {
      expect(problemsIn(await performed(), (one) => (reads(one) ? [] : one.effects))).toEqual([])
    })

    it('are not kept by a dry run, which foretells exactly what the call then does', async () => {
      expect(problemsIn(await rehearsed(), (one) => one.effects)).toEqual([])
    })

    it('happen once for one idempotency key', async () => {
      expect(await over(({ input }) => 'idempotencyKey' in input.shape, problemsOfKey)).toEqual([])
    })

    it('leave the same state when repeated, where they are marked idempotent', async () => {
      expect(await over(({ effect, wire }) => effect !== 'read' && wire.annotations.idempotentHint, problemsOfRepeat)).toEqual([])
    })
  })
}
