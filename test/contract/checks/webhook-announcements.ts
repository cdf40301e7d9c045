import { expect, it } from 'vitest'
import { prefixProblems } from '../example-runs.ts'
import type { ContractCheck } from './contract-check.ts'

export const checkWebhookAnnouncements: ContractCheck = ({ performed }) => {
  it('sends a webhook message for every record whose REST representation changes, with every changed field', async () => {
    expect(prefixProblems(await performed(), ({ unannounced: silences }) => silences)).toEqual([])
  })
}
