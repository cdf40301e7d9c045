import { describe, expect, it } from 'vitest'
import { chooseLanguage, textDirectionOf, readAcceptLanguage } from '../negotiation.ts'

describe('readAcceptLanguage', () => {
  it.each([
    ['de-CH, fr;q=0.9, en;q=0.8, *;q=0.5', ['de-CH', 'fr', 'en']],
    ['en;q=0.2, de;q=0.7, fr', ['fr', 'de', 'en']],
    ['da, en-GB;q=0.8, en;q=0.8', ['da', 'en-GB', 'en']],
    ['de;q=0, en', ['en']],
    ['de;q=0.000, fr;q=1.000', ['fr']],
    [' de ; q = 0.5 , en ', ['en', 'de']],
    ['de;q=2, en;q=-1, fr;q=0.1234, nl;q=x, sv', ['sv']],
    ['<script>, de_DE, toolongalanguage, es', ['es']],
    ['', []],
    [undefined, []],
  ])('reads the Accept-Language header %j as %j', (header, tags) => {
    expect(readAcceptLanguage(header)).toEqual(tags)
  })

  it('ignores everything after the maximum length of the Accept-Language header', () => {
    expect(readAcceptLanguage(Array.from({ length: 500 }, () => 'de').join(',')).length).toBe(30)
    expect(readAcceptLanguage(`${'x'.repeat(5000)},en`)).toEqual([])
  })
})

describe('chooseLanguage', () => {
  it.each([
    [['de'], ['en', 'de'], 'de'],
    [['DE-ch'], ['en', 'de'], 'de'],
    [['de-CH'], ['de', 'de-CH'], 'de-CH'],
    [['de-Latn-AT-1996'], ['de', 'de-Latn-AT'], 'de-Latn-AT'],
    [['pt'], ['en', 'pt-BR'], 'pt-BR'],
    [['en-GB'], ['en-US', 'de'], 'en-US'],
    [['xx', 'fr'], ['en', 'fr'], 'fr'],
    [['ja', '*'], ['en', 'de'], null],
    [['zh-TW'], ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
    [['zh-TW'], ['zh'], null],
    [['zh'], ['zh-Hant', 'zh-CN'], 'zh-CN'],
    [['sr-Latn'], ['sr'], null],
    [['de-u-nu-thai'], ['de'], 'de'],
    [['nl'], ['en', 'de'], null],
    [['', 'not a tag', 'x-own', '-', 'de'], ['de'], 'de'],
    [[], ['en'], null],
    [['de'], [], null],
  ])('chooses for a reader of %j among %j the language %j', (wanted, offered, chosen) => {
    expect(chooseLanguage(wanted, offered)).toBe(chosen)
  })
})

it('directionOf derives the text direction from the script, not from the language', () => {
  expect(['ar', 'he-IL', 'fa', 'ur', 'de', 'az', 'az-Arab', 'ku', 'nonsense tag'].map(textDirectionOf)).toEqual([
    'rtl',
    'rtl',
    'rtl',
    'rtl',
    'ltr',
    'ltr',
    'rtl',
    'ltr',
    'ltr',
  ])
})
