import { expect, it } from 'vitest'
import { CONGRESS } from '../../../../test/support/congress.ts'
import { canonicalJson, digestOf } from '../../../kernel/canonical.ts'
import { atOnce } from '../../../kernel/turns.ts'
import type { ConfigDocument } from '../schema/event-config.ts'
import { canonicalInParts } from '../stored.ts'

const hashOf = (document: ConfigDocument) => atOnce(canonicalInParts(document)).sha256

it('a document has the hash of its canonical JSON, in whichever order it was written and however often it was asked for', () => {
  const reversed = Object.fromEntries(Object.entries(CONGRESS).reverse()) as typeof CONGRESS
  const edited = { ...CONGRESS, details: { ...CONGRESS.details, summary: 'Another' } }
  for (const document of [CONGRESS, reversed, edited, { details: CONGRESS.details, tags: undefined }, CONGRESS]) {
    expect(atOnce(canonicalInParts(document)).text).toBe(canonicalJson(document))
    expect(hashOf(document)).toBe(digestOf(document).toString('hex'))
  }
  expect(hashOf(reversed)).toBe(hashOf(CONGRESS))
  expect(hashOf(edited)).not.toBe(hashOf(CONGRESS))
})
