import { describe, expect, it } from 'vitest'
import { overExamples } from '../examples.ts'
import { problemsOfErrors, resultOfCall, resultOfDryRun } from '../output.ts'
import type { Kind } from './kind.ts'

export const output: Kind = ({ tools, newStage }) => {
  describe('their answers', () => {
    it('are what the output schema says, once as an object and once as the same text', async () => {
      const stage = await newStage()
      expect(await overExamples(stage, tools, resultOfCall)).toEqual([])
      const previewing = tools.filter(({ previews }) => previews)
      expect(await overExamples(stage, previewing, resultOfDryRun)).toEqual([])
    })

    it('are one text, a machine copy and no structured content, where they are errors', async () => {
      expect(await problemsOfErrors(await newStage(), tools)).toEqual([])
    })
  })
}
