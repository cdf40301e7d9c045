import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { listTranslatableTexts } from '../../src/domains/configuration/texts.ts'
import { DEMO_SUMMIT_CONFIG } from '../../src/demo/summit.ts'
import { MESSAGE_CATALOGUES } from '../../src/kernel/language/translator.ts'
import { stripComments } from '../architecture/templates.ts'

/** The American spelling of the programme of an event. These texts do not use the word for software. */
const AMERICAN_SPELLING = /\bprograms?\b/i
/** The same in texts that also write about software, which is spelled so in British English too. */
const AMERICAN_EVENT = /(?<!\b(?:any|another|spreadsheet) )\bprogram\b/i

const findAmerican = (texts: readonly string[], spelling = AMERICAN_SPELLING) => texts.filter((text) => spelling.test(text))

/** A string, a template, or text between two JSX tags or expressions. */
const TEXTS = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`|[>}]([^<>{}()[\]=;'"`]*)[<{]/g

/** The texts of a source, without comments, imports, codes and addresses. */
const listSourceTexts = (code: string): string[] =>
  [
    ...stripComments(code)
      .replaceAll(/^(import|export) .* from .*$/gm, '')
      .matchAll(TEXTS),
  ]
    .map((found) =>
      found
        .slice(1)
        .find((text) => text !== undefined)!
        .trim(),
    )
    .filter((text) => /[A-Z\s]/.test(text.replaceAll(/\$\{[^}]*\}/g, '')))

describe('spelling of English texts', () => {
  it('uses one spelling of “programme” in English texts', () => {
    const messages = Object.values(MESSAGE_CATALOGUES.en).flatMap((message) =>
      typeof message === 'string' ? [message] : Object.values(message),
    )
    expect(findAmerican(messages)).toEqual([])
    const demo = [...listTranslatableTexts(DEMO_SUMMIT_CONFIG)].map(({ text }) => text)
    expect(demo.filter((text) => text.includes('programme')).length).toBeGreaterThan(1)
    expect(findAmerican(demo)).toEqual([])
  })

  it('uses one spelling of “programme” in all texts of the source files', () => {
    const found = globSync('src/**/*.{ts,tsx}', { exclude: ['src/**/tests/**'] }).flatMap((name) => {
      const code = readFileSync(name, 'utf8')
      return AMERICAN_EVENT.test(code) ? findAmerican(listSourceTexts(code), AMERICAN_EVENT).map((text) => `${name}: ${text}`) : []
    })
    expect(found).toEqual([])
  })

  it('control: reports “program” as the American spelling of “programme”', () => {
    expect(findAmerican(['Your programme', 'Your program.'])).toEqual(['Your program.'])
    const code = `import { list } from '../program.ts'
      // Our program
      const program = { code: 'program', title: 'Program', text: 'Any program', page: '/program?day=1' }
      export const Page = () => <p>The program</p>, title = \`Program of \${program.title}\``
    expect(findAmerican(listSourceTexts(code), AMERICAN_EVENT)).toEqual(['Program', 'The program', 'Program of ${program.title}'])
  })
})
