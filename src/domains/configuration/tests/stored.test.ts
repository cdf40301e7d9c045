import { expect, it } from 'vitest'
import { CONGRESS } from '../../../../test/support/congress.ts'
import { toCanonicalJson, hashCanonicalJson } from '../../../kernel/canonical.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { canonicalizeInParts } from '../stored.ts'

const hashOf = (document: ConfigDocument) => runTaskSynchronously(canonicalizeInParts(document)).sha256

it('canonicalizeInParts returns the same hash regardless of key order and repeated calls', () => {
  const reversed = Object.fromEntries(Object.entries(CONGRESS).reverse()) as typeof CONGRESS
  const edited = { ...CONGRESS, details: { ...CONGRESS.details, summary: 'Another' } }
  for (const document of [CONGRESS, reversed, edited, { details: CONGRESS.details, tags: undefined }, CONGRESS]) {
    expect(runTaskSynchronously(canonicalizeInParts(document)).text).toBe(toCanonicalJson(document))
    expect(hashOf(document)).toBe(hashCanonicalJson(document).toString('hex'))
  }
  expect(hashOf(reversed)).toBe(hashOf(CONGRESS))
  expect(hashOf(edited)).not.toBe(hashOf(CONGRESS))
})
