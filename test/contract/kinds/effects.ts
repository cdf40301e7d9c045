import { describe, expect, it } from 'vitest'
import { type Performed, problemsIn } from '../performed.ts'
import type { Kind } from './kind.ts'

const reads = ({ call }: Performed) => call.tool.effect === 'read'

export const effects: Kind = ({ performed }) => {
  describe('their effects', () => {
    it('are none where they read', async () => {
      expect(problemsIn(await performed(), (one) => (reads(one) ? one.effects : []))).toEqual([])
    })

    it('are there where they change, with one audit row of who did what where', async () => {
      expect(problemsIn(await performed(), (one) => (reads(one) ? [] : one.effects))).toEqual([])
    })

    it('are not kept by a dry run, which foretells exactly what the call then does', async () => {
      expect(problemsIn(await performed(), ({ dryRun }) => dryRun)).toEqual([])
    })

    it('happen once for one idempotency key', async () => {
      expect(problemsIn(await performed(), ({ key }) => key)).toEqual([])
    })

    it('leave the same state when repeated, where they are marked idempotent', async () => {
      expect(problemsIn(await performed(), ({ repeat }) => repeat)).toEqual([])
    })
  })
}
