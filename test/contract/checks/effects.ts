import { describe, expect, it } from 'vitest'
import { type ExampleRun, prefixProblems } from '../example-runs.ts'
import type { ContractCheck } from './contract-check.ts'

const reads = ({ call }: ExampleRun) => call.tool.effect === 'read'

export const effects: ContractCheck = ({ performed }) => {
  describe('tool effects', () => {
    it('leave the database unchanged for read tools', async () => {
      expect(prefixProblems(await performed(), (one) => (reads(one) ? one.effects : []))).toEqual([])
    })

    it('change rows and write one audit row with actor and event for changing tools', async () => {
      expect(prefixProblems(await performed(), (one) => (reads(one) ? [] : one.effects))).toEqual([])
    })

    it('write nothing in a dry run, which predicts exactly the result of the call', async () => {
      expect(prefixProblems(await performed(), ({ dryRun }) => dryRun)).toEqual([])
    })

    it('happen once per idempotency key', async () => {
      expect(prefixProblems(await performed(), ({ key }) => key)).toEqual([])
    })

    it('leave the same state when a tool marked idempotent is repeated', async () => {
      expect(prefixProblems(await performed(), ({ repeat }) => repeat)).toEqual([])
    })
  })
}
