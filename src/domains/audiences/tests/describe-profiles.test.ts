import { describe, expect, it } from 'vitest'
import { COUNTRIES } from '../../../kernel/countries.ts'
import { compareProfiles, listTraits, makeNamesUnique, buildProfileName } from '../building/describe-profiles.ts'
import { JOB_FUNCTION_RULES, listKeywords, SENIORITY_RULES } from '../features/job-titles.ts'
import { listCountriesOfSubRegion, SUB_REGIONS } from '../features/sub-regions.ts'

const features = [
  { name: 'spend', label: (level: string) => `${level} spend` },
  { name: 'origin', label: (level: string) => `from ${level}` },
]
const group = (size: number, spend: Record<string, number>, origin: Record<string, number> = { home: size }) => ({
  size,
  counts: { spend, origin },
})

describe('listTraits', () => {
  const all = group(100, { high: 30, low: 70 })

  it('lists a trait that is exactly ten percentage points more frequent in an audience profile, but no smaller one', () => {
    expect(listTraits(group(10, { high: 4, low: 6 }), all, features).map(({ level }) => level)).toEqual(['high'])
    expect(listTraits(group(1000, { high: 399, low: 601 }), all, features)).toEqual([])
  })

  it('omits a personal answer from an audience profile if fewer than five people gave it', () => {
    const personal = features.map((feature) => ({ ...feature, isPersonal: true as const }))
    expect(listTraits(group(10, { high: 4, low: 6 }), all, personal)).toEqual([])
    expect(listTraits(group(10, { high: 5, low: 5 }), all, personal)).toHaveLength(1)
  })

  it('sorts traits of an audience profile with equal differences by feature, then by level', () => {
    const overall = group(100, { high: 20, low: 20, none: 60 }, { home: 20, abroad: 80 })
    const traits = listTraits(group(20, { high: 10, low: 10 }, { home: 10, abroad: 10 }), overall, features)
    expect(traits.map(({ level }) => level)).toEqual(['high', 'low', 'home'])
  })
})

describe('buildProfileName', () => {
  const trait = (feature: string, label: string) => ({ feature, label })

  it('names an audience profile after its first two traits of different features', () => {
    expect(buildProfileName([trait('spend', 'high spend'), trait('spend', 'low spend'), trait('origin', 'from abroad')])).toBe(
      'High spend, from abroad',
    )
    expect(buildProfileName([trait('spend', 'high spend')])).toBe('High spend')
    expect(buildProfileName([])).toBe('Other participants')
  })

  it('appends a number to names of audience profiles that occur more than once', () => {
    expect(makeNamesUnique(['VIP', 'vip', 'Other', 'VIP'])).toEqual(['VIP', 'vip (2)', 'Other', 'VIP (3)'])
  })
})

describe('compareProfiles', () => {
  it('lists traits whose shares in two audience profiles differ by ten percentage points or more, with the sign', () => {
    expect(compareProfiles(group(20, { high: 10, low: 10 }), group(10, { high: 1, low: 9 }), features)).toEqual([
      { feature: 'spend', level: 'high', share: 50, other: 10, points: 40 },
      { feature: 'spend', level: 'low', share: 50, other: 90, points: -40 },
    ])
  })
})

describe('SUB_REGIONS and job title keywords', () => {
  it('assigns every country except Antarctica to exactly one sub-region', () => {
    const listed = Object.values(SUB_REGIONS).flatMap((codes) => codes.split(' '))
    expect(listed.toSorted()).toEqual([...COUNTRIES.keys()].filter((code) => code !== 'AQ'))
    expect(listCountriesOfSubRegion('FR')).toContain('DE')
    expect(listCountriesOfSubRegion('FR')).not.toContain('ES')
    expect(listCountriesOfSubRegion('AQ')).toEqual(['AQ'])
  })

  it('defines job title keywords in lower-case letters only, which need no escaping in a regular expression', () => {
    const words = [...SENIORITY_RULES, ...JOB_FUNCTION_RULES].flatMap((rule) => listKeywords(rule.words))
    expect(words.filter((word) => !/^\*?[a-z]+( [a-z]+)*( ?\*)?$/.test(word))).toEqual([])
  })
})
