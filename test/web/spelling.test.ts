import { globSync, readFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { listTexts } from '../../src/domains/configuration/texts.ts'
import { SUMMIT } from '../../src/demo/summit.ts'
import { CATALOGUES } from '../../src/kernel/language/translator.ts'

/** The American spelling of the programme of an event. These texts do not use the word for software. */
const AMERICAN_SPELLING = /\bprograms?\b/i
/** The same in texts that also write about software, which is spelled so in British English too. */
const AMERICAN_EVENT = /(?<!\b(?:any|another|spreadsheet) )\bprogram\b/i

const findAmerican = (texts: readonly string[], spelling = AMERICAN_SPELLING) => texts.filter((text) => spelling.test(text))

/** The texts of a source: strings, templates and JSX, without imports, codes and addresses. */
function listSourceTexts(name: string, code: string): string[] {
  const texts: string[] = []
  const imports = new Set<number>()
  const add = (start: number, text: string) => {
    if (!imports.has(start) && /[A-Z\s]/.test(text.trim())) texts.push(text.trim())
  }
  new Visitor({
    ImportDeclaration: ({ source }) => void imports.add(source.start),
    Literal: ({ start, value }) => {
      if (typeof value === 'string') add(start, value)
    },
    JSXText: ({ start, value }) => add(start, value),
    TemplateElement: ({ start, value }) => add(start, value.cooked ?? value.raw),
  }).visit(parseSync(name, code).program)
  return texts
}

describe('English texts', () => {
  it('uses one spelling of “programme” in English texts', () => {
    const messages = Object.values(CATALOGUES.en).flatMap((message) => (typeof message === 'string' ? [message] : Object.values(message)))
    expect(findAmerican(messages)).toEqual([])
    const demo = [...listTexts(SUMMIT)].map(({ text }) => text)
    expect(demo.filter((text) => text.includes('programme')).length).toBeGreaterThan(1)
    expect(findAmerican(demo)).toEqual([])
  })

  it('uses the same spelling in all texts of the sources', () => {
    const found = globSync('src/**/*.{ts,tsx}', { exclude: ['src/**/tests/**'] }).flatMap((name) => {
      const code = readFileSync(name, 'utf8')
      return AMERICAN_EVENT.test(code) ? findAmerican(listSourceTexts(name, code), AMERICAN_EVENT).map((text) => `${name}: ${text}`) : []
    })
    expect(found).toEqual([])
  })

  it('control: reports the other spelling of “programme”', () => {
    expect(findAmerican(['Your programme', 'Your program.'])).toEqual(['Your program.'])
    const code = `import '../program.ts'
      // Our program
      const program = { code: 'program', title: 'Program', text: 'Any program', page: '/program?day=1' }
      export const Page = () => <p>The program</p>, title = \`Program of \${program.title}\``
    expect(findAmerican(listSourceTexts('page.tsx', code), AMERICAN_EVENT)).toEqual(['Program', 'The program', 'Program of'])
  })
})
