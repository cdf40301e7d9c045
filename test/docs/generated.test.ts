import { expect, it } from 'vitest'
import { differences } from '../../scripts/docs/generated.ts'

it('generated pages are what the code says now: `npm run docs` writes them', async () => {
  const { stale, orphans } = await differences()
  expect([...stale.keys(), ...orphans]).toEqual([])
})
