import { expect, it } from 'vitest'
import { findOutdatedPages } from '../../scripts/docs/generated.ts'

it('keeps generated documentation in sync with the code (to update: npm run docs)', async () => {
  const { stale, orphans } = await findOutdatedPages()
  expect([...stale.keys(), ...orphans]).toEqual([])
})
