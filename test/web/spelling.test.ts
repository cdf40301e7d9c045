import { describe, expect, it } from 'vitest'
import { listTexts } from '../../src/domains/configuration/texts.ts'
import { SUMMIT } from '../../src/demo/summit.ts'
import { CATALOGUES } from '../../src/kernel/language/translator.ts'

/** The American spelling of the programme of an event. These texts do not use the word for software. */
const AMERICAN_SPELLING = /\bprograms?\b/i

const findAmerican = (texts: readonly string[]) => texts.filter((text) => AMERICAN_SPELLING.test(text))

describe('English texts', () => {
  it('uses one spelling of “programme” in English texts', () => {
    const messages = Object.values(CATALOGUES.en).flatMap((message) => (typeof message === 'string' ? [message] : Object.values(message)))
    expect(findAmerican(messages)).toEqual([])
    const demo = [...listTexts(SUMMIT)].map(({ text }) => text)
    expect(demo.filter((text) => text.includes('programme')).length).toBeGreaterThan(1)
    expect(findAmerican(demo)).toEqual([])
  })

  it('control: reports the other spelling of “programme”', () => {
    expect(findAmerican(['Your programme', 'Your program.'])).toEqual(['Your program.'])
  })
})
