import { describe, expect, it } from 'vitest'
import { findRefusalProblems } from '../output.ts'
import { prefixProblems } from '../example-runs.ts'
import type { ContractCheck } from './contract-check.ts'

export const checkOutput: ContractCheck = ({ tools, newStage, performed }) => {
  describe('format of tool answers', () => {
    it("returns results that match the tool's output schema, with the same content as object and as text", async () => {
      expect(prefixProblems(await performed(), ({ result }) => result)).toEqual([])
    })

    it('returns errors as one text with a machine-readable copy and no structured content', async () => {
      expect(await findRefusalProblems(await newStage(), tools)).toEqual([])
    })
  })
}
