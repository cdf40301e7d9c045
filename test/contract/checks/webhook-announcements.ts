import { expect, it } from 'vitest'
import { prefixProblems } from '../example-runs.ts'
import type { ContractCheck } from './contract-check.ts'

export const webhookAnnouncements: ContractCheck = ({ performed }) => {
  it('announce by webhook every record whose REST representation changes, and every changed field', async () => {
    expect(prefixProblems(await performed(), ({ unannounced: silences }) => silences)).toEqual([])
  })
}
