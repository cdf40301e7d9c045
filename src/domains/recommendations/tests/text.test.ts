import { describe, expect, it } from 'vitest'
import { STEMMERS } from '../text/stems.ts'
import { listTerms } from '../text/tokens.ts'
import { buildCorpusTermStatistics, countTerms, listSharedTerms, computeTextSimilarity, toTfIdfVector } from '../vectors.ts'

const pairs = (list: string) =>
  list
    .trim()
    .split(/\s+/)
    .map((pair) => pair.split('>') as [string, string])

describe('stemmers', () => {
  it.each(
    pairs(`consigned>consign consistency>consist consolation>consol conspiracies>conspiraci knightly>knight kneeling>kneel generously>generous
      communities>communiti sponsored>sponsor networking>network relational>relat hopping>hop hoping>hope added>add eggs>egg skies>sky dying>die
      news>news proceedings>proceed outing>outing organizer>organ sensibilities>sensibl technology>technolog sayings>say by>by cries>cri ties>tie
      gas>gas gaps>gap kiwis>kiwi falling>fall enjoyed>enjoy youth>youth skill>skill agreed>agre electricity>electr effectiveness>effect`),
  )('stems the English word %s to %s', (word, stem) => expect(STEMMERS['en']!(word)).toBe(stem))

  it.each(
    pairs(`aufeinander>aufeinand kategorien>kategori häuser>haus häusern>haus straße>strass entwicklungen>entwickl freundlichkeit>freundlich
      möglichkeiten>moglich beständigkeit>bestand neuesten>neu ergebnisse>ergebnis abenteuerlich>abenteu bauen>bau technischen>technisch
      tag>tag ärzte>arzt hoch>hoch gesundheiten>gesund langsamsten>langsam ewigkeit>ewig`),
  )('stems the German word %s to %s', (word, stem) => expect(STEMMERS['de']!(word)).toBe(stem))
})

describe('listTerms', () => {
  it('case-folds the words of a text, removes stop words and stems the other words', () => {
    expect(listTerms('The ROBOTS of Ｒobotics, and the robot’s 3D-printing!', 'en')).toEqual(['robot', 'robot', 'robot', '3d', 'print'])
    expect(listTerms('Die Straße der Ärzte und STRASSEN', 'de-AT')).toEqual(['strass', 'arzt', 'strass'])
  })

  it('keeps words whole in languages without a stemmer', () => {
    expect(listTerms('Les robots et la robotique', 'fr')).toEqual(['les', 'robots', 'et', 'la', 'robotique'])
  })

  it('splits text in scripts without spaces into character pairs', () => {
    expect(listTerms('人工知能 and ロボット 茶', 'ja')).toEqual(['人工', '工知', '知能', 'and', 'ロボ', 'ボッ', 'ット', '茶'])
    expect(listTerms('AI技術', 'zh-Hant')).toEqual(['ai', '技術'])
    expect(listTerms('인공지능', 'ko')).toEqual(['인공', '공지', '지능'])
  })

  it('returns no terms for an empty text', () => expect(listTerms(' — … !', 'en')).toEqual([]))
})

describe('computeTextSimilarity', () => {
  const texts = ['robots and energy', 'robots in hospitals', 'wine and cheese'].map((text) => countTerms(listTerms(text, 'en')))
  const corpus = buildCorpusTermStatistics(texts)
  const [first, second, third] = texts.map((terms) => toTfIdfVector(terms, corpus))

  it('computes text similarity as the cosine of TF-IDF vectors', () => {
    // The term robot is in 2 of 3 texts, energy and hospital in 1 each, so their weights are ln 2.5 and ln 4.
    const [common, rare] = [Math.log(2.5), Math.log(4)]
    expect(computeTextSimilarity(first!, second!)).toBeCloseTo(common ** 2 / (common ** 2 + rare ** 2), 12)
    expect(computeTextSimilarity(first!, first!)).toBeCloseTo(1, 12)
    expect(computeTextSimilarity(first!, third!)).toBe(0)
    expect(computeTextSimilarity(first!, new Map())).toBe(0)
  })

  it('ignores terms that the corpus does not contain', () => {
    expect([...toTfIdfVector(countTerms(['robot', 'unheard']), corpus).keys()]).toEqual(['robot'])
  })

  it('lists the shared terms of two texts, largest share first', () => {
    const mine = toTfIdfVector(countTerms(['robot', 'energi', 'energi']), corpus)
    expect(listSharedTerms(mine, first!).map(({ term }) => term)).toEqual(['energi', 'robot'])
  })
})
