import { describe, expect, it } from 'vitest'
import { stemEnglish } from '../text/english-stems.ts'
import { stemGerman } from '../text/german-stems.ts'
import { termsOf } from '../text/tokens.ts'
import { corpusOf, countTerms, sharedTerms, textLikeness, vectorOf } from '../vectors.ts'

const pairs = (list: string) =>
  list
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('>') as [string, string])

describe('stems', () => {
  it.each(
    pairs(`consigned>consign consistency>consist consolation>consol conspiracies>conspiraci knightly>knight kneeling>kneel generously>generous
      communities>communiti sponsored>sponsor networking>network relational>relat hopping>hop hoping>hope added>add eggs>egg skies>sky dying>die
      news>news proceedings>proceed outing>outing organizer>organ sensibilities>sensibl technology>technolog sayings>say by>by cries>cri ties>tie
      gas>gas gaps>gap kiwis>kiwi falling>fall enjoyed>enjoy youth>youth skill>skill agreed>agre electricity>electr effectiveness>effect`),
  )('English: %s is %s', (word, stem) => expect(stemEnglish(word)).toBe(stem))

  it.each(
    pairs(`aufeinander>aufeinand kategorien>kategori häuser>haus häusern>haus straße>strass entwicklungen>entwickl freundlichkeit>freundlich
      möglichkeiten>moglich beständigkeit>bestand neuesten>neu ergebnisse>ergebnis abenteuerlich>abenteu bauen>bau technischen>technisch
      tag>tag ärzte>arzt hoch>hoch gesundheiten>gesund langsamsten>langsam ewigkeit>ewig`),
  )('German: %s is %s', (word, stem) => expect(stemGerman(word)).toBe(stem))
})

describe('terms', () => {
  it('are folded, without the words that say nothing, cut to their stems', () => {
    expect(termsOf('The ROBOTS of Ｒobotics, and the robot’s 3D-printing!', 'en')).toEqual(['robot', 'robot', 'robot', '3d', 'print'])
    expect(termsOf('Die Straße der Ärzte und STRASSEN', 'de-AT')).toEqual(['strass', 'arzt', 'strass'])
  })

  it('stay whole in languages whose stems are not known', () => {
    expect(termsOf('Les robots et la robotique', 'fr')).toEqual(['les', 'robots', 'et', 'la', 'robotique'])
  })

  it('of scripts without blanks are two signs each, a lone sign one', () => {
    expect(termsOf('人工知能 and ロボット 茶', 'ja')).toEqual(['人工', '工知', '知能', 'and', 'ロボ', 'ボッ', 'ット', '茶'])
    expect(termsOf('AI技術', 'zh-Hant')).toEqual(['ai', '技術'])
    expect(termsOf('인공지능', 'ko')).toEqual(['인공', '공지', '지능'])
  })

  it('of nothing are none', () => expect(termsOf(' — … !', 'en')).toEqual([]))
})

describe('likeness of texts', () => {
  const texts = ['robots and energy', 'robots in hospitals', 'wine and cheese'].map((text) => countTerms(termsOf(text, 'en')))
  const corpus = corpusOf(texts)
  const [first, second, third] = texts.map((terms) => vectorOf(terms, corpus))

  it('is the cosine of what is often here and rare elsewhere', () => {
    // robot is in 2 of 3 texts, energy and hospital in 1: ln 2.5 and ln 4.
    const [common, rare] = [Math.log(2.5), Math.log(4)]
    expect(textLikeness(first!, second!)).toBeCloseTo(common ** 2 / (common ** 2 + rare ** 2), 12)
    expect(textLikeness(first!, first!)).toBeCloseTo(1, 12)
    expect(textLikeness(first!, third!)).toBe(0)
    expect(textLikeness(first!, new Map())).toBe(0)
  })

  it('leaves out what no text of the corpus has', () => {
    expect([...vectorOf(countTerms(['robot', 'unheard']), corpus).keys()]).toEqual(['robot'])
  })

  it('names the shared terms, heaviest first', () => {
    const mine = vectorOf(countTerms(['robot', 'energi', 'energi']), corpus)
    expect(sharedTerms(mine, first!).map(({ term }) => term)).toEqual(['energi', 'robot'])
  })
})
