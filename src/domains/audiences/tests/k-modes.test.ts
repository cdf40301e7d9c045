import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../../../test/support/property-test-seed.ts'
import { WORKED_PATTERNS } from '../../../../test/support/audience-patterns.ts'
import { soakRounds } from '../../../../test/support/soak.ts'
import { runTaskSynchronously } from '../../../kernel/cooperative.ts'
import { chooseClusters, type ClusteringOptions, type ClusteringAttempt } from '../clustering/choose-clusters.ts'
import {
  type FeaturePatternTable,
  chooseInitialModes,
  computePatternDensities,
  type FeatureLevelPattern,
  getFeaturePattern,
  runKModes,
  toFeatureLevelNames,
  toPatternTable,
} from '../clustering/k-modes.ts'
import { clusterSlowly } from './slow-model.ts'

/** Returns the mean share of people who have the levels of a pattern. */
const toDensity = ({ people, features }: Pick<FeaturePatternTable, 'people' | 'features'>, sum: number): number =>
  sum / (features * people.reduce((total, one) => total + one, 0))

const worked: FeatureLevelPattern[] = WORKED_PATTERNS.map(([newness, origin, leadTime, spend, people]) => ({
  levels: [newness, origin, leadTime, spend],
  people,
}))
const EQUAL = [1, 1, 1, 1]

function clusterAll(patterns: readonly FeatureLevelPattern[], weights: readonly number[], rules: ClusteringOptions = {}) {
  const table = toPatternTable(patterns, weights)
  const tried: ClusteringAttempt[] = []
  const chosen = runTaskSynchronously(chooseClusters(table, rules, (one) => tried.push(one)))
  return { table, tried, chosen, modes: chosen?.clusters.modes.map((mode) => toFeatureLevelNames(table, mode)) ?? [] }
}

const people = (levels: string, count: number): FeatureLevelPattern => ({ levels: levels.split(' '), people: count })

describe('clustering of the worked example of 50 people', () => {
  const table = toPatternTable(worked, EQUAL)
  const densities = computePatternDensities(table)
  const initial = runTaskSynchronously(chooseInitialModes(table, 8)).map((index) => ({
    levels: toFeatureLevelNames(table, getFeaturePattern(table, index)).join(', '),
    density: toDensity(table, densities[index]!).toFixed(3),
  }))

  it('chooses the initial cluster modes with the densities that the specification states', () => {
    expect(initial.slice(0, 3)).toEqual([
      { levels: 'first, home, 0-7, low', density: '0.470' },
      { levels: 'returning, home, over90, high', density: '0.445' },
      { levels: 'first, abroad, 8-30, mid', density: '0.300' },
    ])
  })

  it('chooses the expected fourth and fifth initial cluster mode of the worked example', () => {
    expect(initial.slice(3, 5)).toEqual([
      { levels: 'returning, home, 0-7, zero', density: '0.430' },
      { levels: 'first, home, 0-7, zero', density: '0.460' },
    ])
  })

  it('chooses three clusters by the silhouette of 2 to 8 clusters', () => {
    const { tried, chosen, modes } = clusterAll(worked, EQUAL)
    const shown = tried.map(({ k, silhouette, clusters, eligible }) => [
      k,
      silhouette.toFixed(3),
      clusters.sizes.toSorted((a, b) => b - a).join(' '),
      eligible,
    ])
    expect(shown).toEqual([
      [2, '0.692', '30 20', true],
      [3, '0.805', '20 17 13', true],
      [4, '0.700', '20 15 13 2', false],
      [5, '0.840', '20 13 8 7 2', false],
      [6, '0.900', '13 13 8 7 7 2', false],
      [7, '0.940', '13 9 8 7 7 4 2', false],
      [8, '0.970', '13 8 7 7 6 4 3 2', false],
    ])
    expect(chosen?.k).toBe(3)
    expect(modes).toEqual([
      ['first', 'home', '0-7', 'zero'],
      ['returning', 'home', 'over90', 'high'],
      ['first', 'abroad', '8-30', 'mid'],
    ])
  })

  it('finds the same clusters in any order of the patterns', () => {
    expect(clusterAll(worked.toReversed(), EQUAL).modes).toEqual(clusterAll(worked, EQUAL).modes)
  })
})

describe('chooseClusters', () => {
  it('uses a given number of clusters even if the smallest cluster is below the minimum size', () => {
    const { chosen } = clusterAll(worked, EQUAL, { k: 5 })
    expect(chosen).toMatchObject({ k: 5 })
    expect(chosen!.silhouette).toBeCloseTo(0.84, 9)
  })

  it('chooses only a number of clusters whose smallest cluster has at least minSize people', () => {
    expect(clusterAll(worked, EQUAL, { minSize: 13 }).chosen?.k).toBe(3)
    expect(clusterAll(worked, EQUAL, { minSize: 14 }).chosen?.k).toBe(2)
    expect(clusterAll(worked, EQUAL, { minSize: 21 }).chosen).toBeNull()
  })

  it('rejects a cluster with less than 2 percent of the people', () => {
    const many = [people('a a a', 500), people('b b b', 480), people('c c c', 19)]
    expect(clusterAll(many, [1, 1, 1]).tried.map(({ k, eligible }) => [k, eligible])).toEqual([
      [2, true],
      [3, false],
    ])
    expect(clusterAll([...many.slice(0, 2), people('c c c', 20)], [1, 1, 1]).chosen?.k).toBe(3)
  })

  it('makes no clusters of fewer than 50 people, even with a given number of clusters', () => {
    const [first, ...rest] = worked
    const fewer = [{ ...first!, people: first!.people - 1 }, ...rest]
    expect(clusterAll(fewer, EQUAL).chosen).toBeNull()
    expect(clusterAll(fewer, EQUAL, { k: 3 }).chosen).toBeNull()
    expect(clusterAll(worked, EQUAL).chosen).not.toBeNull()
  })

  it('makes at most as many clusters as there are patterns, even with a larger given number', () => {
    expect(clusterAll([people('a', 30), people('b', 30)], [1], { k: 8 }).chosen?.k).toBe(2)
    expect(clusterAll([people('a', 60)], [1], { k: 2 }).chosen).toBeNull()
  })
})

describe('ties in k-modes clustering', () => {
  it('chooses the first answer pattern in lexicographic order as cluster mode if densities are equal', () => {
    const table = toPatternTable([people('b x', 30), people('a y', 30)], [1, 1])
    const [first] = runTaskSynchronously(chooseInitialModes(table, 1))
    expect(toFeatureLevelNames(table, getFeaturePattern(table, first!))).toEqual(['a', 'y'])
  })

  it('assigns an answer pattern to the cluster mode with the lower index if distances are equal', () => {
    const table = toPatternTable([people('a a', 10), people('a b', 1), people('b b', 10)], [1, 1])
    const { assigned } = runTaskSynchronously(runKModes(table, [2, 0]))
    expect([...assigned]).toEqual([1, 0, 0])
  })

  it('uses the first level in alphabetical order as cluster mode if counts are equal', () => {
    const table = toPatternTable([people('a z', 5), people('a m', 5)], [1, 1])
    const { modes } = runTaskSynchronously(runKModes(table, [1]))
    expect(toFeatureLevelNames(table, modes[0]!)).toEqual(['a', 'm'])
  })
})

describe('feature weights', () => {
  const mixed = [people('a x', 20), people('a y', 20), people('b x', 20), people('b y', 20)]
  const splitBy = (weights: readonly number[]) => {
    const { table, chosen } = clusterAll(mixed, weights, { k: 2 })
    const of = (cluster: number) =>
      [...chosen!.clusters.assigned].flatMap((one, i) =>
        one === cluster ? [toFeatureLevelNames(table, getFeaturePattern(table, i)).join('')] : [],
      )
    return [of(0), of(1)]
  }

  it('splits people into clusters by the feature with the larger weight', () => {
    expect(splitBy([5, 1])).toEqual([
      ['ax', 'ay'],
      ['bx', 'by'],
    ])
    expect(splitBy([1, 5])).toEqual([
      ['ax', 'bx'],
      ['ay', 'by'],
    ])
  })
})

describe('chooseClusters compared with an independent model', () => {
  /** Generates random people of a few kinds, so that clusters exist. */
  const crowd = fc
    .record({
      features: fc.integer({ min: 1, max: 5 }),
      levels: fc.integer({ min: 2, max: 4 }),
      kinds: fc.integer({ min: 1, max: 4 }),
      size: fc.integer({ min: 45, max: 90 }),
      noise: fc.integer({ min: 0, max: 3 }),
      seed: fc.integer({ min: 1, max: 2 ** 30 }),
    })
    .map(({ features, levels, kinds, size, noise, seed }) => {
      let state = seed
      const next = (below: number) => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
        return (state >> 12) % below
      }
      const level = () => 'dacb'[next(levels)]!
      const typical = Array.from({ length: kinds }, () => Array.from({ length: features }, level))
      return Array.from({ length: size }, () => typical[next(kinds)]!.map((own) => (next(10) < noise ? level() : own)))
    })
  const options = fc.record({
    weights: fc.array(fc.constantFrom(0.5, 1, 1, 1, 2, 2.25), { minLength: 5, maxLength: 5 }),
    k: fc.option(fc.integer({ min: 2, max: 8 }), { nil: undefined }),
    minSize: fc.constantFrom(undefined, 10, 15, 25),
  })

  it('finds the same clusters as an independent model in 500 random data sets', () => {
    let split = 0
    fc.assert(
      fc.property(crowd, options, (everyone, { weights: all, k, minSize }) => {
        const weights = all.slice(0, everyone[0]!.length)
        const counts = Map.groupBy(everyone, (levels) => levels.join(' '))
        const patterns = [...counts].map(([levels, own]) => people(levels, own.length))
        const { table, chosen } = clusterAll(patterns, weights, { k, minSize })
        const rules = { ...(k === undefined ? {} : { k }), ...(minSize === undefined ? {} : { minSize }) }
        const expected = clusterSlowly(everyone, weights, rules)
        expect(chosen?.clusters.sizes ?? null).toEqual(expected?.sizes ?? null)
        if (!chosen || !expected) return
        split++
        const own = new Map(
          [...chosen.clusters.assigned].map((cluster, i) => [toFeatureLevelNames(table, getFeaturePattern(table, i)).join(' '), cluster]),
        )
        expect(everyone.map((levels) => own.get(levels.join(' ')))).toEqual(expected.clusters)
      }),
      { numRuns: soakRounds(500) },
    )
    // Ensures that the model was compared on enough random inputs that split into clusters.
    expect(split).toBeGreaterThan(200)
  })
})
