import { describe, expect, it } from 'vitest'
import { problemsOfErrors } from '../output.ts'
import { problemsIn } from '../performed.ts'
import type { Kind } from './kind.ts'

export const output: Kind = ({ tools, newStage, performed }) => {
  describe('their answers', () => {
    it('are what the output schema says, once as an object and once as the same text', async () => {
      expect(problemsIn(await performed(), ({ result }) => result)).toEqual([])
    })

    it('are one text, a machine copy and no structured content, where they are errors', async () => {
      expect(await problemsOfErrors(await newStage(), tools)).toEqual([])
    })
  })
}
