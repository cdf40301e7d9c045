import { describe, expect, it } from 'vitest'
import { type ExampleRun, prefixProblems } from '../example-runs.ts'
import type { ContractCheck } from './contract-check.ts'

const reads = ({ call }: ExampleRun) => call.tool.readsOnly(call.args)

export const checkEffects: ContractCheck = ({ performed }) => {
  describe('effects of tool calls', () => {
    it('leaves the database unchanged for tools marked read-only', async () => {
      expect(prefixProblems(await performed(), (one) => (reads(one) ? one.effects : []))).toEqual([])
    })

    it('writes one audit row with actor and event for each tool that changes rows', async () => {
      expect(prefixProblems(await performed(), (one) => (reads(one) ? [] : one.effects))).toEqual([])
    })

    it('writes nothing in a dry run, which predicts exactly the result of the real call', async () => {
      expect(prefixProblems(await performed(), ({ dryRun }) => dryRun)).toEqual([])
    })

    it('changes data once for repeated calls with the same idempotency key', async () => {
      expect(prefixProblems(await performed(), ({ key }) => key)).toEqual([])
    })

    it('leaves the same data when a call of a tool marked idempotent is repeated', async () => {
      expect(prefixProblems(await performed(), ({ repeat }) => repeat)).toEqual([])
    })
  })
}
